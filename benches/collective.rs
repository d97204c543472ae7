//! How fast the host carries out and plans collective operations, in virtual time, and what a call costs that has been
//! made before. `benches/README.md` says how to read the figures.

use std::{hint::black_box, time::Duration};

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use multicomputer::{
    Destination, Machine,
    collective::{Algorithm, Collective, CollectiveError, Job, Max, Operation, Sum, Task},
    comm::{Call, Memo},
    model::Description,
    prelude::{CommError, Failure, Group, Message, Node, Payload, PointToPoint, Rank, Select, Span, Tag},
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
fn given(world: &impl PointToPoint, operation: Operation, elements: usize) -> usize {
    let (rank, size) = (world.rank(), world.size());
    match operation {
        Operation::Broadcast | Operation::Scatter if rank > 0 => 0,
        Operation::Gather | Operation::Collect => elements * (rank + 1) / size - elements * rank / size,
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
        Operation::Collect => world.collect(&x, elements).map(drop),
        Operation::CombineToOne => world.combine_one(0, &mut x, Sum),
        Operation::CombineToAll => world.combine_all(&mut x, Sum),
        Operation::DistributedCombine => world.distributed_combine(&x, elements, Sum).map(drop),
        Operation::Scan => world.scan(&mut x, Sum),
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
        let machine: Description =
            format!("paragon:{shape}").parse().unwrap_or_else(|error| panic!("{error}"));
        for operation in [Operation::Broadcast, Operation::Collect, Operation::CombineToAll] {
            let task = Task::builder(&machine, operation).elements(8 << 10).element_bytes(8).build();
            let task = task.unwrap_or_else(|error| panic!("{error}"));
            group.bench_function(format!("{operation} of 64 KiB, {shape}"), |bencher| {
                bencher.iter(|| Algorithm::Auto.plan(&task));
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
            (0..CALLS).try_for_each(|_| Ok(node.world().combine_all(&mut x, Max)?))
        });
    }
}

/// One member's call in a group where all messages are sent to nowhere: the request, the task, finding its plan among
/// those known, and the root's part of it.
fn lookup(criterion: &mut Criterion) {
    let mut group = group(criterion, "a call after the first");
    for shape in ["1x1", "8x8", "16x32"] {
        let alone = Alone::new(shape);
        let size = alone.size();
        let data = Payload::phantom(8);
        // Only the root's own block has any bytes, so that nothing is sent.
        let own: Vec<usize> = (0..size).map(|rank| if rank == 0 { 8 } else { 0 }).collect();
        let requests = [
            ("nothing to send", Job::bytes(Operation::Scatter, &own)),
            ("a broadcast of 8 B", Job::bytes(Operation::Broadcast, 8)),
        ];
        for (what, request) in requests {
            alone
                .carry_out(&request, data.clone())
                .unwrap_or_else(|error| panic!("{shape}, {what}: {error}"));
            group.bench_function(format!("{what}, {shape}"), |bencher| {
                bencher.iter(|| alone.carry_out(black_box(&request), data.clone()));
            });
        }
        if size < 512 {
            continue;
        }
        // Among the plans of other calls.
        for bytes in 9..209 {
            let request = Job::bytes(Operation::Broadcast, bytes);
            let plan = alone.using(&Algorithm::Short).carry_out(&request, Payload::phantom(bytes as u64));
            plan.unwrap_or_else(|error| panic!("{shape}: {error}"));
        }
        let request = Job::bytes(Operation::Scatter, &own);
        group.bench_function(format!("nothing to send, {shape}, 200 other plans"), |bencher| {
            bencher.iter(|| alone.carry_out(black_box(&request), data.clone()));
        });
    }
}

/// The member with rank 0 of a machine without a network.
struct Alone {
    machine: Description,
    memo: std::sync::Arc<Memo>,
}

impl Alone {
    fn new(shape: &str) -> Alone {
        let machine = format!("paragon:{shape}").parse().unwrap_or_else(|error| panic!("{error}"));
        Alone { machine, memo: Default::default() }
    }
}

impl PointToPoint for Alone {
    type Request<'a> = ();

    fn rank(&self) -> Rank {
        0
    }

    fn size(&self) -> usize {
        self.machine.nodes()
    }

    fn machine(&self) -> &Description {
        &self.machine
    }

    fn send(&self, _: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError> {
        black_box(data.into());
        Ok(())
    }

    fn recv(&self, _: impl Into<Select>) -> Result<Message, CommError> {
        Err(CommError::Ended)
    }

    fn sendrecv(
        &self,
        _: impl Into<Destination>,
        _: impl Into<Payload>,
        _: impl Into<Select>,
    ) -> Result<Message, CommError> {
        Err(CommError::Ended)
    }

    fn isend(&self, to: impl Into<Destination>, data: impl Into<Payload>) -> Result<(), CommError> {
        self.send(to, data)
    }

    fn irecv(&self, _: impl Into<Select>) -> Result<(), CommError> {
        Err(CommError::Ended)
    }

    fn wait(&self, (): ()) -> Result<Option<Message>, CommError> {
        Ok(None)
    }

    fn place(&self, rank: Rank) -> Rank {
        rank
    }

    fn behind_the_scenes(&self) -> Self {
        Alone { machine: self.machine.clone(), memo: self.memo.clone() }
    }

    fn agree(&self, call: &Call) -> Result<Tag, CommError> {
        black_box(call);
        Ok(Tag(0))
    }

    fn memo(&self) -> &Memo {
        &self.memo
    }

    fn library_call<T, E: From<CommError>>(
        &self,
        _: &'static str,
        calls: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        calls()
    }

    fn compute(&self, _: Span) -> Result<(), CommError> {
        Ok(())
    }
}
