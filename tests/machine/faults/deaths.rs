//! Nodes that die: who is told of it and when, and what is left of them.

use std::{collections::BTreeMap, sync::Mutex};

use multicomputer::{
    Dilation, Run,
    collective::{CollectiveError, Sum},
    comm::{Active, Handling},
    error::{Failure, RunError},
    model::{Noise, Parameters},
    prelude::*,
};

use super::{BYTES, failed, faults, faulty, micros};
use crate::support::{PATIENCE, without_places};

const DEATH: &str = "node 1 died at 100 us";

fn mortal() -> Machine {
    faulty(Machine::hockney(1, 4), &["node:1@100us"])
}

/// Runs a program on which node 1 dies; it computes until then, unless it is given something to do.
fn surviving<T: Send>(
    machine: &Machine,
    program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync,
) -> Run<Option<T>> {
    let run = machine.run_surviving(|node| program(node)).unwrap();
    assert!(run.outputs[1].is_none());
    assert_eq!(run.report.nodes[1].finished, Time::ZERO + Span::from_micros(100));
    run
}

#[test]
fn partners_of_a_dead_node_are_told() {
    let run = surviving(&mortal(), |node| {
        let world = node.world();
        match node.rank() {
            // It waits for it; then it asks in vain, and sends in vain.
            0 => {
                let mut told = vec![failed(node, world.recv(1))?, failed(node, world.probe(1))?];
                told.push(failed(node, world.send(1, BYTES))?);
                Ok(told)
            }
            1 => Err(node.compute(Span::from_millis(1)).unwrap_err().into()),
            // Its message is under way when node 1 dies.
            2 => Ok(vec![failed(node, world.send(1, BYTES))?]),
            _ => {
                let posted = world.irecv(1)?;
                node.compute(Span::from_micros(30))?;
                Ok(vec![failed(node, posted.wait())?])
            }
        }
    });
    let told = |rank: usize| run.outputs[rank].clone().unwrap();
    let at = |time: f64| (DEATH.to_owned(), time);
    assert_eq!(told(0), [at(100.0), at(100.0), at(165.0)]);
    assert_eq!(told(2), [at(100.0)]);
    assert_eq!(told(3), [at(100.0)]);
    assert_eq!(run.report.lost.len(), 2);
}

/// Both ports of node 1 are busy when it dies, one of node 0 with a message to it and the other one with one to node 2.
#[test]
fn each_port_has_a_message_of_its_own_to_lose() {
    let parameters = Parameters::hockney().to_builder().send_overhead(20e-6).ports(2).link_excess(8.0);
    let machine = faulty(Machine::hockney(1, 4).parameters(parameters.build().unwrap()), &["node:1@100us"]);
    let run = surviving(&machine, |node| {
        let world = node.world();
        match node.rank() {
            0 => {
                let (lost, kept) = (world.isend(1, vec![0_u8; 4000])?, world.isend(2, vec![0_u8; 4000])?);
                let told = failed(node, lost.wait())?;
                kept.wait()?;
                Ok((told.1, micros(node.now()?)))
            }
            1 => {
                let sends = [world.isend(2, vec![0_u8; 4000])?, world.isend(3, vec![0_u8; 4000])?];
                Ok((Request::wait_all(sends).map(|_| 0.0).unwrap_or(1.0), 0.0))
            }
            // Of node 0 alone: 200 us from 40 us on.
            2 => Ok((world.recv(0)?.len() as f64, micros(node.now()?))),
            _ => Ok((failed(node, world.recv(1))?.1, 0.0)),
        }
    });
    let got = [0, 2, 3].map(|rank: usize| run.outputs[rank].unwrap());
    assert_eq!(got, [(100.0, 240.0), (4000.0, 305.0), (100.0, 0.0)]);
    assert_eq!(run.report.lost.len(), 3);
}

