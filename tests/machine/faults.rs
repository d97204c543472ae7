//! Noise and faults: modeled times worked by hand, who is told of what and when, and that no run hangs.
//!
//! Unless said otherwise o_s = o_r = 65 us, L = hop = 0, beta = 50 ns/byte, k = 1: 1000 bytes take 50 us.

use multicomputer::{
    Dilation, MachineBuilder, Run,
    collective::{Algorithm, Operation, Sum, Task},
    comm::{Active, Handling},
    error::{ConfigError, Failure, RunError},
    model::{Fault, FaultError, Faults, Noise, Parameters},
    prelude::*,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{PATIENCE, outcome, run};

const BYTES: [u8; 1000] = [7; 1000];

fn faults(texts: &[&str]) -> Faults {
    Faults::new(texts.iter().map(|text| text.parse::<Fault>().unwrap()))
}

fn faulty(builder: MachineBuilder, texts: &[&str]) -> Machine {
    builder.faults(faults(texts)).wall_limit(PATIENCE).build().unwrap()
}

fn noisy(first: u64) -> Machine {
    let noise = Noise::new(Span::from_micros(1000), Span::from_micros(10)).unwrap();
    let noise = noise.first(Span::from_micros(first));
    Machine::hockney(1, 4).noise(noise).wall_limit(PATIENCE).build().unwrap()
}

fn micros(time: Time) -> f64 {
    time.as_micros_f64()
}

/// When each node has finished, in microseconds.
fn finished<T>(run: &Run<T>) -> Vec<f64> {
    run.report.nodes.iter().map(|node| micros(node.finished)).collect()
}

/// The error of a call, and the node's clock then in microseconds.
fn failed<T: std::fmt::Debug>(
    node: &Node<'_>,
    result: Result<T, CommError>,
) -> Result<(String, f64), Failure> {
    let error = result.expect_err("the call fails").to_string();
    Ok((error, micros(node.now()?)))
}

fn one_message(node: &Node<'_>) -> Result<(), Failure> {
    match node.rank() {
        0 => node.world().send(1, BYTES)?,
        1 => drop(node.world().recv(0)?),
        _ => {}
    }
    Ok(())
}

// Noise.

#[test]
fn noise_prolongs_computing_and_overheads_but_not_waiting() {
    // From 50 to 60 us every node has noise: node 0 sends from 0 to 50 and from 60 to 75, its bytes move until 125, and node
    // 1, which waited all the time, receives until 190.
    let run_at_50 = run(&noisy(50), one_message);
    assert_eq!(finished(&run_at_50)[..2], [125.0, 190.0]);
    let noise: Vec<f64> = run_at_50.report.nodes.iter().map(|node| node.noise.as_micros_f64()).collect();
    assert_eq!(noise, [10.0, 0.0, 0.0, 0.0]);
    let overhead: Vec<f64> =
        run_at_50.report.nodes.iter().map(|node| node.overhead.as_micros_f64()).collect();
    assert_eq!(overhead[..2], [65.0, 65.0]);
    assert_eq!(run_at_50.report.nodes[1].waiting, Span::from_micros(125));
    // From 120 to 130: the bytes have moved until 115, the receive works from 115 to 120 and from 130 to 190.
    assert_eq!(finished(&run(&noisy(120), one_message))[..2], [115.0, 190.0]);
    // From 65 to 75 no processor works.
    assert_eq!(finished(&run(&noisy(65), one_message))[..2], [115.0, 180.0]);
    // Three periods, at 65, 1065 and 2065.
    let computing = run(&noisy(65), |node| Ok(node.compute(Span::from_micros(2100))?));
    assert_eq!(finished(&computing), [2130.0; 4]);
    assert!(computing.report.nodes.iter().all(|node| node.computing == Span::from_micros(2100)));
}

#[test]
fn noise_prolongs_sendrecv_requests_and_charges() {
    // Both send from 0 to 50 and from 60 to 75, their bytes move until 125, both receive until 190.
    let exchange = run(&noisy(50), |node| {
        if let partner @ 0..2 = 1 - node.rank().min(2) as i64 {
            node.world().sendrecv(partner as usize, BYTES, partner as usize)?;
        }
        Ok(())
    });
    assert_eq!(finished(&exchange)[..2], [190.0, 190.0]);
    // The receive is posted at 0, the message is there at 115, and it is received from 115 to 120 and from 130 to 190.
    let requests = run(&noisy(120), |node| {
        let world = node.world();
        match node.rank() {
            0 => world.wait(world.isend(1, BYTES)?)?,
            1 => world.wait(world.irecv(0)?)?,
            _ => None,
        };
        Ok(())
    });
    assert_eq!(finished(&requests)[..2], [115.0, 190.0]);
}

#[test]
fn a_prediction_has_the_noise_of_the_machine_and_a_plan_does_not() {
    let quiet = Machine::paragon(4, 4).build().unwrap();
    let noise: Noise = "interval=300us,length=40us,distribution=exponential,seed=3".parse().unwrap();
    let machine = Machine::paragon(4, 4).noise(noise).build().unwrap();
    let broadcast = |node: &Node<'_>| Ok(node.world().broadcast(0, &mut [0_u8; 20_000])?);
    let (quietly, noisily) = (run(&quiet, broadcast), run(&machine, broadcast));
    assert!(noisily.report.modeled > quietly.report.modeled);
    assert_eq!(run(&machine, broadcast).report, noisily.report);
    let plan = |machine: &Machine| {
        let task =
            Task::builder(machine.description(), Operation::Broadcast).elements(20_000).build().unwrap();
        Algorithm::AUTO.plan(&task).unwrap()
    };
    assert_eq!(plan(&machine).prediction().modeled, quietly.report.modeled);
    let schedule = plan(&machine).schedule().clone();
    let predicted = multicomputer::plan::predict(machine.description(), &schedule).unwrap();
    assert_eq!(predicted.modeled, noisily.report.modeled);
}

#[test]
fn noise_can_be_explained() {
    let noise: Noise = "interval=300us,length=40us,distribution=exponential,seed=3".parse().unwrap();
    let machine = Machine::paragon(4, 4).noise(noise).trace(true).build().unwrap();
    let run = run(&machine, |node| Ok(node.world().broadcast(0, &mut [0_u8; 20_000])?));
    let path = run.critical_path().unwrap();
    assert_eq!(path.span(), run.report.modeled.since_start());
}

// Slow links.

#[test]
fn a_link_that_becomes_slow_slows_what_is_under_way() {
    let line = || Machine::hockney(1, 4);
    // 500 bytes until 90 us, and 500 at half the speed.
    assert_eq!(finished(&run(&faulty(line(), &["slow:0->1:0.5@90us"]), one_message))[..2], [140.0, 205.0]);
    // 200 bytes until 75, 200 until 95, and 600 at full speed again.
    let for_a_while = faulty(line(), &["slow:0-1:0.5@75us", "slow:0-1:1@95us"]);
    assert_eq!(finished(&run(&for_a_while, one_message))[..2], [125.0, 190.0]);
    // From the start on; the other direction is another link.
    assert_eq!(finished(&run(&faulty(line(), &["slow:0-1:0.25@0s"]), one_message))[..2], [265.0, 330.0]);
    assert_eq!(finished(&run(&faulty(line(), &["slow:1->0:0.25@0s"]), one_message))[..2], [115.0, 180.0]);
    // A link with spare capacity: k = 2.
    let spare = Parameters::hockney().to_builder().link_excess(2.0).build().unwrap();
    let spare = faulty(line().parameters(spare), &["slow:0->1:0.5@0s"]);
    assert_eq!(finished(&run(&spare, one_message))[..2], [115.0, 180.0]);
}

#[test]
fn others_take_what_a_slowed_flow_leaves() {
    // 0 -> 2 and 1 -> 3 share link 1 -> 2, each at half the speed, until 85 us: 200 bytes each. Then 0 -> 2 has a quarter,
    // and ends 160 us later; 1 -> 3 has three quarters for its 800 bytes, and ends after 53.333 us.
    let machine = faulty(Machine::hockney(1, 4), &["slow:0->1:0.25@85us"]);
    let run = run(&machine, |node| {
        let rank = node.rank();
        if rank < 2 {
            node.world().send(rank + 2, BYTES)?
        } else {
            drop(node.world().recv(rank - 2)?)
        }
        Ok(())
    });
    assert_eq!(finished(&run), [245.0, 138.333333, 310.0, 203.333333]);
}

// Dead links.

#[test]
fn messages_take_detours_around_dead_links() {
    let hops = Parameters::hockney().to_builder().hop(1e-6).build().unwrap();
    let mesh = || Machine::hockney(2, 2).parameters(hops.clone());
    let of = |texts: &[&str]| {
        let run = run(&faulty(mesh(), texts), one_message);
        let links: Vec<String> = run.report.links.iter().map(|link| link.link.to_string()).collect();
        (finished(&run)[..2].to_vec(), links)
    };
    let direct = (vec![115.0, 181.0], vec!["node 0 -> node 1".to_owned()]);
    let around = ["node 2 -> node 3", "node 0 -> node 2", "node 3 -> node 1"].map(String::from).to_vec();
    assert_eq!(of(&["dead:0->1@0s"]), (vec![115.0, 183.0], around.clone()));
    // It takes its port at 65 us, when the link has just died.
    assert_eq!(of(&["dead:0->1@65us"]), (vec![115.0, 183.0], around));
    // It has left at 115 us, when the link dies.
    assert_eq!(of(&["dead:0->1@115us"]), direct);
    assert_eq!(of(&["dead:1->0@0s"]), direct);
}

#[test]
fn a_message_over_a_dead_link_without_a_detour_fails() {
    let error = "the message from node 0 to node 1 was lost: the link node 0 -> node 1 died at 1 us";
    let none = faults(&["dead:0-1@1us"]).detours(false);
    let machine = Machine::hockney(2, 2).faults(none).build().unwrap();
    let line = faulty(Machine::hockney(1, 4), &["dead:0-1@1us"]);
    for machine in [machine, line] {
        let run = run(&machine, |node| match node.rank() {
            0 => {
                let first = failed(node, node.world().send(1, BYTES))?;
                let request = node.world().isend(1, BYTES)?;
                Ok(vec![first, failed(node, node.world().wait(request))?])
            }
            _ => Ok(Vec::new()),
        });
        // When it would take its port.
        assert_eq!(run.outputs[0], [(error.to_owned(), 65.0), (error.to_owned(), 130.0)]);
        let lost: Vec<_> =
            run.report.lost.iter().map(|lost| (lost.to, lost.bytes, micros(lost.at))).collect();
        assert_eq!(lost, [(1, 1000, 65.0), (1, 1000, 130.0)]);
        assert!(run.report.to_string().contains("lost"), "{}", run.report);
        match outcome(&machine, &one_message) {
            Err(RunError::Node { rank: 0, source }) => assert_eq!(source.to_string(), error),
            other => panic!("{:?}", other.map(|run| run.report)),
        }
    }
}

#[test]
fn a_message_is_lost_on_a_link_that_dies_under_it() {
    let error =
        "the message from node 0 to node 1 was lost: the link node 0 -> node 1 died at 90 us".to_owned();
    let machine = faulty(Machine::hockney(1, 4), &["dead:0-1@90us"]);
    let run = run(&machine, |node| {
        let world = node.world();
        match node.rank() {
            0 => Ok(vec![failed(node, world.send((1, Tag(3)), BYTES))?]),
            1 => {
                // Before it was lost, and then what nobody sends any more.
                let first = failed(node, world.recv((0, Tag(3))))?;
                let none = failed(node, world.recv_until(0, Time::ZERO + Span::from_micros(100)))?;
                Ok(vec![first, none])
            }
            _ => Ok(Vec::new()),
        }
    });
    assert_eq!(run.outputs[0], [(error.clone(), 90.0)]);
    assert_eq!(run.outputs[1][0], (error.clone(), 90.0));
    assert_eq!(run.outputs[1][1].1, 100.0);
    assert_eq!((run.report.lost.len(), run.report.unreceived.len()), (1, 0));
    // Looked for later, by a receive, a request, a probe and from any source.
    for what in 0..4 {
        let late = self::run(&machine, |node| {
            let world = node.world();
            match node.rank() {
                0 => failed(node, world.send(1, BYTES)),
                1 => {
                    node.compute(Span::from_micros(200))?;
                    match what {
                        0 => failed(node, world.recv(0)),
                        1 => failed(node, world.wait(world.irecv(0)?)),
                        2 => failed(node, world.probe(0)),
                        _ => failed(node, world.recv(ANY_SOURCE)),
                    }
                }
                _ => Ok(Default::default()),
            }
        });
        assert_eq!(late.outputs[1], (error.clone(), 200.0), "{what}");
    }
}

#[test]
fn a_sendrecv_fails_with_the_first_of_its_halves() {
    // 0 and 1 exchange; what goes to 1 is lost at 90 us, what goes to 0 leaves at 115 and can be received afterwards.
    let machine = faulty(Machine::hockney(1, 2), &["dead:0->1@90us"]);
    let run = run(&machine, |node| {
        let partner = 1 - node.rank();
        let failure = failed(node, node.world().sendrecv(partner, BYTES, partner))?;
        if node.rank() == 0 {
            node.world().recv(1)?;
        }
        Ok(failure.1)
    });
    assert_eq!(run.outputs, [90.0, 90.0]);
    assert_eq!(finished(&run), [180.0, 90.0]);
}

// Dead nodes.

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
                Ok(vec![failed(node, world.wait(posted))?])
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
                let length = world.wait(first)?.map(|message| message.len());
                let received = micros(node.now()?);
                Ok((length, received, failed(node, world.wait(second))?))
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
        let mut sum = [rank as u64];
        let combine = match node.world().combine_all(&mut sum, Sum) {
            Err(error) => (error.to_string(), micros(node.now()?)),
            Ok(()) => panic!("node 1 is dead"),
        };
        // And those that are left can go on.
        let left = node.world().subgroup(&[0, 2, 3])?;
        left.combine_all(&mut sum, Sum)?;
        Ok((barrier, combine, sum[0]))
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
        match node.world().collect(&[node.rank() as u8; 1000], [1000; 4]) {
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

#[test]
fn a_run_in_which_a_node_dies_is_an_error_that_names_it() {
    let error = |program: &(dyn Fn(&Node<'_>) -> Result<(), Failure> + Sync)| {
        outcome(&mortal(), program).map(|_| ()).unwrap_err().to_string()
    };
    let all_compute = error(&|node| Ok(node.compute(Span::from_millis(1))?));
    assert_eq!(all_compute, "node 1 died at 100 us; all other programs have returned");
    let needed = error(&|node| match node.rank() {
        1 => Ok(node.compute(Span::from_millis(1))?),
        2 => {
            node.world().recv(1)?;
            Ok(())
        }
        _ => Ok(()),
    });
    assert_eq!(needed, "node 2 failed: node 1 died at 100 us");
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
        node.world().wait(node.world().irecv(0)?)?;
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
    // What node 1 does, when its noise of 10 us begins, when it dies, and how long it has computed, sent or received, waited and
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
fn noise_prolongs_what_active_messages_interrupt() {
    // Noise from 200 to 250 us. Node 0 handles a message at once: sent from 0 to 65 us, it is there after 16 bytes, 0.8 us,
    // and takes 65; node 0 computes 65.8 before, and the other 234.2 from 130.8 to 200 and from 250 to 415.
    let noise =
        Noise::new(Span::from_millis(1), Span::from_micros(50)).unwrap().first(Span::from_micros(200));
    let machine = Machine::hockney(1, 2).noise(noise).build().unwrap();
    let run = run(&machine, |node| {
        let active = Active::new(node.world(), Handling::AtOnce, |_, _| {})?;
        match node.rank() {
            0 => active.compute(Span::from_micros(300))?,
            _ => active.send(0, [1, 2])?,
        }
        Ok(())
    });
    assert_eq!(finished(&run), [415.0, 65.0]);
    let zero = &run.report.nodes[0];
    assert_eq!((zero.computing, zero.noise), (Span::from_micros(300), Span::from_micros(50)));
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

// Faults that cannot be.

#[test]
fn impossible_faults_are_refused() {
    let built = Machine::hockney(1, 2).faults(faults(&["dead:0-5@1ms"])).build();
    assert!(matches!(built, Err(ConfigError::Fault(FaultError::Link { .. }))));
    let host = Machine::host(2).faults(faults(&["node:0@1ms"])).build().unwrap_err();
    assert_eq!(
        host.to_string(),
        "a machine under the host's clock cannot have faults, which are modeled; allowed are virtual and real time"
    );
    let noise = Noise::new(Span::from_millis(1), Span::from_micros(1)).unwrap();
    assert!(matches!(Machine::host(2).noise(noise).build(), Err(ConfigError::Unmodeled("noise"))));
}

// Random programs.

/// The story of each node: texts of what it received and of its errors, each with its clock.
type Story = Result<(Vec<Option<Vec<(String, Time)>>>, String), String>;

/// A run's story, which must have an end.
fn story(
    machine: &Machine,
    program: impl Fn(&Node<'_>) -> Result<Vec<(String, Time)>, Failure> + Sync,
) -> Story {
    match machine.run_surviving(program) {
        Ok(run) => {
            // Also of the dead: all that a node did and did not takes the time of its life.
            for node in &run.report.nodes {
                let spans = [node.computing, node.overhead, node.waiting, node.noise];
                assert_eq!(spans.into_iter().sum::<Span>(), node.finished.since_start(), "{node:?}");
            }
            Ok((run.outputs, run.report.to_string()))
        }
        Err(error @ RunError::WallLimit { .. }) => panic!("it hangs: {error}"),
        Err(error) => Err(error.to_string()),
    }
}

/// A node's messages to some nodes and from others, at random, whatever errors there are.
fn chatter(seed: u64) -> impl Fn(&Node<'_>) -> Result<Vec<(String, Time)>, Failure> + Sync {
    move |node| {
        let (world, rank, size) = (node.world(), node.rank(), node.size());
        let mut random = ChaCha8Rng::seed_from_u64(seed * 100 + rank as u64);
        let mut story = Vec::new();
        let mut requests = Vec::new();
        for _ in 0..12 {
            let (other, bytes) = (random.random_range(0..size), random.random_range(0..3000));
            let data = vec![1_u8; bytes];
            let met = match random.random_range(0..12) {
                0..3 => world.send(other, &data[..]).map(|()| "sent".to_owned()),
                3 => world.recv(other).map(|message| format!("{} from {}", message.len(), message.source)),
                4 => {
                    world.recv(ANY_SOURCE).map(|message| format!("{} from {}", message.len(), message.source))
                }
                5 => world.isend(other, &data[..]).map(|request| {
                    requests.push(request);
                    "started".to_owned()
                }),
                6 => world.irecv(if bytes < 1500 { Select::from(other) } else { ANY_SOURCE.into() }).map(
                    |request| {
                        requests.push(request);
                        "posted".to_owned()
                    },
                ),
                7 if !requests.is_empty() => {
                    world.wait_any(&mut requests).map(|(nth, _)| format!("request {nth}"))
                }
                8 => {
                    let deadline = node.now()? + Span::from_micros(bytes as u64);
                    world.recv_until(other, deadline).map(|message| format!("{} in time", message.len()))
                }
                9 => {
                    world.sendrecv(other, &data[..], (rank + size - 1) % size).map(|_| "exchanged".to_owned())
                }
                10 => world.try_probe(ANY_SOURCE).map(|found| format!("{found:?}")),
                _ => node.compute(Span::from_micros(bytes as u64 / 10)).map(|()| "computed".to_owned()),
            };
            match met {
                Err(error @ (CommError::Deadlock | CommError::Ended | CommError::Died { .. })) => {
                    return Err(error.into());
                }
                met => story.push((met.unwrap_or_else(|error| error.to_string()), node.now()?)),
            }
        }
        Ok(story)
    }
}

/// Rounds of library calls of all nodes and of rows, barriers, and a ring of neighbours, whatever errors there are.
fn rounds(node: &Node<'_>) -> Result<Vec<(String, Time)>, Failure> {
    let (world, row, rank, size) = (node.world(), node.row()?, node.rank(), node.size());
    let mut story = Vec::new();
    for round in 0..4_u64 {
        node.compute(Span::from_micros(17 * round * (rank as u64 + 1)))?;
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        let mut sum = [rank as u64];
        let met = [
            world.combine_all(&mut sum, Sum).map(|()| sum[0]).map_err(|error| error.to_string()),
            world
                .sendrecv(right, BYTES, left)
                .map(|message| message.len())
                .map_err(|error| error.to_string()),
            row.collect(&[rank as u64], [1; 3])
                .map(|all| all.iter().sum())
                .map_err(|error| error.to_string()),
            world.barrier().map(|()| 0).map_err(|error| error.to_string()),
        ];
        for met in met {
            story.push((format!("{met:?}"), node.now()?));
        }
    }
    Ok(story)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Tests that random programs on machines with random faults end, and alike in every run.
    #[test]
    fn random_programs_with_random_faults_end_alike(
        seed in 0_u64..1_000_000,
        nodes in prop::collection::vec((0_usize..6, 0_u64..1500), 0..3),
        links in prop::collection::vec((0_usize..7, 0_u64..1500, prop::bool::ANY), 0..4),
        detours in prop::bool::ANY,
        ties in prop::bool::ANY,
        noise in prop::option::of(1_u64..100),
    ) {
        const ENDS: [&str; 7] = ["0-1", "1-2", "3-4", "4-5", "0-3", "1-4", "2->5"];
        let dying = nodes.iter().map(|(rank, at)| format!("node:{rank}@{at}us"));
        let cut = links.iter().map(|&(nth, at, is_slow)| match is_slow {
            true => format!("slow:{}:0.3@{at}us", ENDS[nth]),
            false => format!("dead:{}@{at}us", ENDS[nth]),
        });
        let texts: Vec<String> = dying.chain(cut).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        // Where nothing but bytes takes time, much happens at one instant.
        let parameters = if ties {
            Parameters::builder().beta(100e-9).barrier(0.0).build().unwrap()
        } else {
            Parameters::hockney().to_builder().latency(7e-6).hop(1e-6).exchange_overhead(3e-6).build().unwrap()
        };
        let machine = Machine::mesh(2, 3).parameters(parameters).faults(faults(&texts).detours(detours));
        let machine = match noise {
            Some(length) => {
                let noise = Noise::new(Span::from_micros(150), Span::from_micros(length)).unwrap();
                machine.noise(noise.seed(seed))
            }
            None => machine,
        };
        let machine = machine.wall_limit(PATIENCE).build().unwrap();
        let first = story(&machine, chatter(seed));
        prop_assert_eq!(&story(&machine, chatter(seed)), &first);
        prop_assert_eq!(&story(&machine, chatter(seed)), &first);
        let first = story(&machine, rounds);
        prop_assert_eq!(&story(&machine, rounds), &first);
        prop_assert_eq!(&story(&machine, rounds), &first);
    }
}

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
                    let any = failed(node, world.wait_any_until(&mut vec![any], until))?;
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

/// Whoever fails in the first part of an exchange makes the next call under the number that it has on the others.
#[test]
fn calls_after_an_exchange_with_a_dead_member_are_still_the_same() {
    for died in [420, 497, 525, 602, 651] {
        let machine = faulty(Machine::hockney(1, 10), &[&format!("node:2@{died}us")]);
        let run = machine.run_surviving(|node| {
            let (world, rank) = (node.world(), node.rank());
            node.compute(Span::from_micros(((rank * 37) % 8 * 30) as u64))?;
            let exchanged = world.exchange(&vec![vec![1_u8; 100 * (rank + 1)]; 10]).map(drop);
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

/// What had come for a `sendrecv` that did not end is a message that nobody received.
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
