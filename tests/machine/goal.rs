//! Programs in GOAL: times by prediction and on threads are the same, and those of LogGOPSim where the models agree; schedules
//! that are written and read again take their own time.

use std::fmt::Write;

use multicomputer::{
    all_to_all,
    collective::{Algorithm, Operation, Task},
    error::RunError,
    goal::{self, PlayError, PredictError, Program, Sends, WriteError, predict},
    model::{MachineSpec, Parameters},
    pattern::{Action, Builder, Exchange, Schedule},
    plan,
    prelude::*,
    topology,
};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::support::without_places;

/// A machine of LogGP: o, L and G in nanoseconds.
fn loggp(nodes: usize, overhead: f64, latency: f64, gap: f64) -> MachineSpec {
    let name = format!("complete:{nodes}");
    let parameters = Parameters::builder()
        .send_overhead(overhead * 1e-9)
        .receive_overhead(overhead * 1e-9)
        .latency(latency * 1e-9)
        .beta(gap * 1e-9);
    MachineSpec::new(name.clone(), topology::parse(&name).unwrap(), parameters.build().unwrap())
}

fn read(text: &str) -> Program {
    Program::read(text.as_bytes()).unwrap()
}

/// The times of all ranks in picoseconds.
fn picos(times: &[Time]) -> Vec<u64> {
    times.iter().map(|time| time.as_picos()).collect()
}

/// A program on threads.
fn play(machine: &MachineSpec, program: &Program, sends: Sends) -> Result<Vec<Time>, RunError> {
    let machine = Machine::builder(machine.clone()).build().unwrap();
    let run = machine.run(|node| Ok(program.play(node, sends)?))?;
    Ok(run.report.nodes.iter().map(|node| node.finished).collect())
}

#[test]
fn three_ranks_take_the_times_of_loggopsim() {
    // With `-L 1000 -o 500 -g 0 -G 1 -O 0` and one byte more in each message (the first one costs no G there) LogGOPSim gives
    // 1499, 4498 and 6007 ns. Its rank 0 keeps the second send back until its network interface is free; here it is the
    // message that waits for that, and the send is over at 1100.
    let program = read(
        "num_ranks 3
         rank 0 { l1: calc 100
                  l2: send 999b to 1 tag 5
                  l2 requires l1
                  l3: send 999b to 2 tag 5 }
         rank 1 { l1: recv 999b from 0 tag 5
                  l2: send 9b to 2 tag 1
                  l2 requires l1 }
         rank 2 { l1: recv 9b from 1 tag 1
                  l2: recv 999b from 0 tag 5 }",
    );
    let machine = loggp(3, 500.0, 1000.0, 1.0);
    let predicted = predict(&machine, &program, Sends::Eager).unwrap();
    assert_eq!(picos(&predicted.finished), [1_100_000, 4_498_000, 6_007_000]);
    assert_eq!(predicted.modeled, predicted.finished[2]);
    assert_eq!(play(&machine, &program, Sends::Eager).unwrap(), predicted.finished);
    // With blocking sends the two messages of rank 0 are over when they have left: at 1499 and, after 500 more, at 2498.
    let blocking = predict(&machine, &program, Sends::Blocking).unwrap();
    assert_eq!(picos(&blocking.finished), [2_498_000, 4_507_000, 6_007_000]);
    assert_eq!(play(&machine, &program, Sends::Blocking).unwrap(), blocking.finished);
}

#[test]
fn receives_come_first_and_sends_before_computations() {
    let machine = loggp(2, 500.0, 1000.0, 0.0);
    let times = |text: &str| {
        let program = read(text);
        let predicted = predict(&machine, &program, Sends::Eager).unwrap().finished;
        assert_eq!(play(&machine, &program, Sends::Eager).unwrap(), predicted);
        picos(&predicted)
    };
    // The message leaves before the computation that stands above it, and is there at 1500.
    let text = "num_ranks 2\nrank 0 {\ncalc 10000\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}";
    assert_eq!(times(text), [10_500_000, 2_000_000]);
    // The message that comes first is taken first, whichever receive stands first: 8 bytes of tag 2 at 1500, and then the answer to them.
    let text = "num_ranks 2
        rank 0 {
            a: recv 8b from 1 tag 1
            b: recv 8b from 1 tag 2
            c: send 8b to 1 tag 3
            c requires b
        }
        rank 1 {
            b: send 8b to 0 tag 2
            c: recv 8b from 0 tag 3
            a: send 8b to 0 tag 1
            a requires c
        }";
    assert_eq!(times(text), [6_000_000, 4_500_000]);
    // An operation that waits for the start of a send goes on when its overhead is paid; cpu and nic take turns.
    let text = "num_ranks 2
        rank 0 {
            a: send 1000b to 1 cpu 1 nic 1
            b: calc 100 cpu 2
            b irequires a
        }
        rank 1 {
            recv 1000b from -1 tag -1
        }";
    assert_eq!(times(text), [600_000, 2_000_000]);
    assert_eq!(read(text).foreign(), 2);
}

