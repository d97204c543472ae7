//! What goes wrong, is found at once, says what it was, and leaves nothing behind.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

mod deadlock;
mod endless;
mod refusals;
mod unreceived;

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use multicomputer::{
    Dilation, MachineBuilder, Payload, Run,
    collective::Collective,
    error::{ConfigError, DeadlockReport, Failure, RunError, WaitsFor},
    model::{MachineSpec, Parameters},
    prelude::*,
    topology::{Link, LinkId, Topology, TopologyError, Vertex},
};

use crate::support::{self, alone, without_places};

const REAL: Clock = Clock::RealTime { dilation: Dilation::Fixed(1.0) };
const BOTH_CLOCKS: [Clock; 2] = [Clock::Virtual, REAL];

fn threads_of_this_process() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// o_s = o_r = 10 us, L = 1 ms, beta = 10 ns/byte.
fn mesh(rows: usize, columns: usize) -> MachineBuilder {
    let parameters =
        Parameters::builder().send_overhead(10e-6).receive_overhead(10e-6).latency(1e-3).beta(10e-9);
    Machine::mesh(rows, columns).parameters(parameters.build().unwrap()).wall_limit(Duration::from_secs(5))
}

/// The error of a run, which must come soon and leave no thread.
fn failure<T: Send>(
    machine: MachineBuilder,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> RunError {
    let _alone = alone();
    let machine = machine.build().unwrap();
    let before = threads_of_this_process();
    let error = machine.run(|node| program(node).map(drop)).map(drop).unwrap_err();
    let deadline = Instant::now() + Duration::from_secs(2);
    // The test harness may be starting or ending threads of its own.
    while threads_of_this_process() > before + 2 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(threads_of_this_process() <= before + 2, "threads are left");
    error
}

/// A run that ends well.
fn run<T: Send>(machine: MachineBuilder, program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync) -> Run<T> {
    let _alone = alone();
    support::run(&machine.build().unwrap(), program)
}

fn deadlock<T: Send>(
    machine: MachineBuilder,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> DeadlockReport {
    match failure(machine, program) {
        RunError::Deadlock(report) => report,
        other => panic!("{other}"),
    }
}

fn message(source: Option<Rank>, tag: Option<u32>) -> WaitsFor {
    WaitsFor::Message { source, tag: tag.map(Tag), group: "the world".into() }
}

// Failing programs.

/// What the other nodes do while node 2 fails.
type Occupation = fn(&Node<'_>) -> Result<(), CommError>;

fn occupations() -> Vec<(&'static str, Occupation)> {
    vec![
        ("blocked in a receive", |node| node.world().recv(2).map(drop)),
        ("blocked in a receive from anybody", |node| node.world().recv(ANY_SOURCE).map(drop)),
        ("in wait_any", |node| {
            let world = node.world();
            let mut posted = [Some(world.irecv(2)?), Some(world.irecv(ANY_SOURCE)?)];
            Request::wait_any(&mut posted).map(drop)
        }),
        ("in a barrier", |node| node.world().barrier()),
        ("computing for ever", |node| {
            loop {
                node.compute(Span::from_micros(1))?;
            }
        }),
        ("computing for ever and ignoring errors", |node| {
            loop {
                let _ = node.compute(Span::from_micros(1));
            }
        }),
        ("receiving for ever and ignoring errors", |node| {
            loop {
                let _ = node.world().recv(2);
            }
        }),
        ("sending for ever", |node| {
            loop {
                node.world().send(node.rank(), Payload::empty())?;
            }
        }),
        ("posting and dropping receives for ever, ignoring errors", |node| {
            loop {
                let _ = node.world().irecv(2);
                let _ = node.now();
            }
        }),
        ("finished", |_| Ok(())),
    ]
}

#[test]
fn an_error_on_one_node_ends_the_run_for_all() {
    for clock in BOTH_CLOCKS {
        for (what, occupation) in occupations() {
            let error = failure(mesh(1, 4).clock(clock), |node| {
                if node.rank() == 2 {
                    node.compute(Span::from_micros(100))?;
                    return Err("the disk is full".into());
                }
                Ok(occupation(node)?)
            });
            assert!(matches!(error, RunError::Node { rank: 2, .. }), "{what}, {clock:?}: {error}");
            assert_eq!(without_places(&error), "node 2 failed: the disk is full");
        }
    }
}

#[test]
fn a_panic_on_one_node_ends_the_run_for_all() {
    for clock in BOTH_CLOCKS {
        for (what, occupation) in occupations() {
            let error = failure(mesh(1, 3).clock(clock), |node| {
                assert_ne!(node.rank(), 2, "node two does not like this");
                Ok(occupation(node)?)
            });
            let RunError::Panicked { rank: 2, message } = error else { panic!("{what}, {clock:?}: {error}") };
            assert!(message.contains("node two does not like this"), "{message}");
        }
    }
}

#[test]
fn of_several_failures_the_first_in_modeled_time_is_reported() {
    // Modeled times against the order in which the host comes to them.
    let error = failure(mesh(1, 4), |node| -> Result<(), Failure> {
        let (micros, millis) = [(3000, 0), (1000, 20), (2000, 0), (4000, 0)][node.rank()];
        node.compute(Span::from_micros(micros))?;
        std::thread::sleep(Duration::from_millis(millis));
        Err(format!("at {micros}").into())
    });
    assert_eq!(without_places(&error), "node 1 failed: at 1000");
}

#[test]
fn failures_less_than_a_send_overhead_apart_are_told_apart_too() {
    // Node 0 fails at 5 us; node 1, whose thread is slow, at 0.
    let error = failure(mesh(1, 2), |node| -> Result<(), Failure> {
        if node.rank() == 0 {
            node.compute(Span::from_micros(5))?;
        } else {
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("it fails".into())
    });
    assert!(matches!(error, RunError::Node { rank: 1, .. }), "{error}");
}

#[test]
fn of_failures_at_one_instant_that_of_the_lower_rank_is_reported() {
    let error = failure(mesh(1, 4), |node| -> Result<(), Failure> {
        std::thread::sleep(Duration::from_millis(10 * (4 - node.rank() as u64)));
        Err("all fail".into())
    });
    assert!(matches!(error, RunError::Node { rank: 0, .. }), "{error}");
}

#[test]
fn a_failure_later_than_the_others_finish_is_reported_too() {
    let error = failure(mesh(1, 3), |node| {
        node.compute(Span::from_micros(node.rank() as u64))?;
        if node.rank() == 1 { Err("one of three".into()) } else { Ok(()) }
    });
    assert_eq!(without_places(&error), "node 1 failed: one of three");
}

#[test]
fn a_panic_with_something_else_than_text_is_reported() {
    let error = failure(mesh(1, 1), |_| -> Result<(), Failure> { std::panic::panic_any(17) });
    assert!(matches!(error, RunError::Panicked { rank: 0, .. }), "{error}");
}

#[test]
fn a_machine_runs_again_after_a_failure() {
    let _alone = alone();
    let machine = mesh(1, 2).build().unwrap();
    assert!(machine.run(|node| Ok(drop(node.world().recv(ANY_SOURCE)?))).is_err());
    let run = machine.run(|node| Ok(node.rank())).unwrap();
    assert_eq!(run.outputs, [0, 1]);
}

#[test]
fn a_run_that_ends_well_leaves_no_thread() {
    let _alone = alone();
    let before = threads_of_this_process();
    for clock in BOTH_CLOCKS {
        mesh(8, 8).clock(clock).build().unwrap().run(|node| Ok(node.world().barrier()?)).unwrap();
    }
    assert!(threads_of_this_process() <= before + 2);
}

#[test]
fn the_first_failure_does_not_depend_on_which_thread_was_slow() {
    // Rank 1 fails at 0 and rank 0 at 50 us, whichever of the two the host runs late.
    for slow in [0, 1] {
        let error = failure(mesh(1, 2), |node| -> Result<(), Failure> {
            if node.rank() == slow {
                std::thread::sleep(Duration::from_millis(30));
            }
            if node.rank() == 0 {
                node.world().recv_until(1, Time::ZERO + Span::from_micros(50))?;
            }
            Err("failed".into())
        });
        assert!(matches!(error, RunError::Node { rank: 1, .. }), "rank {slow} was slow: {error}");
    }
}

/// Panics as it is dropped.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

/// An error that panics when it is dropped.
#[derive(Debug)]
struct Volatile(Bomb);

impl std::fmt::Display for Volatile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("volatile")
    }
}

impl std::error::Error for Volatile {}

/// All nodes fail; the run reports one error, and drops the others.
#[test]
fn errors_that_panic_when_they_are_dropped_do_not_unwind_out_of_the_run() {
    let machine = mesh(1, 3).build().unwrap();
    let failed =
        catch_unwind(AssertUnwindSafe(|| machine.run(|_| Err::<(), Failure>(Volatile(Bomb).into()))));
    let Ok(Err(error @ RunError::Node { rank: 0, .. })) = failed else { panic!("no error of node 0") };
    assert_eq!(error.to_string(), "node 0 failed: volatile");
    // The caller's own.
    std::mem::forget(error);
}

#[test]
fn a_panic_that_panics_again_ends_the_run() {
    for clock in BOTH_CLOCKS {
        let error = failure(mesh(1, 3).clock(clock), |node| match node.rank() {
            1 => std::panic::panic_any(Bomb),
            _ => Ok(drop(node.world().recv(1)?)),
        });
        assert!(matches!(error, RunError::Panicked { rank: 1, .. }), "{error}");
    }
}

/// A topology of the user's that fails when it is asked for a route.
#[derive(Debug)]
struct NoRoutes;

impl Topology for NoRoutes {
    fn name(&self) -> String {
        "no routes".into()
    }
    fn nodes(&self) -> usize {
        2
    }
    fn links(&self) -> usize {
        1
    }
    fn link(&self, _: LinkId) -> Link {
        Link { from: Vertex::Node(0), to: Vertex::Node(1) }
    }
    fn route(&self, _: Rank, _: Rank, _: &mut Vec<LinkId>) {
        panic!("there are no routes");
    }
}

#[test]
fn a_topology_that_panics_ends_the_run() {
    let _alone = alone();
    for clock in [Clock::Virtual, REAL, Clock::RealTime { dilation: Dilation::Auto }] {
        let spec = MachineSpec::new("no routes", Arc::new(NoRoutes), Parameters::hockney());
        let machine = Machine::builder(spec).clock(clock).wall_limit(Duration::from_secs(5)).build().unwrap();
        let run = machine.run(|node| match node.rank() {
            0 => Ok(node.world().send(1, [1_u8])?),
            _ => Ok(drop(node.world().recv(0)?)),
        });
        let Err(RunError::Topology(error)) = run else { panic!("{clock:?}: {:?}", run.map(|_| ())) };
        assert!(error.to_string().ends_with("`route` panicked: there are no routes"), "{error}");
    }
}
