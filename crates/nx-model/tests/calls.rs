//! Programs for NX whose memory is an arena.

use std::rc::Rc;

use multicomputer::{
    Machine, Run, Span,
    nx::{ANY, Nx},
};
use multicomputer_mpi_model::{
    arena::Arena,
    process::{End, Outcome},
    program::Program,
    word::{Address, Stored},
};
use multicomputer_nx_model::{error::Code, function, process::Process};

/// One node of a test.
struct Tester<'t, 'a, 'n> {
    process: &'t Process<'a, 'n>,
    arena: &'t Rc<Arena>,
    me: usize,
}

impl Tester<'_, '_, '_> {
    fn call(&self, name: &str, words: &[usize]) -> Outcome {
        let called = function::named(name).unwrap_or_else(|| panic!("there is no {name}"));
        assert_eq!(called.function.arguments.len(), words.len(), "{name}");
        self.process.call(called, words)
    }

    fn ok(&self, name: &str, words: &[usize]) {
        assert_eq!(self.call(name, words), Outcome::Returns(0), "{name}: {:?}", self.process.end());
    }

    /// Calls a function with a result of type `long`.
    fn long(&self, name: &str, words: &[usize]) -> i64 {
        let at = self.arena.alloc(8);
        self.ok(name, &[words, &[at.0]].concat());
        self.arena.one(at)
    }

    fn store<T: Stored>(&self, values: &[T]) -> usize {
        self.arena.store(values).0
    }

    fn read<T: Stored>(&self, address: usize, count: usize) -> Vec<T> {
        self.arena.get(Address(address), count)
    }
}

const MINUS: usize = -1_isize as usize;
/// The size of C's `long`.
const LONG: usize = 8;

