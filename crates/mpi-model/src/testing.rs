//! Programs of tests: an arena on every node of a machine.

use std::rc::Rc;

use multicomputer::{Machine, Span};

use crate::{
    abi,
    arena::Arena,
    function,
    process::{Outcome, Process, Settings},
    word::{Address, Handle, Stored},
};

/// One rank of a test.
pub(crate) struct Tester<'a, 'n> {
    pub(crate) process: &'a Process<'n>,
    pub(crate) arena: &'a Arena,
    pub(crate) rank: usize,
}

impl Tester<'_, '_> {
    /// Calls a function of MPI.
    pub(crate) fn call(&self, name: &str, words: &[usize]) -> Outcome {
        self.process.call(function::named(name).unwrap_or_else(|| panic!("there is no {name}")), words, 0)
    }

    /// Calls a function that returns, and returns its error code.
    pub(crate) fn code(&self, name: &str, words: &[usize]) -> i32 {
        match self.call(name, words) {
            Outcome::Returns(code) => code,
            Outcome::Leaves => panic!("{name}: {:?}", self.process.end()),
        }
    }

    /// Calls a function that succeeds.
    pub(crate) fn ok(&self, name: &str, words: &[usize]) {
        assert_eq!(self.code(name, words), 0, "{name}");
    }

    /// Calls a function whose last argument is a result, and returns the result.
    pub(crate) fn result<T: Stored>(&self, name: &str, words: &[usize]) -> T {
        let at = self.arena.alloc(T::SIZE);
        self.ok(name, &[words, &[at.0]].concat());
        self.arena.one(at)
    }

    /// The address of values.
    pub(crate) fn ints(&self, values: &[i32]) -> usize {
        self.arena.store(values).0
    }

    /// The address of room for integers.
    pub(crate) fn room(&self, count: usize) -> usize {
        self.arena.alloc(4 * count).0
    }

    /// Integers at an address.
    pub(crate) fn read(&self, address: usize, count: usize) -> Vec<i32> {
        self.arena.get(Address(address), count)
    }

    /// The string at an address.
    pub(crate) fn string(&self, address: usize) -> String {
        use crate::program::Program;
        String::from_utf8(self.arena.read_string(address)).unwrap()
    }

    /// Sets the error handler of `MPI_COMM_WORLD` and `MPI_COMM_SELF` to `MPI_ERRORS_RETURN`.
    pub(crate) fn errors_return(&self) {
        for Handle(comm) in [abi::COMM_WORLD, abi::COMM_SELF] {
            self.ok("MPI_Comm_set_errhandler", &[comm, abi::ERRORS_RETURN.0]);
        }
    }
}

/// Runs a program on all nodes, before `MPI_Init`, and returns what it returns by rank.
pub(crate) fn run_bare<T: Send>(nodes: usize, program: impl Fn(&Tester<'_, '_>) -> T + Sync) -> Vec<T> {
    run_with(nodes, Settings::default(), program)
}

/// As [`run_bare`], with settings.
pub(crate) fn run_with<T: Send>(
    nodes: usize,
    settings: Settings,
    program: impl Fn(&Tester<'_, '_>) -> T + Sync,
) -> Vec<T> {
    let machine = Machine::hockney(1, nodes).build().unwrap();
    let settings = Settings { poll: Span::from_nanos(10), ..settings };
    let run = machine.run(|node| {
        let arena = Rc::new(Arena::new());
        let process = Process::new(node, arena.clone(), settings.clone());
        Ok(program(&Tester { process: &process, arena: &arena, rank: node.rank() }))
    });
    run.unwrap().outputs
}

/// Runs a program on all nodes, between `MPI_Init` and `MPI_Finalize`.
pub(crate) fn run<T: Send>(nodes: usize, program: impl Fn(&Tester<'_, '_>) -> T + Sync) -> Vec<T> {
    run_bare(nodes, |tester| {
        tester.ok("MPI_Init", &[0, 0]);
        let result = program(tester);
        tester.ok("MPI_Finalize", &[]);
        result
    })
}
