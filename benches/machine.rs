//! How fast the host runs modeled machines in virtual time: whole runs, with the start and the end of their threads.
//! `benches/README.md` says how to read the figures.

use std::time::Duration;

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use multicomputer::{Machine, Payload, Run, error::ConfigError, model::Parameters, prelude::*};
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

/// Where random placements and permutations begin.
const SEED: u64 = 1995;

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_secs(1));
    targets = handoff, xor_exchange, ring_all_gather, hot_spot, solver, threads
}
criterion_main!(benches);

/// A group of workloads, each iteration of which is one run.
fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    group
}

/// Measures runs of a program that sends so many messages; what one run was goes to standard error.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    messages: usize,
    machine: Result<Machine, ConfigError>,
    program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync,
) {
    let machine = machine.unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut told = false;
    group.throughput(Throughput::Elements(messages as u64));
    group.bench_function(name, |bencher| {
        let mut last = None;
        bencher.iter(|| last = Some(machine.run(&program)));
        match last {
            Some(Ok(run)) if !told => {
                assert_eq!(run.report.messages, messages as u64, "{name}");
                tell(name, &run);
                told = true;
            }
            Some(Err(error)) => panic!("{name}: {error}"),
            _ => {}
        }
    });
}

/// One line on a run: its modeled time, and the work of sharing the network.
fn tell<T>(name: &str, run: &Run<T>) {
    let touched = run.work.touched as f64 / run.work.events.max(1) as f64;
    let (messages, modeled) = (run.report.messages, run.report.makespan);
    eprintln!("\n{name}: {messages} messages in {modeled} modeled, {touched:.2} flows touched an event");
}

/// Nodes 0 and 1 send a message of 8 bytes back and forth. If they are all there are, each may have a core; among many
/// nodes that are done they sleep and are woken.
fn handoff(criterion: &mut Criterion) {
    let mut group = group(criterion, "handoff");
    for (name, (rows, columns), rounds) in [("2 nodes", (1, 2), 50_000), ("2 of 64 nodes", (8, 8), 10_000)] {
        measure(&mut group, name, 2 * rounds, Machine::hockney(rows, columns).build(), |node| {
            let world = node.world();
            for _ in 0..rounds {
                match world.rank() {
                    0 => {
                        world.send(1, Payload::phantom(8))?;
                        world.recv(1)?;
                    }
                    1 => {
                        world.recv(0)?;
                        world.send(0, Payload::phantom(8))?;
                    }
                    _ => {}
                }
            }
            Ok(())
        });
    }
}

/// Every rank exchanges 1 KiB with every other, in step k with rank xor k: once with the ranks in order, and once
/// placed at random.
fn xor_exchange(criterion: &mut Criterion) {
    let mut group = group(criterion, "xor exchange");
    for (rows, columns, rounds) in [(8, 8, 16), (16, 16, 1), (16, 32, 1)] {
        let mut placed: Vec<Rank> = (0..rows * columns).collect();
        let steps = (1..placed.len()).cycle().take(rounds * (placed.len() - 1));
        exchange(&mut group, &format!("{rows}x{columns}"), (rows, columns), &placed, steps.clone());
        placed.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
        exchange(&mut group, &format!("{rows}x{columns} at random"), (rows, columns), &placed, steps);
    }
}

/// These steps of the exchange, with rank `i` on node `placed[i]`.
fn exchange(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    (rows, columns): (usize, usize),
    placed: &[Rank],
    steps: impl Iterator<Item = usize> + Clone + Sync,
) {
    let messages = steps.clone().count() * placed.len();
    measure(group, name, messages, Machine::hockney(rows, columns).build(), |node| {
        let ranks = node.world().subgroup(placed)?;
        for step in steps.clone() {
            let partner = ranks.rank() ^ step;
            ranks.sendrecv(partner, Payload::phantom(1024), partner)?;
        }
        Ok(())
    });
}

/// Blocks of 4 KiB go around a ring of 10 x 10 nodes in rank order, ten times.
fn ring_all_gather(criterion: &mut Criterion) {
    const ROUNDS: usize = 10;
    let size = 100;
    let messages = ROUNDS * size * (size - 1);
    let mut group = group(criterion, "ring all-gather");
    measure(&mut group, "10x10", messages, Machine::hockney(10, 10).build(), |node| {
        let (rank, world) = (node.rank(), node.world());
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        for _ in 0..ROUNDS * (size - 1) {
            world.sendrecv(right, Payload::phantom(4096), left)?;
        }
        Ok(())
    });
}

/// All nodes of 16 x 16 send 1 KiB to node 0, eight times.
fn hot_spot(criterion: &mut Criterion) {
    const ROUNDS: usize = 8;
    let senders = 255;
    let mut group = group(criterion, "hot spot");
    measure(&mut group, "16x16", ROUNDS * senders, Machine::hockney(16, 16).build(), |node| {
        let world = node.world();
        for _ in 0..ROUNDS {
            if world.rank() > 0 {
                world.send(0, Payload::phantom(1024))?;
                continue;
            }
            for sender in 1..=senders {
                world.recv(sender)?;
            }
        }
        Ok(())
    });
}

/// Random permutations of 16 KiB on 16 x 16 nodes, once with links that are shared and once with links so fast that
/// none is full: the difference is the work of sharing them.
fn solver(criterion: &mut Criterion) {
    const STEPS: usize = 64;
    let size = 256;
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let permutations: Vec<(Vec<Rank>, Vec<Rank>)> = (0..STEPS)
        .map(|_| {
            let mut targets: Vec<Rank> = (0..size).collect();
            targets.shuffle(&mut random);
            let mut sources = vec![0; size];
            targets.iter().enumerate().for_each(|(source, &target)| sources[target] = source);
            (targets, sources)
        })
        .collect();
    let mut group = group(criterion, "solver");
    for (name, excess) in [("shared links", 1.0), ("links never full", 1e6)] {
        let parameters = Parameters::hockney().to_builder().link_excess(excess).build();
        let machine = parameters
            .map_err(ConfigError::from)
            .and_then(|parameters| Machine::mesh(16, 16).parameters(parameters).build());
        measure(&mut group, name, STEPS * size, machine, |node| {
            let (rank, world) = (node.rank(), node.world());
            for (targets, sources) in &permutations {
                world.sendrecv(targets[rank], Payload::phantom(16 << 10), sources[rank])?;
            }
            Ok(())
        });
    }
}

/// Nodes that do nothing: the start and the end of their threads, in nodes per second.
fn threads(criterion: &mut Criterion) {
    let mut group = group(criterion, "start and end of threads");
    for (rows, columns) in [(16, 32), (64, 64)] {
        let machine = Machine::hockney(rows, columns).build().unwrap_or_else(|error| panic!("{error}"));
        group.throughput(Throughput::Elements((rows * columns) as u64));
        group.bench_function(format!("{rows}x{columns}"), |bencher| bencher.iter(|| machine.run(|_| Ok(()))));
    }
}
