//! In virtual time a run is the same, bit for bit, whatever the host does to the threads.

use std::{thread, time::Duration};

use multicomputer::{Payload, Pinning, error::Failure, model::Parameters, prelude::*};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{PATIENCE, disturbance::Disturbance};

const RUNS: u64 = 20;

/// Everything that can be told of a run.
#[derive(PartialEq)]
struct Story {
    report: String,
    trace: Vec<u8>,
    outputs: Vec<Vec<(Time, u64)>>,
}

/// Uneven times everywhere, so that nothing is decided by luck, and o_x so that overlaps matter.
fn machine(pinning: Pinning, ports: u32) -> Machine {
    let parameters = Parameters::builder()
        .send_overhead(11e-6)
        .receive_overhead(17e-6)
        .exchange_overhead(5e-6)
        .latency(3e-6)
        .hop(0.7e-6)
        .beta(13e-9)
        .duplex(1.7)
        .ports(ports)
        .build()
        .unwrap();
    let machine = Machine::mesh(3, 4).parameters(parameters).pinning(pinning).trace(true);
    machine.wall_limit(PATIENCE).build().unwrap()
}

/// Rounds in which every node sends to some that all work out alike, and receives what is for it in a way drawn by
/// itself; what it draws depends on what it has received and on its clock, so that a difference would spread.
fn program(node: &Node<'_>, disturbance: &Disturbance) -> Result<Vec<(Time, u64)>, Failure> {
    let (world, rank, size) = (node.world(), node.rank(), node.size());
    let row = node.row()?;
    let mut own = ChaCha8Rng::seed_from_u64(rank as u64);
    let mut seen = Vec::new();
    for round in 0..6_u64 {
        let _phase = node.phase(if round % 2 == 0 { "even" } else { "odd" })?;
        // The same on every node: who sends how much to whom in this round.
        let mut common = ChaCha8Rng::seed_from_u64(1000 + round);
        let letters: Vec<(Rank, Rank, u64)> = (0..20)
            .map(|_| {
                (common.random_range(0..size), common.random_range(0..size), common.random_range(0..3000))
            })
            .collect();
        let tag = Tag(round as u32);
        let mut sends = Vec::new();
        for &(_, to, bytes) in letters.iter().filter(|letter| letter.0 == rank) {
            disturbance.strike();
            if own.random_bool(0.5) {
                sends.push(world.isend((to, tag), Payload::phantom(bytes))?);
            } else {
                world.send((to, tag), Payload::phantom(bytes))?;
            }
        }
        let expected = letters.iter().filter(|letter| letter.1 == rank).count();
        let mut posted = Vec::new();
        let mut got = Vec::new();
        for _ in 0..expected {
            disturbance.strike();
            match own.random_range(0..6) {
                0 => posted.push(Some(world.irecv((ANY_SOURCE, tag))?)),
                1 if posted.is_empty() => {
                    let status = world.probe((ANY_SOURCE, tag))?;
                    let message = world.recv((status.source, tag))?;
                    assert_eq!(message.status(), status);
                    got.push(message);
                }
                2 if posted.is_empty() => {
                    while world.try_probe((ANY_SOURCE, tag))?.is_none() {
                        disturbance.strike();
                        node.compute(Span::from_nanos(own.random_range(500..20_000)))?;
                    }
                    got.push(world.recv((ANY_SOURCE, tag))?);
                }
                3 => {
                    let deadline = node.now()? + Span::from_micros(own.random_range(0..100));
                    match world.recv_until((ANY_SOURCE, tag), deadline) {
                        Ok(message) => got.push(message),
                        Err(CommError::DeadlinePassed { .. }) => {
                            posted.push(Some(world.irecv((ANY_SOURCE, tag))?));
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                _ => got.push(world.recv((ANY_SOURCE, tag))?),
            }
            if let Some(last) = got.last() {
                node.compute(Span::from_nanos(100 * (1 + last.source as u64) + last.len()))?;
            }
        }
        while let Some(request) = posted.pop().flatten() {
            disturbance.strike();
            if own.random_bool(0.5) {
                posted.push(Some(request));
                let (index, message) = Request::wait_any(&mut posted)?;
                posted.remove(index);
                got.push(message);
            } else {
                match request.test()? {
                    Tested::Complete(message) => got.push(message),
                    Tested::Pending(request) => got.push(request.wait()?),
                }
            }
        }
        assert_eq!(got.len(), expected);
        // Named receives and an exchange along the row, with what has been received.
        let (right, left) = ((row.rank() + 1) % row.size(), (row.rank() + row.size() - 1) % row.size());
        let sum: u64 =
            got.iter().enumerate().map(|(i, m)| (i as u64 + 1) * (m.source as u64 * 5000 + m.len())).sum();
        let passed = row.sendrecv(right, [sum, own.random::<u64>()], left)?.to_vec::<u64>()?;
        own = ChaCha8Rng::seed_from_u64(passed[0] ^ passed[1] ^ rank as u64);
        disturbance.strike();
        seen.push((node.now()?, sum ^ own.next_u64()));
        Request::wait_all(sends)?;
        world.barrier()?;
        seen.push((node.now()?, got.len() as u64));
    }
    Ok(seen)
}

fn story(run: u64, pinning: Pinning, ports: u32) -> Story {
    let run = machine(pinning, ports).run(|node| program(node, &Disturbance::new(run, node.rank()))).unwrap();
    let mut trace = Vec::new();
    run.write_trace(&mut trace).unwrap();
    Story { report: serde_json::to_string(&run.report).unwrap(), trace, outputs: run.outputs }
}

#[test]
fn twenty_disturbed_runs_are_one_and_the_same() {
    for ports in [1, 2] {
        let first = story(0, Pinning::None, ports);
        assert!(first.report.len() > 1000 && first.trace.len() > 10_000);
        for run in 1..RUNS {
            let pinning = [Pinning::None, Pinning::OneCore, Pinning::Spread][run as usize % 3];
            let other = story(run, pinning, ports);
            assert!(first.outputs == other.outputs, "run {run}, {pinning:?}: other clocks or messages");
            assert_eq!(first.report, other.report, "run {run}, {pinning:?}");
            assert!(first.trace == other.trace, "run {run}, {pinning:?}: another trace");
        }
    }
}

#[test]
fn asking_for_the_time_does_not_change_it() {
    // The same program with a look at the clock after every step, which makes the threads wait for each other.
    let finished = |asking: bool| {
        let run = machine(Pinning::None, 1).run(|node| {
            let (world, rank) = (node.world(), node.rank());
            let mut last = Time::ZERO;
            for step in 1..12 {
                let (to, from) = ((rank + step) % 12, (rank + 12 - step) % 12);
                let posted = world.irecv(from)?;
                world.send(to, Payload::phantom(100 * (rank + step) as u64))?;
                posted.wait()?;
                if asking {
                    let now = node.now()?;
                    assert!(now >= last);
                    last = now;
                }
            }
            Ok(())
        });
        run.unwrap().report.nodes.iter().map(|node| node.finished).collect::<Vec<_>>()
    };
    assert_eq!(finished(true), finished(false));
}

#[test]
fn a_program_that_is_far_ahead_gives_the_same_times_as_one_that_is_held_back() {
    // Ten thousand sends before the receiver's thread begins to receive, or one after the other.
    let finished = |held_back: bool| {
        let run = machine(Pinning::None, 1).run(|node| {
            let world = node.world();
            for i in 0..10_000_u64 {
                match node.rank() {
                    0 => world.send(1, Payload::phantom(i % 100))?,
                    1 => {
                        if i == 0 && held_back {
                            thread::sleep(Duration::from_millis(50));
                        }
                        world.recv(0)?;
                    }
                    _ => break,
                }
            }
            Ok(())
        });
        run.unwrap().report.makespan
    };
    assert_eq!(finished(true), finished(false));
}

#[test]
fn who_asks_for_the_time_does_not_wait_for_what_others_do() {
    // Every node asks, and goes on only when all have been answered: no call of another may be needed for that.
    let answered = std::sync::Barrier::new(4);
    let run = Machine::hockney(1, 4).wall_limit(PATIENCE).build().unwrap().run(|node| {
        let begin = node.now()?;
        answered.wait();
        node.world().barrier()?;
        Ok(begin)
    });
    assert_eq!(run.unwrap().outputs, [Time::ZERO; 4]);
}