#[test]
fn what_a_node_has_sent_before_it_dies_arrives() {
    let latency = Parameters::hockney().to_builder().latency(40e-6).build().unwrap();
    let machine = faulty(Machine::hockney(1, 4).parameters(latency), &["node:1@100us"]);
    let run = surviving(&machine, |node| {
        let world = node.world();
        match node.rank() {
            // 400 bytes leave from 65 to 85 us and arrive at 125; nothing comes after them.
            0 => {
                let (first, second) = (world.irecv(1)?, world.irecv(1)?);
                let length = Some(first.wait()?.len());
                let received = micros(node.now()?);
                Ok((length, received, failed(node, second.wait())?))
            }
            1 => {
                world.send(0, &BYTES[..400])?;
                world.send(0, BYTES)?;
                unreachable!("it dies while it sends");
            }
            // It was told of nothing else at 125 us, and at 100 us by a receive.
            2 => Ok((None, 0.0, failed(node, world.recv(1))?)),
            _ => Ok(Default::default()),
        }
    });
    assert_eq!(run.outputs[0], Some((Some(400), 190.0, (DEATH.to_owned(), 190.0))));
    assert_eq!(run.outputs[2].as_ref().unwrap().2, (DEATH.to_owned(), 100.0));
    let lost: Vec<_> = run.report.lost.iter().map(|lost| (lost.from, micros(lost.at))).collect();
    assert_eq!(lost, [(1, 100.0)]);
}

#[test]
fn a_receive_from_any_source_is_told_of_each_death_once() {
    let run = surviving(&mortal(), |node| {
        let world = node.world();
        match node.rank() {
            0 => {
                let told = failed(node, world.recv(ANY_SOURCE))?;
                // It goes on with the others.
                let (message, at) = (world.recv(ANY_SOURCE)?, node.now()?);
                Ok((told, Some((message.source, micros(at)))))
            }
            1 => Err(node.compute(Span::from_millis(1)).unwrap_err().into()),
            3 => {
                node.compute(Span::from_micros(200))?;
                world.send(0, BYTES)?;
                Ok(Default::default())
            }
            // Not a possible sender in this group.
            _ => Ok(Default::default()),
        }
    });
    assert_eq!(run.outputs[0], Some(((DEATH.to_owned(), 100.0), Some((3, 380.0)))));
    let others = surviving(&mortal(), |node| {
        if node.rank() == 1 {
            return Err(node.compute(Span::from_millis(1)).unwrap_err().into());
        }
        let group = node.world().subgroup(&[0, 2, 3])?;
        match node.rank() {
            0 => Ok(Some(group.recv(ANY_SOURCE)?.source)),
            3 => {
                node.compute(Span::from_micros(200))?;
                group.send(0, BYTES)?;
                Ok(None)
            }
            _ => Ok(None),
        }
    });
    assert_eq!(others.outputs[0], Some(Some(2)));
}

#[test]
fn barriers_and_collective_calls_fail_on_every_survivor() {
    let barrier = Parameters::hockney().to_builder().barrier(5e-6).build().unwrap();
    let machine = faulty(Machine::hockney(1, 4).parameters(barrier), &["node:1@100us"]);
    let run = surviving(&machine, |node| {
        let rank = node.rank();
        if rank == 1 {
            node.compute(Span::from_millis(1))?;
        }
        // Node 3 comes when node 1 is dead.
        node.compute(Span::from_micros(50 * rank as u64))?;
        let barrier = failed(node, node.world().barrier())?;
        let mut sum = rank as u64;
        let combine = match node.world().all_reduce(&mut sum, Sum) {
            Err(error) => (error.to_string(), micros(node.now()?)),
            Ok(()) => panic!("node 1 is dead"),
        };
        // And those that are left can go on.
        let left = node.world().subgroup(&[0, 2, 3])?;
        left.all_reduce(&mut sum, Sum)?;
        Ok((barrier, combine, sum))
    });
    for (rank, at) in [(0, 100.0), (2, 100.0), (3, 150.0)] {
        let told = (DEATH.to_owned(), at);
        assert_eq!(run.outputs[rank], Some((told.clone(), told, 5)), "{rank}");
    }
    // All are in a call of a library when it happens.
    let within = surviving(&mortal(), |node| {
        if node.rank() == 1 {
            node.compute(Span::from_millis(1))?;
        }
        match node.world().all_gather(&[node.rank() as u8; 1000], [1000; 4]) {
            Err(error) => Ok((error.to_string(), micros(node.now()?))),
            Ok(_) => panic!("node 1 is dead"),
        }
    });
    for (rank, told) in within.outputs.into_iter().enumerate().filter(|(rank, _)| *rank != 1) {
        let (error, at) = told.unwrap();
        assert_eq!(error, DEATH, "{rank}");
        assert!(at >= 100.0, "{rank}: {at}");
    }
}