fn run<T: Send>(program: impl Fn(&Tester<'_, '_, '_>) -> T + Sync) -> Run<T> {
    let machine = Machine::paragon(2, 2).build().unwrap();
    let run = machine.run(|node| {
        let arena = Rc::new(Arena::new());
        let process = Process::new(node, arena.clone(), node.size(), Span::from_nanos(10));
        Ok(program(&Tester { process: &process, arena: &arena, me: node.rank() }))
    });
    run.unwrap()
}

#[test]
fn calls_take_the_time_of_the_calls_of_the_library() {
    let model = run(|node| {
        let (next, x) = ((node.me + 1) % 4, node.store(&[1.0; 100]));
        let (y, info) = (node.store(&[0.0; 100]), node.store(&[0_i64; 8]));
        let mid = node.long("irecvx", &[5, y, 800, MINUS, MINUS, info, LONG]) as usize;
        node.ok("csend", &[5, x, 800, next, 0]);
        node.ok("msgwait", &[mid]);
        assert_eq!(node.read::<i64>(info, 4), [5, 800, (node.me as i64 + 3) % 4, 0]);
        node.ok("gdsum", &[x, 100, y]);
        assert_eq!(node.read::<f64>(x, 100), [4.0; 100]);
        node.ok("gsync", &[]);
    });
    let library = Machine::paragon(2, 2).build().unwrap().run(|node| {
        let nx = Nx::new(node)?;
        let mut y = [0.0; 100];
        let mid = nx.irecvx(5, &mut y, ANY, ANY)?;
        nx.csend(5, [1.0; 100], (nx.mynode() + 1) % 4, 0)?;
        nx.msgwait(mid)?;
        nx.gdsum(&mut y)?;
        Ok(nx.gsync()?)
    });
    let library = library.unwrap();
    assert_eq!(model.report.makespan, library.report.makespan);
    assert_eq!(model.report.messages, library.report.messages);
}

#[test]
fn integers_have_four_or_eight_bytes() {
    run(|node| {
        let (wide, narrow) = (node.store(&[node.me as i64, -1]), node.store(&[node.me as i32, -1]));
        node.ok("gisum", &[wide, 2, 0, 8]);
        node.ok("gisum", &[narrow, 2, 0, 4]);
        assert_eq!((node.read::<i64>(wide, 2), node.read::<i32>(narrow, 2)), (vec![6, -4], vec![6, -4]));
        let (lengths, y) = (node.store(&[4, 0, 4, 4]), node.store(&[9_i32; 4]));
        let x = node.store(&[node.me as i32 * 11]);
        node.ok("gcolx", &[x, lengths, y, 4]);
        assert_eq!(node.read::<i32>(y, 4), [0, 22, 33, 9]);
    });
}

#[test]
fn functions_of_the_program_combine_and_take_messages() {
    run(|node| {
        // The function keeps the larger of two integers.
        let larger = node.arena.function(|arena, words| {
            let [x, work] = [words[0], words[1]].map(|at| arena.one::<i64>(Address(at)));
            arena.set(Address(words[0]), &[x.max(work)]);
            0
        });
        let (x, work) = (node.store(&[(node.me as i64 * 7) % 5]), node.store(&[0_i64]));
        node.ok("gopf", &[x, 8, work, larger.0]);
        assert_eq!(node.read::<i64>(x, 1), [4]);
        let (seen, room) = (node.store(&[0_i64; 5]), node.store(&[0_i64]));
        let handler = node.arena.function(move |arena, words| {
            let words: Vec<i64> = words.iter().map(|&word| word as i64).collect();
            arena.set(Address(seen), &words);
            0
        });
        if node.me == 1 {
            node.ok("hrecvx", &[5, room, 8, 0, MINUS, handler.0, 77]);
        } else if node.me == 0 {
            node.ok("csend", &[5, x, 8, 1, 0]);
        }
        node.ok("gsync", &[]);
        let expected = if node.me == 1 { [5, 8, 0, 0, 77] } else { [0; 5] };
        assert_eq!(node.read::<i64>(seen, 5), expected);
    });
}

#[test]
fn errors_are_returned_or_end_the_program() {
    run(|node| {
        let buf = node.store(&[0_i64]);
        let word = |value: i64| value as usize;
        for (code, name, words) in [
            (Code::NODE, "_csend", &[1, buf, 8, 4, 0][..]),
            (Code::TYPE, "_csend", &[word(-3), buf, 8, 0, 0]),
            (Code::PROCESS, "_csend", &[1, buf, 8, 0, 2]),
            (Code::LENGTH, "_csend", &[1, buf, word(-8), 0, 0]),
            (Code::ADDRESS, "_csend", &[1, 0, 8, 0, 0]),
            (Code::PARAMETER, "_csend", &[1, buf, 8, 1 << 40, 0]),
            (Code::TYPE, "_crecvx", &[1_000_000_000, buf, 8, 0, 0, 0, LONG]),
            (Code::NODE, "_crecvx", &[1, buf, 8, 9, 0, 0, LONG]),
            (Code::MID, "_msgwait", &[1]),
        ] {
            assert_eq!(node.call(name, words), Outcome::Returns(code.0), "{name} {words:?}");
        }
        let text = node.arena.alloc(80);
        node.ok("nx_perror", &[text.0, 80]);
        let message =
            "msgwait: argument `mid`: 1 is no message number: no call has returned it, or its message";
        assert_eq!(node.arena.read_string(text.0), &message.as_bytes()[..79]);
        // A message that is too long is lost.
        node.ok("csend", &[3, buf, 8, node.me, 0]);
        let receive = [3, buf, 4, MINUS, MINUS, 0, LONG];
        assert_eq!(node.call("_crecv", &receive), Outcome::Returns(Code::MESSAGE_LONG.0));
        assert_eq!(node.call("csend", &[1, buf, 8, 4, 0]), Outcome::Leaves);
        let message =
            "csend: argument `node`: node 4 does not exist: nodes are 0 to 3, and -1 means all other nodes";
        assert_eq!(node.process.end(), Some(End::Error(message.into())));
        assert_eq!(node.call("mynode", &[buf]), Outcome::Leaves);
    });
}

#[test]
fn a_program_that_polls_ends() {
    run(|node| {
        let room = node.store(&[0_i64]);
        if node.me > 0 {
            node.ok("csend", &[9, room, 8, 0, 0]);
            return;
        }
        let mut mid = MINUS;
        for _ in 0..2 {
            let next = node.long("irecv", &[1 << 31 | 1 << 9, room, 8, MINUS, MINUS, 0, LONG]) as usize;
            mid = node.long("msgmerge", &[mid, next]) as usize;
        }
        while node.long("msgdone", &[mid]) == 0 {}
        while node.long("iprobe", &[MINUS, MINUS, MINUS, 0, LONG]) == 0 {}
        let start: f64 = node.read(node.store(&[0.0]), 1)[0];
        let time = node.store(&[start]);
        while node.read::<f64>(time, 1)[0] < 0.01 {
            node.ok("flick", &[]);
            node.ok("dclock", &[time]);
        }
    });
}
