//! What goes wrong, is found at once, says what it was, and leaves nothing behind.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

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
    model::{Description, Parameters},
    prelude::*,
    topology::{Link, LinkId, Topology, TopologyError, Vertex},
};

use crate::support::{self, alone, outcome};

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
    let error = outcome(&machine, &|node| program(node).map(drop)).map(drop).unwrap_err();
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

// Deadlock.

#[test]
fn a_ring_of_receives_is_found_with_its_cycle_in_both_clocks() {
    for clock in BOTH_CLOCKS {
        let report = deadlock(mesh(1, 4).clock(clock), |node| {
            let rank = node.rank();
            if rank == 0 {
                // Leads into the cycle, is not part of it.
                return Ok(drop(node.world().recv((3, Tag(7)))?));
            }
            Ok(drop(node.world().recv(rank % 3 + 1)?))
        });
        let blocked: Vec<_> = report.blocked.iter().map(|node| (node.rank, node.waits_for.clone())).collect();
        let named = |source| message(Some(source), None);
        assert_eq!(blocked, [(0, message(Some(3), Some(7))), (1, named(2)), (2, named(3)), (3, named(1))]);
        assert_eq!(report.cycle, [3, 1, 2]);
        let text = report.to_string();
        assert!(text.starts_with("deadlock: 4 nodes are blocked"), "{text}");
        assert!(
            text.contains("node 0 waits since 0 s for a message from node 3 with tag 7 in the world"),
            "{text}"
        );
        assert!(text.ends_with("cycle: 3 -> 1 -> 2 -> 3"), "{text}");
    }
}

#[test]
fn a_deadlock_is_found_at_once_in_both_clocks() {
    for clock in BOTH_CLOCKS {
        let began = Instant::now();
        deadlock(mesh(1, 2).clock(clock), |node| Ok(node.world().recv(ANY_SOURCE)?.source));
        assert!(began.elapsed() < Duration::from_secs(4));
    }
}

#[test]
fn a_deadlock_is_found_after_the_last_message_has_come_in_vain() {
    // Node 0 has finished when its message, 50 ms later, arrives with a tag that node 1 does not want.
    let slow = Parameters::builder().send_overhead(10e-6).latency(50e-3).build().unwrap();
    for clock in BOTH_CLOCKS {
        let report = deadlock(mesh(1, 2).parameters(slow.clone()).clock(clock), |node| {
            let world = node.world();
            if node.rank() == 0 {
                return Ok(world.send((1, Tag(1)), [1_u8])?);
            }
            Ok(drop(world.recv((0, Tag(2)))?))
        });
        assert_eq!(report.blocked.len(), 1);
        assert_eq!(report.blocked[0].waits_for, message(Some(0), Some(2)));
        assert_eq!(report.cycle, Vec::<Rank>::new());
    }
}

#[test]
fn a_deadlock_says_since_when_and_for_which_of_several_requests() {
    for clock in BOTH_CLOCKS {
        let report = deadlock(mesh(1, 3).clock(clock), |node| {
            let world = node.world();
            node.compute(Span::from_millis(2))?;
            match node.rank() {
                0 => {
                    let mut posted = vec![world.irecv(1)?, world.irecv((2, Tag(4)))?];
                    world.wait_any(&mut posted)?;
                }
                1 => drop(world.wait(world.irecv(ANY_SOURCE)?)?),
                _ => drop(world.probe((ANY_SOURCE, Tag(5)))?),
            }
            Ok(())
        });
        let waits: Vec<_> = report.blocked.iter().map(|node| node.waits_for.clone()).collect();
        let any_of = WaitsFor::Requests(vec![message(Some(1), None), message(Some(2), Some(4))]);
        assert_eq!(waits, [any_of, message(None, None), message(None, Some(5))]);
        if clock == Clock::Virtual {
            let since = Time::ZERO + Span::from_millis(2);
            assert!(report.blocked.iter().all(|node| node.since == since), "{report}");
        }
    }
}