/// A random program in which every message has its receive, and operations wait for ones that stand above them.
fn random_program(random: &mut ChaCha8Rng, ranks: usize) -> String {
    let mut operations: Vec<Vec<String>> = vec![Vec::new(); ranks];
    for _ in 0..random.random_range(0..30) {
        let [from, to] = [(); 2].map(|()| random.random_range(0..ranks));
        let (bytes, tag) = ([0, 8, 100, 5000][random.random_range(0..4)], random.random_range(0..2));
        operations[from].push(format!("send {bytes}b to {to} tag {tag}"));
        operations[to].push(format!("recv {bytes}b from {from} tag {tag}"));
        let busy = random.random_range(0..ranks);
        operations[busy].push(format!("calc {}", random.random_range(0..200_000)));
    }
    let mut text = format!("num_ranks {ranks}\n");
    for (rank, operations) in operations.iter_mut().enumerate() {
        if random.random_bool(0.3) {
            operations.shuffle(random);
        }
        let _ = writeln!(text, "rank {rank} {{");
        for (at, operation) in operations.iter().enumerate() {
            let _ = writeln!(text, "l{at}: {operation}");
            for _ in 0..random.random_range(0..3) {
                let before = random.random_range(0..=at);
                let relation = ["requires", "irequires"][random.random_range(0..2)];
                if before < at {
                    let _ = writeln!(text, "l{at} {relation} l{before}");
                }
            }
        }
        text += "}\n";
    }
    text
}

#[test]
fn predictions_are_the_times_of_threads() {
    let mut ended = 0;
    let (mut deadlocks, mut lengths) = (0, 0);
    for seed in 0..120 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let name = ["line:4", "complete:5", "cm5:6", "paragon:2x3"][seed as usize % 4];
        let machine: MachineSpec = name.parse().unwrap();
        let machine =
            if seed % 3 == 0 { machine.with_rendezvous(random.random_range(0..200)) } else { machine };
        // Half of them have messages of one length only: others are often taken by receives of another length.
        let mut text = random_program(&mut random, machine.nodes());
        if seed % 2 == 0 {
            text = text.replace("5000b", "100b").replace("100b", "8b").replace(" 0b", " 8b");
        }
        let program = read(&text);
        for sends in [Sends::Eager, Sends::Blocking] {
            match (predict(&machine, &program, sends), play(&machine, &program, sends)) {
                (Ok(predicted), Ok(played)) => {
                    assert_eq!(predicted.finished, played, "{name}, {sends:?}:\n{text}");
                    assert_eq!(predicted.unreceived, 0);
                    ended += 1;
                }
                (Err(PredictError::Deadlock(predicted)), Err(RunError::Deadlock(played))) => {
                    assert_eq!(predicted.blocked.len(), played.blocked.len(), "{name}:\n{text}");
                    assert_eq!(predicted.to_string(), without_places(played), "{name}:\n{text}");
                    deadlocks += 1;
                }
                (
                    Err(PredictError::Length { rank, from, given, expected }),
                    Err(RunError::Node { rank: failed, source, .. }),
                ) => {
                    let Some(PlayError::Length { from: sender, given: came, expected: wanted }) =
                        source.downcast_ref()
                    else {
                        panic!("{name}, {sends:?}: {source}\n{text}")
                    };
                    let played = (failed, *sender, *came, *wanted);
                    assert_eq!(
                        (rank, from, u64::from(given), u64::from(expected)),
                        played,
                        "{name}, {sends:?}:\n{text}"
                    );
                    lengths += 1;
                }
                (predicted, played) => panic!("{name}, {sends:?}: {predicted:?}, {played:?}\n{text}"),
            }
        }
    }
    assert!(
        ended > 100 && deadlocks > 3 && lengths > 20,
        "{ended} have ended, {deadlocks} and {lengths} not"
    );
}

