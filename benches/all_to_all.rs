//! How fast the host plans and carries out many-to-many communication, and how fast active messages are handled, in
//! virtual time. `benches/README.md` says how to read the figures.

use std::{cell::Cell, time::Duration};

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use multicomputer::{
    Machine, Payload,
    all_to_all::{Algorithm, Generator, Instance},
    comm::{Active, Handling},
    model::MachineSpec,
    prelude::*,
};

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .nresamples(10_000)
        .without_plots()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = choice, exchanges, questions
}
criterion_main!(benches);

/// A group of workloads that are measured as they are.
fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    group
}

/// Every node sends 64 KiB to so many others, most of it to one.
fn instance(machine: &str, fan_out: usize) -> Instance {
    let machine: MachineSpec = machine.parse().unwrap_or_else(|error| panic!("{error}"));
    let generator = Generator {
        nodes: machine.nodes(),
        fan_out,
        traffic: 64 << 10,
        nonuniformity: 1.0 / fan_out as f64,
        seed: 1,
    };
    let matrix = generator.matrix().unwrap_or_else(|error| panic!("{error}"));
    Instance::new(&machine, matrix).unwrap_or_else(|error| panic!("{error}"))
}

/// What *Auto* takes to choose for a matrix that it has not seen.
fn choice(criterion: &mut Criterion) {
    let mut group = group(criterion, "choice of an exchange");
    for (machine, nodes) in [("cm5:32", 32), ("paragon:8x8", 64), ("cm5:256", 256)] {
        for fan_out in [4, nodes] {
            let instance = instance(machine, fan_out);
            group.bench_function(format!("{machine}, fan-out {fan_out}"), |bencher| {
                bencher.iter(|| Algorithm::AUTO.plan(&instance));
            });
        }
    }
}

/// Whole runs of 32 nodes that exchange once, by rounds and by asking; messages per second.
fn exchanges(criterion: &mut Criterion) {
    let mut group = group(criterion, "an exchange of 32 nodes");
    let instance = instance("cm5:32", 32);
    let machine =
        Machine::builder(instance.machine().clone()).build().unwrap_or_else(|error| panic!("{error}"));
    for algorithm in [Algorithm::COLORED, Algorithm::RANDOM] {
        let plan = algorithm.plan(&instance).unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        let exchange = || {
            machine.run(|node| {
                let row = plan.instance().matrix().row(node.rank()).iter();
                plan.carry_out(node.world(), row.map(|&bytes| Payload::phantom(bytes)).collect())?;
                Ok(())
            })
        };
        let run = exchange().unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        eprintln!("{algorithm}: {} messages, modeled {}", run.report.messages, run.report.makespan);
        group.throughput(Throughput::Elements(run.report.messages));
        group.bench_function(algorithm.name(), |bencher| bencher.iter(exchange));
    }
}

/// Active messages that are answered: one node asks, or 31 ask the same one; questions with their answers per second.
fn questions(criterion: &mut Criterion) {
    const QUESTIONS: u64 = 1000;
    const ASK: Tag = Tag(0);
    const ANSWER: Tag = Tag(1);
    let mut group = group(criterion, "questions and answers");
    for nodes in [2, 32] {
        let machine = Machine::cm5(nodes).build().unwrap_or_else(|error| panic!("{error}"));
        let all = QUESTIONS * (nodes as u64 - 1);
        let ask = || {
            machine.run(|node| {
                let (asked, answers) = (Cell::new(0), Cell::new(0));
                let active = Active::new(node.world(), Handling::Polled, |reactions, message| {
                    if message.tag == ASK {
                        asked.set(asked.get() + 1);
                        reactions.send((message.source, ANSWER), message.words);
                    } else {
                        answers.set(answers.get() + 1);
                    }
                })?;
                if node.rank() == 0 {
                    return Ok(active.wait_while(|| asked.get() < all)?);
                }
                for question in 0..QUESTIONS {
                    active.send((0, ASK), [question, 0])?;
                    active.wait_while(|| answers.get() == question)?;
                }
                Ok(())
            })
        };
        let run = ask().unwrap_or_else(|error| panic!("{nodes} nodes: {error}"));
        eprintln!("{nodes} nodes: {} messages, modeled {}", run.report.messages, run.report.makespan);
        group.throughput(Throughput::Elements(all));
        group.bench_function(format!("{nodes} nodes"), |bencher| bencher.iter(ask));
    }
}