#[test]
fn a_deadlock_names_the_group() {
    let report = deadlock(mesh(2, 2), |node| Ok(drop(node.row()?.recv(0)?)));
    assert_eq!(report.blocked.len(), 4);
    // Rank 0 of row 1 is node 2 of the world, and waits for itself.
    let text = report.to_string();
    assert!(text.contains("node 3 waits since 0 s for a message from node 2 in row 1"), "{text}");
    assert_eq!(report.cycle, [0]);
}

#[test]
fn a_deadlock_in_a_collective_operation_names_it_and_who_has_returned() {
    for clock in BOTH_CLOCKS {
        let report = deadlock(mesh(1, 4).clock(clock), |node| match node.rank() {
            3 => Ok(Vec::new()),
            rank => Ok(node.world().collect(&[rank as u64], 4)?),
        });
        assert_eq!(report.returned, [3]);
        assert!(report.blocked.iter().all(|node| node.within == Some("collect")), "{report}");
        let text = report.to_string();
        assert!(text.starts_with("deadlock: 3 nodes are blocked, 1 returned\n"), "{text}");
        assert!(text.contains("in collect for node 3, which has returned"), "{text}");
        let report = deadlock(mesh(1, 2).clock(clock), |node| match node.rank() {
            0 => Ok(()),
            _ => Ok(drop(node.world().recv(0)?)),
        });
        let expected = "deadlock: 1 node is blocked, 1 returned\n  node 1 waits since 0 s for a message from node 0 in \
                        the world; node 0 has returned";
        assert_eq!(report.to_string(), expected);
    }
}

#[test]
fn a_barrier_that_not_all_come_to_is_a_deadlock() {
    let with_barrier = || {
        let parameters = Parameters::builder().send_overhead(10e-6).barrier(1e-6).build().unwrap();
        mesh(1, 3).parameters(parameters)
    };
    for clock in BOTH_CLOCKS {
        let program = |node: &Node<'_>| if node.rank() == 1 { Ok(()) } else { Ok(node.world().barrier()?) };
        let report = deadlock(with_barrier().clock(clock), program);
        let waits: Vec<_> = report.blocked.iter().map(|node| (node.rank, node.waits_for.clone())).collect();
        assert_eq!(waits, [(0, WaitsFor::Barrier), (2, WaitsFor::Barrier)]);
        // The same by messages.
        let report = deadlock(mesh(1, 3).clock(clock), program);
        assert_eq!(report.blocked.iter().map(|node| node.rank).collect::<Vec<_>>(), [0, 2]);
    }
}