#[test]
fn a_barrier_that_ends_when_a_node_dies_ends() {
    for (cost, ends) in [(100e-6, true), (100.001e-6, false)] {
        let barrier = Parameters::hockney().to_builder().barrier(cost).build().unwrap();
        let machine = faulty(Machine::hockney(1, 4).parameters(barrier), &["node:1@100us"]);
        let run = machine.run_surviving(|node| Ok(node.world().barrier().is_ok())).unwrap();
        let expected: Vec<Option<bool>> = (0..4).map(|rank| (rank != 1 || ends).then_some(ends)).collect();
        assert_eq!(run.outputs, expected);
    }
}

/// Whoever fails in the first part of an exchange makes the next call under the number that it has on the others.
#[test]
fn calls_after_an_exchange_with_a_dead_member_are_still_the_same() {
    for died in [420, 497, 525, 602, 651] {
        let machine = faulty(Machine::hockney(1, 10), &[&format!("node:2@{died}us")]);
        let run = machine.run_surviving(|node| {
            let (world, rank) = (node.world(), node.rank());
            node.compute(Span::from_micros(((rank * 37) % 8 * 30) as u64))?;
            let exchanged = world.all_to_allv(&vec![vec![1_u8; 100 * (rank + 1)]; 10]).map(drop);
            let barrier = world.barrier();
            Ok((exchanged.map_err(|error| error.to_string()), barrier.map_err(|error| error.to_string())))
        });
        for (exchanged, barrier) in run.unwrap().outputs.into_iter().flatten() {
            for error in [exchanged.err(), barrier.err()].into_iter().flatten() {
                assert!(error.contains(&format!("node 2 died at {died} us")), "{died}: {error}");
            }
        }
    }
}

#[test]
fn active_messages_fail_at_once() {
    let run = surviving(&mortal(), |node| {
        let world = node.world();
        let active = Active::new(world, Handling::Polled, |_, _| {})?;
        if node.rank() == 1 {
            active.compute(Span::from_millis(1))?;
        }
        node.compute(Span::from_micros(100))?;
        // It polls first, and is told so that a possible sender is dead; then it is told that this one cannot be sent to.
        let told = failed(node, active.send(1, [1, 2]))?;
        Ok((told, failed(node, active.send(1, [1, 2]))?))
    });
    let told = ((DEATH.to_owned(), 100.0), (DEATH.to_owned(), 165.0));
    assert_eq!(run.outputs, [Some(told.clone()), None, Some(told.clone()), Some(told)]);
}

#[test]
fn a_run_in_which_a_node_dies_is_an_error_that_names_it() {
    let error = |program: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync)| {
        mortal().run(program).map(|_| ()).unwrap_err().to_string()
    };
    let all_compute = error(&|node| Ok(node.compute(Span::from_millis(1))?));
    assert_eq!(
        all_compute,
        "node 1 died at 100 us; all other programs have returned; `run_surviving` returns their outputs"
    );
    let needed = error(&|node| match node.rank() {
        1 => Ok(node.compute(Span::from_millis(1))?),
        2 => {
            node.world().recv(1)?;
            Ok(())
        }
        _ => Ok(()),
    });
    assert_eq!(without_places(needed), "node 2 failed: node 1 died at 100 us");
    // Whatever the program of the dead node does: panic, go on calling for ever, return something.
    for what in 0..3 {
        let run = surviving(&mortal(), |node| {
            while node.rank() == 1 {
                match (what, node.compute(Span::from_millis(1))) {
                    (0, result) => result.unwrap(),
                    (1, Err(_)) => return Ok(node.rank()),
                    _ => {}
                }
            }
            Ok(node.rank())
        });
        assert_eq!(run.outputs, [Some(0), None, Some(2), Some(3)]);
    }
    // A node whose program has returned before has its output.
    let returned = mortal().run(|node| Ok(node.rank())).unwrap();
    assert_eq!(returned.outputs, [0, 1, 2, 3]);
}

