//! How fast the host works out s-to-p broadcasts: making schedules, predicting what they take, and choosing among them.

use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use multicomputer::{
    model::MachineSpec,
    plan::predict,
    s_to_p::{Algorithm, Distribution, Instance},
};

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_secs(1));
    targets = prediction, choice
}
criterion_main!(benches);

/// So many nodes of a 16 x 16 Paragon, with 2 KiB each.
fn instance(distribution: &Distribution, sources: usize) -> Instance {
    let machine: MachineSpec = "paragon:16x16".parse().unwrap_or_else(|error| panic!("{error}"));
    let grid = machine.topology().grid().unwrap_or_else(|| panic!("a mesh has rows and columns"));
    let ranks = distribution.place(grid, sources).unwrap_or_else(|error| panic!("{error}"));
    Instance::new(&machine, &ranks, &vec![2048; sources]).unwrap_or_else(|error| panic!("{error}"))
}

/// One schedule through the predictor: messages per second.
fn prediction(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("prediction");
    group.sampling_mode(SamplingMode::Flat);
    let instance = instance(&Distribution::Cross, 75);
    for algorithm in [Algorithm::BR_LIN, Algorithm::XOR, Algorithm::TWO_STEP] {
        let plan = algorithm.plan(&instance).unwrap_or_else(|error| panic!("{error}"));
        group.throughput(Throughput::Elements(plan.schedule().messages().count() as u64));
        group.bench_function(algorithm.name(), |bencher| {
            bencher.iter(|| predict(instance.machine(), plan.schedule()));
        });
    }
}

/// The fastest of all schedules, from nothing.
fn choice(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("choice");
    group.sampling_mode(SamplingMode::Flat);
    for sources in [1, 16, 75, 256] {
        let instance = instance(&Distribution::Cross, sources);
        group.bench_function(format!("{sources} of 256 sources"), |bencher| {
            bencher.iter(|| Algorithm::AUTO.plan(&instance));
        });
    }
}
