//! Rendezvous: programs that only work because messages are kept are found, and what reports, traces and explanations say
//! of sends that wait.
//!
//! The times of single calls are in `worked_examples.rs` and `properties.rs`, dead nodes in `faults.rs`.

use multicomputer::{
    analysis::Kind,
    comm::{Active, Handling},
    error::{DeadlockReport, Failure, RunError, WaitsFor},
    model::MachineSpec,
    pattern::{Builder, Exchange, Transfer},
    plan::predict,
    prelude::*,
    record::{EventKind, WaitEnd},
};

use crate::support::{PATIENCE, run, without_places};

const BYTES: [u8; 1000] = [7; 1000];

/// Machines in modeled time where sends of so many bytes wait for their receive.
fn machine(nodes: usize, from_bytes: u64) -> Machine {
    Machine::hockney(1, nodes).rendezvous(from_bytes).wall_limit(PATIENCE).build().unwrap()
}

/// The report of a program that comes to no end.
#[track_caller]
fn deadlock<T: Send>(
    machine: &Machine,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> DeadlockReport {
    match machine.run(&program).map(|run| run.report) {
        Err(RunError::Deadlock(report)) => report,
        other => panic!("{other:?}"),
    }
}

/// Two nodes both send, and then receive.
fn facing(node: &Node<'_>, bytes: usize) -> Result<u64, Failure> {
    let partner = 1 - node.rank();
    node.world().send((partner, Tag(5)), vec![1_u8; bytes])?;
    Ok(node.world().recv((partner, Tag(5)))?.len())
}

#[test]
fn sends_that_face_each_other_wait_for_ever() {
    let passes =
        |machine: &Machine, bytes| assert_eq!(run(machine, |node| facing(node, bytes)).outputs.len(), 2);
    passes(&machine(2, 32 << 10), 8 << 10);
    passes(&machine(2, 4096), 4095);
    // 8 KiB take 65 + 409.6 us to leave; the report tells when the sends were called.
    let report = deadlock(&machine(2, 4096), |node| facing(node, 8 << 10));
    assert_eq!(
        without_places(&report),
        "deadlock: 2 nodes are blocked\n  \
         cycle: 0 -> 1 -> 0\n  \
         node 0 has waited since 0 s for a receive by node 1 of its message with tag 5\n  \
         node 1 has waited since 0 s for a receive by node 0 of its message with tag 5"
    );
    let waits_for = WaitsFor::Receive { by: 1, tag: Tag(5), group: "the world".into() };
    assert_eq!(report.blocked[0].waits_for, waits_for);
    assert!(deadlock(&machine(2, 4096), |node| facing(node, 4096)).cycle.len() == 2);
}

#[test]
fn reports_tell_whatever_waits_for_a_receive() {
    // A ring, where each sends to the right before it receives from the left; one of them waits for its request.
    let ring = deadlock(&machine(3, 0), |node| {
        let (right, left) = ((node.rank() + 1) % 3, (node.rank() + 2) % 3);
        node.compute(Span::from_micros(10 * node.rank() as u64))?;
        match node.rank() {
            0 => node.world().send(right, BYTES)?,
            1 => node.world().isend(right, BYTES)?.wait()?,
            _ => {
                let mut requests = [Some(node.world().isend(right, BYTES)?)];
                Request::wait_any(&mut requests)?;
            }
        }
        node.world().recv(left)?;
        Ok(())
    });
    assert_eq!(
        without_places(&ring),
        "deadlock: 3 nodes are blocked\n  \
         cycle: 0 -> 1 -> 2 -> 0\n  \
         node 0 has waited since 0 s for a receive by node 1 of its message with tag 0\n  \
         node 1 has waited since 75 us for a receive by node 2 of its message with tag 0\n  \
         node 2 has waited since 85 us for a receive by node 0 of its message with tag 0"
    );
    // A receiver that has returned; and a message to oneself.
    let returned = deadlock(&machine(3, 0), |node| match node.rank() {
        0 => Ok(node.world().send(1, BYTES)?),
        1 => Ok(()),
        _ => Ok(node.world().send(2, BYTES)?),
    });
    assert_eq!(
        without_places(&returned),
        "deadlock: 2 nodes are blocked, 1 returned\n  \
         cycle: 2 -> 2\n  \
         node 0 has waited since 0 s for a receive by node 1 of its message with tag 0; node 1 has returned\n  \
         node 2 has waited since 0 s for a receive by node 2 of its message with tag 0"
    );
    // An exchange whose own message nobody wants, with what it receives there; and one that has to wait for both.
    let half = deadlock(&machine(2, 0), |node| match node.rank() {
        0 => Ok(node.world().sendrecv(1, BYTES, 1)?.len()),
        _ => {
            node.world().send(0, BYTES)?;
            Ok(node.world().recv((0, Tag(9)))?.len())
        }
    });
    assert_eq!(
        without_places(&half),
        "deadlock: 2 nodes are blocked\n  \
         cycle: 0 -> 1 -> 0\n  \
         node 0 has waited since 0 s for a receive by node 1 of its message with tag 0\n  \
         node 1 has waited since 115 us for a message from node 0 with tag 9"
    );
}

#[test]
fn a_wait_in_a_library_call_tells_for_whom() {
    let report = deadlock(&machine(2, 0), |node| {
        if node.rank() == 0 {
            node.world().broadcast(0, &mut [0_u8; 1000])?;
        }
        Ok(())
    });
    assert_eq!(
        without_places(&report),
        "deadlock: 1 node is blocked, 1 returned\n  \
         node 0 has waited since 0 s in broadcast for node 1 to receive, which has returned"
    );
}

#[test]
fn a_program_does_not_go_on_behind_a_send_that_waits() {
    // Node 0 does nothing behind its send, though its thread could be ahead of modeled time.
    let went_on = std::sync::atomic::AtomicBool::new(false);
    for with_request in [false, true] {
        deadlock(&machine(2, 0), |node| {
            match (node.rank(), with_request) {
                (0, false) => node.world().send(1, BYTES)?,
                (0, true) => node.world().isend(1, BYTES)?.wait()?,
                _ => return Ok(()),
            }
            went_on.store(true, std::sync::atomic::Ordering::SeqCst);
            Ok(())
        });
    }
    assert!(!went_on.into_inner());
}

#[test]
fn what_nobody_waits_for_is_no_deadlock() {
    // A request that is dropped, active messages, and one that is shorter.
    let run = run(&machine(2, 16), |node| {
        let world = node.world();
        let active = Active::new(world, Handling::Polled, |_, _| {})?;
        if node.rank() == 0 {
            drop(world.isend(1, BYTES)?);
            active.send(1, [1, 2])?;
            world.send(1, [1_u8; 15])?;
        }
        Ok(())
    });
    assert_eq!(run.report.unreceived.len(), 3);
}

#[test]
fn a_trace_tells_what_a_send_waits_for_and_an_explanation_goes_on_there() {
    // Node 0 sends from 0, which node 1 asks for at 300; what follows at node 0 takes until 400.
    let machine = Machine::hockney(1, 2).rendezvous(0).trace(true).build().unwrap();
    let late = run(&machine, |node| {
        match node.rank() {
            0 => {
                node.world().send(1, BYTES)?;
                node.compute(Span::from_micros(100))?;
            }
            _ => {
                node.compute(Span::from_micros(300))?;
                let posted = node.world().irecv(0)?;
                posted.wait()?;
            }
        }
        Ok(())
    });
    let of_0: Vec<_> = late.trace.events.iter().filter(|event| event.rank == 0).collect();
    let at = |time: Time| time.as_micros_f64();
    assert!(matches!(of_0[0].kind, EventKind::Send { .. }) && at(of_0[0].end) == 115.0);
    assert!(matches!(of_0[1].kind, EventKind::Wait { until: WaitEnd::Met { seq: 0 } }));
    assert_eq!((at(of_0[1].start), at(of_0[1].end)), (115.0, 300.0));
    assert_eq!(late.report.nodes[0].waiting, Span::from_micros(235));
    let path = late.critical_path().unwrap();
    assert_eq!((path.time(Kind::Computing), path.span()), (Span::from_micros(400), Span::from_micros(400)));
    // If the receive is there first, the path goes over the message.
    let early = run(&machine, |node| {
        match node.rank() {
            0 => {
                let sent = node.world().isend(1, BYTES)?;
                sent.wait()?;
                node.compute(Span::from_micros(100))?;
            }
            _ => drop(node.world().recv(0)?),
        }
        Ok(())
    });
    let path = early.critical_path().unwrap();
    assert_eq!((path.time(Kind::Bytes), path.span()), (Span::from_micros(50), Span::from_micros(215)));
}

#[test]
fn predictions_hold() {
    // Rank 0 sends to 1 and 2 in turn; 1 receives from 2 before it does from 0.
    let mut builder = Builder::new(3, &[0, 0, 2], &[1000, 500, 100], Exchange::Together);
    builder.iteration([Transfer { from: 2, to: 1, blocks: [2].into() }]);
    builder.iteration([Transfer { from: 0, to: 1, blocks: [0].into() }]);
    builder.iteration([Transfer { from: 0, to: 2, blocks: [1].into() }]);
    let schedule = builder.finish();
    let times = [None, Some(0), Some(501)].map(|from| {
        let spec: MachineSpec = "hockney:1x3".parse().unwrap();
        let spec = match from {
            Some(from) => spec.with_rendezvous(from),
            None => spec,
        };
        let predicted = predict(&spec, &schedule).unwrap();
        let run = run(&Machine::builder(spec).build().unwrap(), |node| {
            let mut blocks =
                schedule.sizes().iter().map(|&bytes| Payload::phantom(bytes)).collect::<Vec<_>>();
            Ok(multicomputer::comm::walk(node.world(), &schedule, Tag(0), &mut blocks)?)
        });
        let finished: Vec<Time> = run.report.nodes.iter().map(|node| node.finished).collect();
        assert_eq!(finished, predicted.finished);
        finished
    });
    assert!(times[1][0] > times[0][0]);
}

// On the host.

/// Threads of the host where sends of so many bytes wait for their receive.
fn host(nodes: usize, from_bytes: u64) -> Machine {
    Machine::host(nodes).rendezvous(from_bytes).wall_limit(PATIENCE).build().unwrap()
}

/// A report without its times, which are the host's.
fn timeless(report: &DeadlockReport) -> String {
    let lines = without_places(report);
    let without = |line: &str| match (line.find(" since "), line.find(" for ").or(line.find(" in "))) {
        (Some(since), Some(rest)) => format!("{}{}", &line[..since], &line[rest..]),
        _ => line.to_owned(),
    };
    lines.lines().map(without).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_host_finds_sends_that_face_each_other() {
    run(&host(2, 32 << 10), |node| facing(node, 8 << 10));
    for nodes in [2, 2, 2] {
        let report = deadlock(&host(nodes, 4096), |node| facing(node, 8 << 10));
        assert_eq!(
            timeless(&report),
            "deadlock: 2 nodes are blocked\n  \
             cycle: 0 -> 1 -> 0\n  \
             node 0 has waited for a receive by node 1 of its message with tag 5\n  \
             node 1 has waited for a receive by node 0 of its message with tag 5"
        );
    }
    // With requests, and a node that sends to itself; more nodes than any host has cores.
    let report = deadlock(&host(40, 0), |node| {
        let world = node.world();
        match node.rank() {
            0 => world.isend(1, BYTES)?.wait()?,
            1 => {
                let mut requests = [Some(world.isend(0, BYTES)?)];
                Request::wait_any(&mut requests)?;
            }
            2 => world.send(2, [1_u8])?,
            _ => {}
        }
        Ok(())
    });
    assert!(
        timeless(&report).starts_with(
            "deadlock: 3 nodes are blocked, 37 returned\n  \
             cycle: 0 -> 1 -> 0\n  \
             node 0 has waited for a receive by node 1 of its message with tag 0\n  \
             node 1 has waited for a receive by node 0 of its message with tag 0\n  \
             node 2 has waited for a receive by node 2 of its message with tag 0"
        ),
        "{report}"
    );
}

#[test]
fn a_send_of_the_host_returns_when_its_message_is_received() {
    use std::sync::atomic::{AtomicBool, Ordering};
    for (nodes, bytes) in [(2, 1), (2, 100_000), (33, 1), (33, 1000)] {
        for manner in 0..6 {
            let is_asked_for = AtomicBool::new(false);
            let run = run(&host(nodes, 0), |node| {
                let (world, data) = (node.world(), vec![7_u8; bytes]);
                match node.rank() {
                    0 => {
                        match manner {
                            0..4 => world.send(1, data)?,
                            4 => world.isend(1, data)?.wait()?,
                            _ => drop(world.sendrecv(1, data, 1)?),
                        }
                        Ok(is_asked_for.load(Ordering::SeqCst))
                    }
                    1 => {
                        if manner == 5 {
                            world.send(0, [1_u8])?;
                        }
                        std::thread::sleep(std::time::Duration::from_millis(3));
                        // To look at it is not to receive it.
                        assert_eq!(world.probe(0)?.bytes, bytes as u64);
                        is_asked_for.store(true, Ordering::SeqCst);
                        let got = match manner {
                            1 => {
                                let request = world.irecv(ANY_SOURCE)?;
                                request.wait()?
                            }
                            2 => world.recv_until(0, Time::MAX)?,
                            3 => Request::wait_any(&mut [Some(world.irecv(0)?)])?.1,
                            _ => world.recv(0)?,
                        };
                        assert_eq!(got.len(), bytes as u64);
                        Ok(true)
                    }
                    _ => Ok(true),
                }
            });
            assert!(run.outputs[0], "{nodes} nodes, {bytes} bytes, manner {manner}");
        }
    }
}

/// Messages in all directions with requests, so that acknowledgements meet threads in all states.
#[test]
fn many_messages_meet_their_receives_on_the_host() {
    for nodes in [2, 5, 16] {
        let run = run(&host(nodes, 8), |node| {
            let (world, rank) = (node.world(), node.rank());
            for round in 0..200_usize {
                let (to, from) = ((rank + round) % nodes, (rank + nodes - round % nodes) % nodes);
                let data = vec![(rank + round) as u8; round % 24];
                let got = match round % 3 {
                    0 => world.sendrecv(to, data, from)?,
                    1 => {
                        let sent = world.isend(to, data)?;
                        let got = world.recv(from)?;
                        sent.wait()?;
                        got
                    }
                    _ => {
                        let posted = world.irecv(from)?;
                        world.send(to, data)?;
                        posted.wait()?
                    }
                };
                assert_eq!(got.to_vec::<u8>()?, vec![(from + round) as u8; round % 24]);
            }
            Ok(())
        });
        assert!(run.report.unreceived.is_empty());
    }
}