#[test]
fn the_counters_of_a_dead_node_end_with_its_life() {
    type Program = fn(&Node<'_>) -> Result<(), Failure>;
    const COMPUTE: Program = |node| Ok(node.compute(Span::from_millis(1))?);
    const SEND: Program = |node| Ok(node.world().send(2, BYTES)?);
    const RECEIVE: Program = |node| {
        node.world().recv(0)?;
        Ok(())
    };
    const WAIT: Program = |node| {
        node.world().irecv(0)?.wait()?;
        Ok(())
    };
    const EXCHANGE: Program = |node| {
        node.world().sendrecv(2, BYTES, 0)?;
        Ok(())
    };
    const BARRIER: Program = |node| Ok(node.world().barrier()?);
    const ACTIVE: Program = |node| {
        let active = Active::new(node.world(), Handling::AtOnce, |_, _| {})?;
        Ok(active.compute(Span::from_millis(1))?)
    };
    // The doing of node 1, when its noise of 10 us begins, when it dies, and how long it has computed, sent or received, waited and
    // been kept from it by noise. What node 0 sends to it is there at 115 us.
    let cases: [(Program, Option<u64>, u64, [u64; 4]); 17] = [
        (COMPUTE, None, 100, [100, 0, 0, 0]),
        (COMPUTE, Some(50), 100, [90, 0, 0, 10]),
        (COMPUTE, Some(50), 55, [50, 0, 0, 5]),
        (SEND, None, 40, [0, 40, 0, 0]),
        (SEND, Some(50), 55, [0, 50, 0, 5]),
        (SEND, Some(50), 100, [0, 65, 25, 10]),
        (RECEIVE, None, 100, [0, 0, 100, 0]),
        (RECEIVE, None, 150, [0, 35, 115, 0]),
        (RECEIVE, Some(120), 150, [0, 25, 115, 10]),
        (RECEIVE, Some(120), 125, [0, 5, 115, 5]),
        (WAIT, None, 150, [0, 35, 115, 0]),
        (WAIT, Some(120), 150, [0, 25, 115, 10]),
        (EXCHANGE, None, 150, [0, 100, 50, 0]),
        (EXCHANGE, Some(120), 150, [0, 90, 50, 10]),
        (BARRIER, None, 100, [0, 0, 100, 0]),
        (ACTIVE, None, 30, [30, 0, 0, 0]),
        (ACTIVE, Some(20), 25, [20, 0, 0, 5]),
    ];
    let barrier = Parameters::hockney().to_builder().barrier(5e-6).build().unwrap();
    for (nth, (program, noise, died, expected)) in cases.into_iter().enumerate() {
        let machine = Machine::hockney(1, 4).parameters(barrier.clone()).wall_limit(PATIENCE);
        let machine = machine.faults(faults(&[&format!("node:1@{died}us")]));
        let machine = match noise {
            Some(first) => {
                let noise = Noise::new(Span::from_micros(1000), Span::from_micros(10)).unwrap();
                machine.noise(noise.first(Span::from_micros(first)))
            }
            None => machine,
        };
        let run = machine.build().unwrap().run_surviving(|node| {
            match node.rank() {
                0 => drop(node.world().send(1, BYTES)),
                1 => program(node)?,
                _ => {}
            }
            Ok(())
        });
        let node = &run.unwrap().report.nodes[1];
        let counted = [node.computing, node.overhead, node.waiting, node.noise];
        assert_eq!(counted, expected.map(Span::from_micros), "{nth}: {node:?}");
        assert_eq!(node.finished, Time::ZERO + counted.into_iter().sum(), "{nth}");
    }
}

/// Nobody has received a message that had come for a `sendrecv` that did not end.
#[test]
fn a_message_for_an_unfinished_sendrecv_is_unreceived() {
    let machine = faulty(Machine::hockney(1, 3), &["node:2@177us"]);
    let run = machine.run_surviving(|node| {
        match node.rank() {
            1 => node.world().send(2, [0_u8; 100])?,
            2 => {
                node.compute(Span::from_micros(123))?;
                drop(node.world().sendrecv(0, [0_u8; 100], 1)?);
            }
            _ => {}
        }
        Ok(())
    });
    let report = run.unwrap().report;
    assert_eq!((report.messages, report.lost.len(), report.unreceived.len()), (2, 1, 1));
}

#[test]
fn real_time_has_the_same_modeled_times() {
    let program = |node: &Node<'_>| {
        let world = node.world();
        if node.rank() == 1 {
            node.compute(Span::from_millis(1))?;
        }
        failed(node, world.recv(1))
    };
    let virtually = surviving(&mortal(), program).outputs;
    let clock = Clock::RealTime { dilation: Dilation::Fixed(10.0) };
    let machine = faulty(Machine::hockney(1, 4).clock(clock), &["node:1@100us"]);
    assert_eq!(surviving(&machine, program).outputs, virtually);
}

