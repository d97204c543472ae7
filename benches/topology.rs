//! How long it takes to work out a route, and what a large network costs a run that uses little of it.
//! `benches/README.md` says how to read the figures.

use std::{hint::black_box, sync::Arc, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use multicomputer::{
    Rank,
    model::MachineSpec,
    pattern::{Builder, Exchange, Transfer},
    plan::predict,
    topology::{self, Network, Topology, Vertex},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Where random pairs begin.
const SEED: u64 = 1995;

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = route, one_message
}
criterion_main!(benches);

/// What the mesh of 64 x 64 written out as a file is called.
const FILE: &str = "file of 64x64";

/// A mesh on which ranks are anywhere.
const PLACED: &str = "placed:random:1:mesh:64x64";

fn parse(name: &str) -> Arc<dyn Topology> {
    topology::parse(name).unwrap_or_else(|error| panic!("{error}"))
}

/// A network read from a text that lists all links of another.
fn written_out(topology: &dyn Topology) -> Arc<dyn Topology> {
    let mut text = format!("nodes = {}\n", topology.nodes());
    for link in (0..topology.links()).map(|link| topology.link(link)) {
        if let (Vertex::Node(from), Vertex::Node(to)) = (link.from, link.to) {
            text += &format!("[[links]]\nfrom = {from}\nto = {to}\n");
        }
    }
    Arc::new(Network::from_toml(FILE, &text).unwrap_or_else(|error| panic!("{error}")))
}

/// One route between a random pair of 4096 nodes, into a buffer that has grown before; what a route is on average goes
/// to standard error.
fn route(criterion: &mut Criterion) {
    const PAIRS: usize = 1 << 12;
    let mut group = criterion.benchmark_group("route");
    for name in [
        "clos:4096:64",
        "cluster:8x8:370000,47000:clos:4096:64",
        "complete:4096",
        "dragonfly:33x16x8",
        "dragonfly:33x16x8:valiant",
        "fat-tree:4096",
        "hypercube:4096",
        "mesh:64x64",
        "mesh:16x16x16",
        PLACED,
        "ring:4096",
        "torus:64x64",
        "torus:16x16x16",
        "tree:4096",
        FILE,
    ] {
        let topology = match name {
            FILE => written_out(&*parse("mesh:64x64")),
            name => parse(name),
        };
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let mut node = || random.random_range(0..topology.nodes());
        let pairs: Vec<(Rank, Rank)> = (0..PAIRS).map(|_| (node(), node())).collect();
        let mut route = Vec::new();
        pairs.iter().for_each(|&(from, to)| topology.route(from, to, &mut route));
        let links = route.len() as f64 / PAIRS as f64;
        let size = match name {
            FILE | PLACED => "its tables besides".to_owned(),
            _ => format!("{} bytes in all", size_of_val(&*topology)),
        };
        eprintln!("\n{name}: {links:.1} links a route, {size}");
        let mut next = (0..PAIRS).cycle();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let (from, to) = pairs[next.next().unwrap_or_default()];
                route.clear();
                topology.route(from, to, &mut route);
                black_box(&route);
            });
        });
    }
}

/// The prediction of a single message between opposite ends of networks of 4096 nodes, with few links and with many.
fn one_message(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one message");
    for name in ["complete:4096", "hypercube:4096", "mesh:64x64"] {
        let machine: MachineSpec = name.parse().unwrap_or_else(|error| panic!("{error}"));
        let to = machine.nodes() - 1;
        let mut builder = Builder::new(machine.nodes(), &[0], &[1000], Exchange::Together);
        builder.iteration([Transfer { from: 0, to, blocks: [0].into() }]);
        let schedule = builder.finish();
        group.bench_function(name, |bencher| bencher.iter(|| predict(&machine, &schedule)));
    }
}
