//! How fast the host carries out and plans collective operations, in virtual time, and what a call costs that has been
//! made before. `benches/README.md` says how to read the figures.

use std::{hint::black_box, time::Duration};

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use multicomputer::{
    Machine,
    collective::{Algorithm, Collective, CollectiveError, Job, Max, Operation, Sum, Task},
    model::MachineSpec,
    prelude::{Failure, Group, Node, Payload},
};

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .nresamples(10_000)
        .without_plots()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = operations, choice, calls, lookup
}
criterion_main!(benches);

/// A group of workloads that are measured as they are.
fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    group
}

/// Each operation over 8 x 8 nodes, by *Auto*, planned beforehand: vectors of three lengths, and phantom ones of the
/// last.
fn operations(criterion: &mut Criterion) {
    let machine = Machine::paragon(8, 8).build().unwrap_or_else(|error| panic!("{error}"));
    for operation in Operation::ALL {
        let mut group = group(criterion, operation.name());
        for (name, bytes, calls) in [("8 B", 8, 100), ("64 KiB", 64 << 10, 8), ("1 MiB", 1 << 20, 1)] {
            group.throughput(Throughput::Elements(calls));
            run(&mut group, name, &machine, |node| {
                (0..calls).try_for_each(|_| Ok(on_slices(node.world(), operation, bytes)?))
            });
        }
        let calls = 8;
        group.throughput(Throughput::Elements(calls));
        run(&mut group, "1 MiB, phantom", &machine, |node| {
            (0..calls).try_for_each(|_| Ok(on_phantoms(node.world(), operation, 1 << 20)?))
        });
    }
}

/// Measures runs of a program; the first one, which plans, is not measured.
fn run(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    machine: &Machine,
    program: impl Fn(&Node<'_>) -> Result<(), Failure> + Sync,
) {
    machine.run(&program).unwrap_or_else(|error| panic!("{name}: {error}"));
    group.bench_function(name, |bencher| bencher.iter(|| machine.run(&program)));
}

/// What of a vector of so many elements a rank has before an operation.
fn given(world: &Group<'_>, operation: Operation, elements: usize) -> usize {
    let (rank, size) = (world.rank(), world.size());
    match operation {
        Operation::Broadcast | Operation::Scatter if rank > 0 => 0,
        Operation::Gather | Operation::AllGather => elements * (rank + 1) / size - elements * rank / size,
        _ => elements,
    }
}

/// One call on doubles, with root 0.
fn on_slices(world: &Group<'_>, operation: Operation, bytes: usize) -> Result<(), CollectiveError> {
    let elements = bytes / 8;
    let mut x = vec![1.0_f64; given(world, operation, elements)];
    match operation {
        Operation::Broadcast => {
            x.resize(elements, 0.0);
            world.broadcast(0, &mut x)
        }
        Operation::Scatter => world.scatter(0, &x, elements).map(drop),
        Operation::Gather => world.gather(0, &x, elements).map(drop),
        Operation::AllGather => world.all_gather(&x, elements).map(drop),
        Operation::Reduce => world.reduce(0, &mut x, Sum),
        Operation::AllReduce => world.all_reduce(&mut x, Sum),
        Operation::ReduceScatter => world.reduce_scatter(&x, elements, Sum).map(drop),
        Operation::Scan => world.scan(&mut x, Sum),
        other => unreachable!("{other} is not measured"),
    }
}

/// The same without data.
fn on_phantoms(world: &Group<'_>, operation: Operation, bytes: usize) -> Result<(), CollectiveError> {
    let elements = bytes / 8;
    let request = Job::of::<f64>(operation, 0, elements);
    let mine = Payload::phantom(8 * given(world, operation, elements) as u64);
    let result = if operation.combines() {
        world.combine::<f64>(&request, mine, &Sum)
    } else {
        world.carry_out(&request, mine)
    };
    result.map(drop)
}

/// What *Auto* takes to choose for a task that it has not seen.
fn choice(criterion: &mut Criterion) {
    let mut group = group(criterion, "choice");
    for shape in ["16x16", "16x32"] {
        let machine: MachineSpec =
            format!("paragon:{shape}").parse().unwrap_or_else(|error| panic!("{error}"));
        for operation in [Operation::Broadcast, Operation::AllGather, Operation::AllReduce] {
            let task = Task::builder(&machine, operation).elements(8 << 10).element_bytes(8).build();
            let task = task.unwrap_or_else(|error| panic!("{error}"));
            group.bench_function(format!("{operation} of 64 KiB, {shape}"), |bencher| {
                bencher.iter(|| Algorithm::AUTO.plan(&task));
            });
        }
    }
}

/// Many calls in a run, with next to nothing to send: calls per second.
fn calls(criterion: &mut Criterion) {
    const CALLS: u64 = 10_000;
    let mut group = group(criterion, "small calls");
    group.throughput(Throughput::Elements(CALLS));
    for (rows, columns) in [(1, 1), (1, 2)] {
        let machine = Machine::paragon(rows, columns).build().unwrap_or_else(|error| panic!("{error}"));
        run(&mut group, &format!("{rows}x{columns}"), &machine, |node| {
            let mut x = [node.rank() as u64];
            (0..CALLS).try_for_each(|_| Ok(node.world().all_reduce(&mut x, Max)?))
        });
    }
}

/// Finding a plan that is known, among others: the job, the task, the key and the cache; 10,000 times by one node.
fn lookup(criterion: &mut Criterion) {
    const CALLS: u64 = 10_000;
    let mut group = group(criterion, "finding a plan");
    group.throughput(Throughput::Elements(CALLS));
    for (shape, others) in [("1x1", 0), ("8x8", 0), ("16x32", 0), ("16x32", 200)] {
        let machine =
            Machine::builder(format!("paragon:{shape}").parse().unwrap_or_else(|error| panic!("{error}")));
        let machine = machine.build().unwrap_or_else(|error| panic!("{error}"));
        let job = Job::bytes(Operation::Broadcast, 8);
        run(&mut group, &format!("{shape}, {others} other plans"), &machine, |node| {
            if node.rank() > 0 {
                return Ok(());
            }
            for bytes in 9..9 + others {
                node.world().using(&Algorithm::SHORT).plan(&Job::bytes(Operation::Broadcast, bytes))?;
            }
            for _ in 0..CALLS {
                black_box(node.world().plan(black_box(&job))?);
            }
            Ok(())
        });
    }
}