// Threads that are late.

/// Sleeps on the wall clock, so that one thread is behind another.
fn late(millis: u64) {
    std::thread::sleep(std::time::Duration::from_millis(millis));
}

/// A receive from any source that was posted before a death fails at that instant, also if the node was told of the death by a
/// barrier before the network came there.
#[test]
fn a_posted_receive_fails_whoever_is_late() {
    for (first, second) in [(0, 30), (30, 0)] {
        let machine = faulty(Machine::hockney(1, 4), &["node:3@94us"]);
        let run = machine.run_surviving(|node| {
            let world = node.world();
            match node.rank() {
                1 => {
                    late(second);
                    let any = world.irecv(ANY_SOURCE)?;
                    node.compute(Span::from_micros(200))?;
                    let barrier = failed(node, world.barrier())?;
                    let until = Time::ZERO + Span::from_micros(500);
                    let any = failed(node, Request::wait_any_until(&mut [Some(any)], until))?;
                    Ok(vec![barrier, any])
                }
                3 => {
                    node.compute(Span::from_millis(1))?;
                    Ok(Vec::new())
                }
                _ => {
                    late(first);
                    node.compute(Span::from_micros(1))?;
                    Ok(vec![failed(node, world.barrier())?])
                }
            }
        });
        let told = run.unwrap().outputs.swap_remove(1).unwrap();
        let died = "node 3 died at 94 us".to_owned();
        assert_eq!(told, [(died.clone(), 200.0), (died, 200.0)], "{first}, {second}");
    }
}

/// A receive from a dead node fails at its call, also if the network is past its deadline by then.
#[test]
fn a_receive_with_a_deadline_fails_whoever_is_late() {
    for (is_named, sleep) in [(true, 0), (true, 30), (false, 0), (false, 30)] {
        let machine = faulty(Machine::hockney(1, 5), &["node:1@229us"]);
        let run = machine.run_surviving(|node| {
            let world = node.world();
            match node.rank() {
                1 => node.compute(Span::from_millis(1))?,
                2 => {
                    node.compute(Span::from_micros(300))?;
                    node.now()?;
                    late(sleep);
                    let until = Time::ZERO + Span::from_micros(323);
                    let received = match is_named {
                        true => world.recv_until(1, until),
                        false => world.recv_until(ANY_SOURCE, until),
                    };
                    return Ok(Some(failed(node, received)?));
                }
                3 => {
                    node.compute(Span::from_micros(275))?;
                    world.send(4, [0_u8; 10])?;
                }
                4 => drop(world.recv(3)?),
                _ => {}
            }
            Ok(None)
        });
        let told = run.unwrap().outputs.swap_remove(2).unwrap();
        assert_eq!(told, Some(("node 1 died at 229 us".to_owned(), 300.0)), "{sleep}");
    }
}