#[test]
fn every_call_fails_after_a_deadlock() {
    // Even a program that goes on after the error is ended, and the deadlock remains what is reported.
    let report = deadlock(mesh(1, 2), |node| {
        assert_eq!(node.world().recv(ANY_SOURCE).unwrap_err(), CommError::Deadlock);
        assert_eq!(node.now().unwrap_err(), CommError::Deadlock);
        assert_eq!(node.world().send(0, "x").unwrap_err(), CommError::Deadlock);
        Ok(())
    });
    assert_eq!(report.blocked.len(), 2);
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
            let mut posted = vec![world.irecv(2)?, world.irecv(ANY_SOURCE)?];
            world.wait_any(&mut posted).map(drop)
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
            assert_eq!(error.to_string(), "node 2 failed: the disk is full");
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
    assert_eq!(error.to_string(), "node 1 failed: at 1000");
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
    assert_eq!(error.to_string(), "node 1 failed: one of three");
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

// Messages never received.

fn two_lost_messages(machine: MachineBuilder) -> Result<Run<()>, RunError> {
    let _alone = alone();
    machine.build().unwrap().run(|node| {
        let world = node.world();
        match node.rank() {
            0 => {
                world.send((1, Tag(1)), Payload::phantom(10))?;
                node.row()?.send((1, Tag(2)), Payload::phantom(20))?;
                world.send((1, Tag(3)), Payload::phantom(30))?;
            }
            _ => drop(world.recv((0, Tag(3)))?),
        }
        Ok(())
    })
}

#[test]
fn messages_never_received_are_listed() {
    for clock in BOTH_CLOCKS {
        let run = two_lost_messages(mesh(1, 2).clock(clock)).unwrap();
        let lost: Vec<_> =
            run.report.unreceived.iter().map(|m| (m.from, m.to, m.tag.0, m.bytes, &m.group[..])).collect();
        assert_eq!(lost, [(0, 1, 1, 10, "the world"), (0, 1, 2, 20, "row 0")]);
    }
}

#[test]
fn messages_never_received_can_be_an_error() {
    for clock in BOTH_CLOCKS {
        let error = two_lost_messages(mesh(1, 2).clock(clock).deny_unreceived(true)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "2 messages never received, the first from node 0 to node 1 (tag 1, 10 bytes)"
        );
        let RunError::Unreceived(lost) = error else { panic!("{error}") };
        assert_eq!(lost.len(), 2);
    }
}

#[test]
fn messages_still_on_their_way_at_the_end_are_listed() {
    let _alone = alone();
    let run = mesh(1, 2).build().unwrap().run(|node| {
        if node.rank() == 0 {
            drop(node.world().isend(1, Payload::phantom(1 << 20))?);
            drop(node.world().isend(1, Payload::phantom(7))?);
        }
        Ok(())
    });
    let lost: Vec<_> = run.unwrap().report.unreceived.iter().map(|message| message.bytes).collect();
    assert_eq!(lost, [1 << 20, 7]);
}

// What no machine can be.

fn refusal(machine: MachineBuilder) -> ConfigError {
    machine.build().unwrap_err()
}

#[test]
fn more_nodes_than_threads_are_refused_before_any_is_started() {
    let _alone = alone();
    let before = threads_of_this_process();
    let error = refusal(mesh(256, 256));
    let ConfigError::TooManyNodes { nodes, allowed, ref limit } = error else { panic!("{error}") };
    assert_eq!(nodes, 65_536);
    assert!(allowed < nodes);
    assert!(!limit.is_empty());
    let text = error.to_string();
    assert!(text.contains("65536") && text.contains(&allowed.to_string()), "{text}");
    assert!(threads_of_this_process() <= before + 2);
}

#[test]
fn a_mesh_without_rows_or_columns_is_refused() {
    for (rows, columns) in [(0, 4), (4, 0), (0, 0)] {
        let error = refusal(mesh(rows, columns));
        assert!(matches!(error, ConfigError::Topology(TopologyError::Empty { .. })), "{error}");
        assert!(error.to_string().contains(&format!("{rows}x{columns}")), "{error}");
    }
}

#[test]
fn a_mesh_of_absurd_size_is_refused() {
    for (rows, columns) in [(usize::MAX, 2), (usize::MAX, usize::MAX), (1 << 20, 1 << 20)] {
        assert!(matches!(refusal(mesh(rows, columns)), ConfigError::Topology(_)));
    }
}

#[test]
fn a_dilation_that_is_no_positive_number_is_refused() {
    for dilation in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e10] {
        let error = refusal(mesh(1, 2).clock(Clock::RealTime { dilation: Dilation::Fixed(dilation) }));
        assert!(matches!(error, ConfigError::Dilation(_)), "{error}");
        let text = error.to_string();
        assert!(text.contains(&dilation.to_string()) && text.contains("positive"), "{text}");
    }
}

#[test]
fn a_stack_that_is_too_small_is_refused() {
    let _alone = alone();
    let error = refusal(mesh(1, 2).stack_size(4096));
    assert_eq!(error.to_string(), "a stack of 4096 bytes is too small: at least 65536 are needed");
    mesh(1, 2).stack_size(64 << 10).build().unwrap().run(|node| Ok(node.world().barrier()?)).unwrap();
}

/// Such an array does not fit into 256 KiB, and a stack that overflows ends the process.
#[test]
fn programs_have_room_for_arrays_of_their_own() {
    let _alone = alone();
    let run = mesh(1, 2).build().unwrap().run(|node| {
        let array = std::hint::black_box([node.rank() as f64; 50_000]);
        Ok(array.iter().sum::<f64>())
    });
    assert_eq!(run.unwrap().outputs, [0.0, 50_000.0]);
}

