//! Generators of machines for property tests.

use std::sync::Arc;

use proptest::prelude::*;

use super::Parameters;
use crate::topology::{self, Topology};

/// Generates parameters from the fastest machines to the slowest, with zero and nonzero costs of every kind, one or several
/// ports, and links of 1 or at least `least_excess` times the port bandwidth; beta may be a fraction of picoseconds.
pub(crate) fn parameters(least_excess: f64) -> impl Strategy<Value = Parameters> {
    let overhead = || prop_oneof![Just(0.0), Just(65e-6), 1e-7..2e-4];
    let random = (
        (overhead(), overhead(), overhead()),
        (prop_oneof![Just(0.0), 0.0..2e-5], prop_oneof![Just(0.0), 0.0..2e-6]),
        prop_oneof![Just(0.0), Just(50e-9), 1e-10..1e-7],
        (prop_oneof![Just(2.0), 1.0..2.0], prop_oneof![2 => Just(1), 1 => 2..7_u32]),
        prop_oneof![Just(1.0), least_excess..8.0],
        (prop_oneof![Just(0.0), 1e-9..5e-5], prop_oneof![Just(0.0), 1e-9..5e-8]),
        (prop_oneof![3 => Just(0.0), 1 => 1e-7..2e-4], prop_oneof![3 => Just(0.0), 1 => 1e-9..5e-8]),
    );
    let random = random.prop_map(
        |(
            (send, receive, exchange),
            (latency, hop),
            beta,
            (duplex, ports),
            excess,
            (gamma, copy),
            unexpected,
        )| {
            let parameters = Parameters::builder()
                .send_overhead(send)
                .receive_overhead(receive)
                .exchange_overhead(exchange)
                .latency(latency)
                .hop(hop)
                .beta(beta)
                .duplex(duplex)
                .ports(ports)
                .link_excess(excess)
                .gamma(gamma)
                .copy(copy)
                .unexpected_overhead(unexpected.0)
                .unexpected_copy(unexpected.1);
            parameters.build().expect("all within their limits")
        },
    );
    prop_oneof![Just(Parameters::paragon()), Just(Parameters::hockney()), random.boxed()]
}

/// Generates small topologies: about half are meshes with sides of up to `side`, the others have at most about as
/// many nodes.
pub(crate) fn topologies(side: usize) -> impl Strategy<Value = Arc<dyn Topology>> {
    let most = side * side;
    let bandwidths = prop::sample::select(vec!["20,10,5", "0.5", "1000", "3,90,1", "0.01,10"]);
    let name = prop_oneof![
        6 => (1..=side, 1..=side).prop_map(|(rows, columns)| format!("mesh:{rows}x{columns}")),
        1 => (prop::sample::select(vec!["complete", "line", "ring"]), 1..=most)
            .prop_map(|(name, nodes)| format!("{name}:{nodes}")),
        1 => (1..=side, 1..=side).prop_map(|(rows, columns)| format!("torus:{rows}x{columns}")),
        1 => (prop::sample::select(vec!["mesh", "torus"]), 1..4_usize, 1..4_usize, 1..4_usize)
            .prop_map(|(name, planes, rows, columns)| format!("{name}:{planes}x{rows}x{columns}")),
        1 => (0..=most.ilog2()).prop_map(|dimensions| format!("hypercube:{}", 1 << dimensions)),
        1 => (1..=most).prop_map(|nodes| format!("tree:{nodes}")),
        1 => (1..=most, 2..6_usize, bandwidths)
            .prop_map(|(nodes, arity, bandwidths)| format!("fat-tree:{nodes}:{arity}:{bandwidths}")),
        1 => prop::sample::select(vec!["file:examples/network.toml", "file:tests/data/network.toml"])
            .prop_map(str::to_owned),
    ];
    name.prop_map(|name| topology::parse(&name).expect("a topology"))
}