#[test]
fn what_does_not_fit_ends_with_an_error_of_its_own() {
    let machine: MachineSpec = "complete:2".parse().unwrap();
    let both = |text: &str| {
        let program = read(text);
        (predict(&machine, &program, Sends::Eager).unwrap_err(), play(&machine, &program, Sends::Eager))
    };
    let (predicted, played) = both("num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 3\n}");
    let report = "deadlock: 1 node is blocked, 1 returned\n  node 0 has waited since 0 s for a message from node 1 with tag 3";
    assert!(predicted.to_string().starts_with(report), "{predicted}");
    assert!(played.unwrap_err().to_string().starts_with(report));

    let (predicted, played) = both("num_ranks 2\nrank 0 { recv 8b from 1 }\nrank 1 { send 9b to 0 }");
    assert_eq!(predicted.to_string(), "rank 0 receives 9 bytes from rank 1, but its receive expects 8");
    let played = played.unwrap_err();
    let text = "node 0 failed: received 9 bytes from rank 1, but the receive expects 8";
    assert_eq!(without_places(&played), text);
    let RunError::Node { source, .. } = played else { panic!("{played}") };
    assert!(matches!(source.downcast_ref(), Some(PlayError::Length { from: 1, given: 9, expected: 8 })));

    // A message that another receive has taken, of another length, is missed later: the first is what is wrong.
    let (predicted, played) = both(
        "num_ranks 2\nrank 0 {\na: recv 8b from -1 tag -1\nb: recv 1b from 1 tag 7\n}\n\
         rank 1 {\nx: send 1b to 0 tag 7\ny: send 8b to 0 tag 3\ny requires x\n}",
    );
    assert_eq!(predicted.to_string(), "rank 0 receives 1 byte from rank 1, but its receive expects 8");
    let text = "node 0 failed: received 1 byte from rank 1, but the receive expects 8";
    assert_eq!(without_places(played.unwrap_err()), text);

    let (predicted, played) = both("num_ranks 3");
    let text = "the program has 3 ranks, but the machine has 2: use a machine with one node per rank";
    assert_eq!(predicted.to_string(), text);
    assert!(played.unwrap_err().to_string().ends_with(text));

    // A message that nobody receives is counted, and nodes without a rank have nothing to do.
    let program = read("num_ranks 1\nrank 0 { send 8b to 0 }");
    let predicted = predict(&machine, &program, Sends::Eager).unwrap();
    assert_eq!((predicted.unreceived, picos(&predicted.finished)), (1, vec![65_000_000]));
}

/// The time of a schedule that is written and read again.
fn written(machine: &MachineSpec, schedule: &Schedule) -> Vec<Time> {
    let mut text = Vec::new();
    goal::write(schedule, machine, &mut text).unwrap();
    predict(machine, &Program::read(&text[..]).unwrap(), Sends::Blocking).unwrap().finished
}

#[test]
fn schedules_of_all_libraries_take_their_own_time_when_they_are_written_and_read() {
    let mut schedules = 0;
    for name in ["paragon:3x4", "cm5:8", "hockney:4x4"] {
        let machine: MachineSpec = name.parse().unwrap();
        let mut check = |what: &str, schedule: &Schedule| {
            let steps = (0..schedule.nodes()).flat_map(|rank| schedule.steps(rank));
            if steps.map(|step| &step.action).any(|action| *action == Action::Barrier) {
                let refused = goal::write(schedule, &machine, Vec::new()).unwrap_err();
                assert!(matches!(refused, WriteError::Barrier), "{refused}");
                return;
            }
            let expected = plan::predict(&machine, schedule).unwrap().finished;
            assert_eq!(written(&machine, schedule), expected, "{what} on {name}");
            schedules += 1;
        };
        for operation in Operation::ALL {
            for bytes in [8, 20_000] {
                let task = Task::builder(&machine, operation).elements(bytes).build().unwrap();
                for algorithm in Algorithm::of(operation) {
                    if let Ok(plan) = algorithm.plan(&task) {
                        check(&format!("{algorithm:?} for {operation}"), plan.schedule());
                    }
                }
            }
        }
        let matrix = all_to_all::Matrix::of(machine.nodes(), |from, to| (from != to) as u64 * 300).unwrap();
        let instance = all_to_all::Instance::new(&machine, matrix).unwrap();
        for algorithm in all_to_all::Algorithm::ALL {
            if let Ok(plan) = algorithm.plan(&instance)
                && let Some(schedule) = plan.schedule()
            {
                check(&format!("{algorithm:?}"), schedule);
            }
        }
    }
    assert!(schedules > 100, "{schedules}");
}

/// Ranks that begin the second of two operations when their messages of the first have left: as planned, on threads, and written.
#[test]
fn schedules_that_wait_for_their_sends_take_the_same_time_everywhere() {
    let machine = "complete:12".parse::<MachineSpec>().unwrap().with_ports(2).unwrap();
    let task = Task::builder(&machine, Operation::Broadcast).root(7).elements(50_451).build().unwrap();
    let plan = Algorithm::COMPOSED.plan(&task).unwrap();
    let mut steps = (0..12).flat_map(|rank| plan.schedule().steps(rank));
    assert!(steps.any(|step| step.action == Action::WaitAll), "{}", plan.name());
    let planned = plan.prediction().modeled;
    let data: Vec<u8> = (0..50_451).map(|byte| byte as u8).collect();
    let run = Machine::builder(machine.clone())
        .build()
        .unwrap()
        .run(|node| Ok(plan.call(node.world(), if node.rank() == 7 { &data[..] } else { &[] })?));
    let run = run.unwrap();
    assert!(run.outputs.iter().all(|output| *output == data));
    assert_eq!(run.report.makespan, planned);
    assert_eq!(written(&machine, plan.schedule()).into_iter().max(), Some(planned));
}

#[test]
fn what_goal_cannot_say_is_refused() {
    let machine: MachineSpec = "hockney:1x2".parse().unwrap();
    let schedule = Builder::new(2, &[], &[], Exchange::Together);
    let refused = goal::write(&schedule.finish(), &machine.with_rendezvous(8), Vec::new()).unwrap_err();
    assert!(matches!(refused, WriteError::Rendezvous), "{refused}");
}