/// Parameters that no machine has, but that are numbers within the limits.
#[test]
fn machines_of_absurd_speeds_run_to_an_end() {
    let exchange = |node: &Node<'_>| {
        let other = 1 - node.rank();
        node.world().sendrecv(other, [7_u8; 1000], other)?;
        Ok(node.now()?)
    };
    for (beta, ends) in [(1e-300, 0), (5e-324, 0), (f64::MIN_POSITIVE, 0), (1.0, 1000 * 1_000_000_000_000)] {
        let machine = Machine::mesh(1, 2).parameters(Parameters::builder().beta(beta).build().unwrap());
        let outputs = run(machine, exchange).outputs;
        assert_eq!(outputs.iter().map(|end| end.as_picos()).collect::<Vec<_>>(), [ends; 2], "beta = {beta}");
    }
    let slow = Parameters::builder().link_capacity(1e-300).build().unwrap();
    let error = failure(Machine::mesh(1, 2).parameters(slow), exchange);
    assert!(matches!(error, RunError::TimeOverflow { .. }), "{error}");
    let fast = Parameters::builder().beta(1e-9).link_capacity(1e300).build().unwrap();
    let outputs = run(Machine::mesh(1, 2).parameters(fast), exchange).outputs;
    assert_eq!(outputs.iter().map(|end| end.as_picos()).collect::<Vec<_>>(), [1_000_000; 2]);
}

#[test]
fn a_time_that_is_no_number_ends_the_program_that_makes_it() {
    let error = failure(mesh(1, 2), |node| Ok(node.compute(Span::from_secs_f64(f64::NAN))?));
    let text = error.to_string();
    assert!(matches!(error, RunError::Panicked { .. }), "{text}");
    assert!(text.ends_with("panicked: NaN seconds are no interval of time; allowed is any number"), "{text}");
    let error = failure(mesh(1, 2), |node| Ok(node.compute(Span::from_secs_f64(f64::INFINITY))?));
    assert!(matches!(error, RunError::TimeOverflow { .. }), "{error}");
}

#[test]
fn a_stack_that_the_host_cannot_give_is_an_error_of_the_run() {
    let error = failure(mesh(1, 2).stack_size(1 << 60), |_| Ok(()));
    assert!(matches!(error, RunError::Spawn { .. }), "{error}");
}

// Runs that do not end.

#[test]
fn a_wall_limit_ends_an_endless_run() {
    for clock in BOTH_CLOCKS {
        for ignoring in [false, true] {
            let began = Instant::now();
            let limit = Duration::from_millis(200);
            let error = failure(mesh(1, 3).clock(clock).wall_limit(limit), |node| {
                let (world, rank) = (node.world(), node.rank());
                loop {
                    let passed = world.sendrecv((rank + 1) % 3, [1_u8], (rank + 2) % 3);
                    if !ignoring {
                        passed?;
                    }
                    if rank > 3 {
                        return Ok(());
                    }
                }
            });
            let RunError::WallLimit { limit: given, ref nodes } = error else { panic!("{error}") };
            assert_eq!((given, nodes.len()), (limit, 3), "{clock:?}");
            assert!(
                error.to_string().starts_with("the run was ended after 200ms of wall-clock time; 3 nodes")
            );
            assert!(began.elapsed() >= limit && began.elapsed() < Duration::from_secs(4));
        }
    }
}

#[test]
fn a_wall_limit_ends_a_program_that_sleeps_and_then_calls() {
    let error = failure(mesh(1, 1).wall_limit(Duration::from_millis(50)), |node| {
        std::thread::sleep(Duration::from_millis(200));
        Ok(node.compute(Span::from_micros(1))?)
    });
    assert!(matches!(error, RunError::WallLimit { .. }), "{error}");
}