/// A node that dies at 0 s is dead from the start: its calls fail with its own death, and it has no output, whatever its program does.
#[test]
fn a_node_can_be_dead_from_the_start() {
    type Program = fn(&Node<'_>) -> Result<(), CommError>;
    let programs: [Program; 5] = [
        |node| node.world().barrier(),
        |node| match node.world().all_reduce(&mut 1_u64, Sum) {
            Err(CollectiveError::Comm(error)) => Err(error),
            other => panic!("{other:?}"),
        },
        |node| node.now().map(drop),
        |node| if node.rank() == 2 { node.world().recv(0).map(drop) } else { Ok(()) },
        |_| Ok(()),
    ];
    let barrier = Parameters::paragon().to_builder().barrier(5e-6).build().unwrap();
    for (nth, program) in programs.iter().enumerate() {
        for builder in [Machine::paragon(2, 2), Machine::paragon(2, 2).parameters(barrier.clone())] {
            let machine = faulty(builder, &["node:2@0us"]);
            // Kept outside of the run, which ignores the results of dead nodes.
            let of_dead = Mutex::new(Ok(()));
            let run = machine.run_surviving(|node| {
                let result = program(node);
                if node.rank() == 2 {
                    *of_dead.lock().unwrap() = result.clone();
                }
                Ok(result)
            });
            let died = if nth < 4 { Err(CommError::Died { at: Time::ZERO }) } else { Ok(()) };
            assert_eq!(of_dead.into_inner().unwrap(), died, "program {nth}");
            let other = if nth < 2 { Err(CommError::NodeDied { rank: 2, at: Time::ZERO }) } else { Ok(()) };
            let expected = [Some(other.clone()), Some(other.clone()), None, Some(other)];
            assert_eq!(run.unwrap().outputs, expected, "program {nth}");
            let run = machine.run(|node| Ok(drop(program(node))));
            let Err(RunError::NodesDied(dead)) = run else { panic!("program {nth}: {run:?}") };
            assert_eq!(dead, [(2, Time::ZERO)], "program {nth}");
        }
    }
}

/// Two nodes die when they have computed, at the beginning of a barrier: each gets its own death, and not that of the other one.
#[test]
fn a_call_that_fails_at_the_death_of_its_node_is_the_death() {
    let machine = faulty(Machine::hockney(1, 4), &["node:1@100us", "node:2@100us"]);
    let errors = Mutex::new(BTreeMap::new());
    let run = machine.run_surviving(|node| {
        node.compute(Span::from_micros(100))?;
        let error = node.world().barrier().unwrap_err();
        errors.lock().unwrap().insert(node.rank(), error);
        Ok(())
    });
    assert_eq!(run.unwrap().outputs, [Some(()), None, None, Some(())]);
    let at = Time::ZERO + Span::from_micros(100);
    let (other, own) = (CommError::NodeDied { rank: 1, at }, CommError::Died { at });
    let expected = [(0, other.clone()), (1, own.clone()), (2, own), (3, other)];
    assert_eq!(errors.into_inner().unwrap(), BTreeMap::from(expected));
}

/// A dead node is not counted among those that have returned.
#[test]
fn a_deadlock_tells_the_dead_from_those_that_returned() {
    for sleep in [0, 30] {
        let machine = faulty(Machine::hockney(1, 4), &["node:2@0us"]);
        let run = machine.run_surviving(|node| {
            match node.rank() {
                0 => drop(node.world().recv(1)?),
                1 => drop(node.world().recv(0)?),
                2 => {
                    late(sleep);
                    node.compute(Span::from_micros(1))?;
                }
                _ => {}
            }
            Ok(())
        });
        let Err(RunError::Deadlock(report)) = run else { panic!("no deadlock: {run:?}") };
        assert_eq!((report.blocked.len(), report.returned), (2, vec![3]), "{sleep}");
    }
}
