//! How fast schedules are predicted: the kernel and the shares of the network alone, on one thread.
//! `benches/README.md` says how to read the figures.

use std::time::Duration;

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use multicomputer::{
    Rank,
    model::MachineSpec,
    pattern::{Blocks, Builder, Exchange, Schedule, Transfer},
    plan::predict,
};
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

/// Where random placements begin.
const SEED: u64 = 1995;

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_secs(1));
    targets = in_order, at_random, dissemination
}
criterion_main!(benches);

fn machine(name: &str) -> MachineSpec {
    name.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Rank `i` of a pattern is node `placed[i]`. In each step every rank sends its block to the rank that `target` gives.
fn schedule(
    placed: &[Rank],
    bytes: u64,
    steps: impl Iterator<Item = usize>,
    target: impl Fn(Rank, usize) -> Rank,
) -> Schedule {
    let nodes = placed.len();
    let own: Vec<Blocks> = (0..nodes as u32).map(|block| [block].into()).collect();
    let origins: Vec<Rank> = (0..nodes).collect();
    let mut builder = Builder::new(nodes, &origins, &vec![bytes; nodes], Exchange::Together);
    for step in steps {
        builder.iteration((0..nodes).map(|rank| {
            let (from, to) = (placed[rank], placed[target(rank, step)]);
            Transfer { from, to, blocks: own[from].clone() }
        }));
    }
    builder.finish()
}

/// Messages per second of the prediction of a schedule; what memory the first one took goes to standard error, where the
/// host tells.
fn measure(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, machine: &MachineSpec, schedule: &Schedule) {
    let messages = schedule.messages().count();
    let before = most_memory();
    let prediction = predict(machine, schedule).unwrap_or_else(|| panic!("{name} can be predicted"));
    if let (Some(before), Some(after)) = (before, most_memory()) {
        let modeled = prediction.modeled;
        eprintln!(
            "\n{name}: {messages} messages in {modeled} modeled, {after} kB at most, {before} before it"
        );
    }
    group.throughput(Throughput::Elements(messages as u64));
    group.bench_function(name, |bencher| bencher.iter(|| predict(machine, schedule)));
}

/// The most memory that this process has had so far, in kB.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    group
}

/// The first steps of an exchange of 1 KiB with every other rank, in step k with rank xor k.
fn xor_exchange(criterion: &mut Criterion, name: &str, sizes: [(&str, usize); 3], is_placed_at_random: bool) {
    let mut group = group(criterion, name);
    for (shape, steps) in sizes {
        let machine = machine(&format!("hockney:{shape}"));
        let mut placed: Vec<Rank> = (0..machine.nodes()).collect();
        if is_placed_at_random {
            placed.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
        }
        let schedule = schedule(&placed, 1024, 1..=steps, |rank, step| rank ^ step);
        measure(&mut group, shape, &machine, &schedule);
    }
}

fn in_order(criterion: &mut Criterion) {
    let sizes = [("16x16", 255), ("16x32", 511), ("32x32", 255)];
    xor_exchange(criterion, "predicted xor exchange", sizes, false);
}

/// Nearly every message meets others on its way, and nodes fall out of step: each start and end of a message changes the
/// shares of several others.
fn at_random(criterion: &mut Criterion) {
    let sizes = [("16x16", 64), ("16x32", 32), ("32x32", 8)];
    xor_exchange(criterion, "predicted xor exchange at random", sizes, true);
}

/// In step k every rank of 65,536 sends 8 bytes to the rank 2^k after it.
fn dissemination(criterion: &mut Criterion) {
    let mut group = group(criterion, "predicted dissemination");
    let name = "hypercube:65536";
    let machine = machine(name);
    let nodes = machine.nodes();
    let placed: Vec<Rank> = (0..nodes).collect();
    let schedule = schedule(&placed, 8, 0..16, |rank, step| (rank + (1 << step)) % nodes);
    measure(&mut group, name, &machine, &schedule);
}