#[test]
fn a_run_within_its_limit_is_left_alone() {
    let _alone = alone();
    for clock in BOTH_CLOCKS {
        mesh(1, 2).clock(clock).build().unwrap().run(|node| Ok(node.world().barrier()?)).unwrap();
    }
}

#[test]
fn a_clock_that_passes_the_end_of_time_ends_the_run() {
    for clock in BOTH_CLOCKS {
        let error = failure(mesh(1, 3).clock(clock), |node| {
            if node.rank() == 1 {
                node.compute(Duration::MAX)?;
            }
            node.world().barrier()?;
            Ok(())
        });
        assert!(matches!(error, RunError::TimeOverflow { rank: 1 }), "{clock:?}: {error}");
        assert!(error.to_string().contains("the clock of node 1 passed"), "{error}");
    }
}

#[test]
fn a_message_that_takes_longer_than_time_lasts_ends_the_run() {
    // 1 GiB at 10^6 seconds a byte.
    let slow = Parameters::builder().beta(1e6).build().unwrap();
    let error = failure(mesh(1, 2).parameters(slow), |node| {
        if node.rank() == 0 {
            node.world().send(1, Payload::phantom(1 << 30))?;
        } else {
            node.world().recv(0)?;
        }
        Ok(())
    });
    assert!(matches!(error, RunError::TimeOverflow { .. }), "{error}");
}

#[test]
fn a_deadline_at_the_end_of_time_is_no_deadline() {
    let report = deadlock(mesh(1, 1), |node| Ok(drop(node.world().recv_until(0, Time::MAX)?)));
    assert_eq!(report.cycle, [0]);
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

#[test]
fn a_deadline_that_was_met_does_not_hide_a_deadlock() {
    let report = deadlock(mesh(1, 2).clock(REAL), |node| {
        let world = node.world();
        if node.rank() == 0 {
            world.send(1, [1_u8])?;
        } else {
            world.recv_until(0, Time::ZERO + Span::from_millis(60_000))?;
        }
        Ok(world.recv(1 - node.rank())?)
    });
    assert_eq!(report.cycle, [0, 1]);
}

#[test]
fn the_wall_limit_tells_what_the_sleeping_nodes_wait_for() {
    let machine = mesh(1, 2).wall_limit(Duration::from_millis(100));
    let error = failure(machine, |node| {
        if node.rank() == 0 {
            std::thread::sleep(Duration::from_millis(300));
            node.now()?;
            return Ok(());
        }
        Ok(drop(node.world().recv(0)?))
    });
    let RunError::WallLimit { nodes, .. } = error else { panic!("{error}") };
    assert!(matches!(nodes[1].waits_for, WaitsFor::Message { source: Some(0), .. }), "{nodes:?}");
}

#[test]
fn the_wall_limit_does_not_list_programs_that_have_returned() {
    // Modeled time waits for node 0, so that the message of node 1 has not left when both ends of it have returned.
    let machine = mesh(1, 3).wall_limit(Duration::from_millis(100));
    let error = failure(machine, |node| match node.rank() {
        0 => {
            std::thread::sleep(Duration::from_millis(300));
            Ok(node.now().map(drop)?)
        }
        1 => Ok(node.world().send(2, [1_u8])?),
        _ => Ok(drop(node.world().recv(1)?)),
    });
    let RunError::WallLimit { ref nodes, .. } = error else { panic!("{error}") };
    assert_eq!(nodes.iter().map(|node| node.rank).collect::<Vec<_>>(), [0], "{error}");
    assert!(error.to_string().contains("; 1 node had not finished"), "{error}");
}

/// Panics as it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
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
        let description = Description::new("no routes", Arc::new(NoRoutes), Parameters::hockney());
        let machine =
            Machine::of(description).clock(clock).wall_limit(Duration::from_secs(5)).build().unwrap();
        let run = catch_unwind(AssertUnwindSafe(|| {
            machine.run(|node| match node.rank() {
                0 => Ok(node.world().send(1, [1_u8])?),
                _ => Ok(drop(node.world().recv(0)?)),
            })
        }));
        assert!(!matches!(run, Ok(Ok(_))), "{clock:?}");
    }
}
