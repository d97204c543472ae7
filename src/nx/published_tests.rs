//! Tests of NX's times in table 3 of Barnett et al., "Building a High-Performance Collective Communication Library",
//! 1994.

use super::{Nx, own};
use crate::{Machine, Payload, error::Failure};

const NODES: u64 = 512;

/// The modeled time of an operation on 16 x 32 nodes, in seconds.
fn modeled(program: impl Fn(&Nx<'_, '_>) -> Result<Payload, Failure> + Sync, bytes: u64) -> f64 {
    let machine = Machine::paragon(16, 32).build().unwrap();
    let run = machine.run(|node| Ok(program(&Nx::new(node)?)?.len())).unwrap();
    assert_eq!(run.outputs, [bytes; NODES as usize]);
    run.report.modeled.since_start().as_secs_f64()
}

fn broadcast(bytes: u64) -> f64 {
    let program = |nx: &Nx<'_, '_>| {
        if nx.mynode() == 0 {
            nx.csend(1, Payload::phantom(bytes), -1, 0)?;
            return Ok(Payload::phantom(bytes));
        }
        Ok(nx.receive(1, 0)?.1)
    };
    modeled(program, bytes)
}

fn collect(bytes: u64) -> f64 {
    let start = |node: u64| bytes * node / NODES;
    let lengths: Vec<u64> = (0..NODES).map(|node| start(node + 1) - start(node)).collect();
    let program = |nx: &Nx<'_, '_>| {
        let part = Payload::phantom(lengths[nx.mynode() as usize]);
        Ok(nx.collect(part, Some(&lengths))?)
    };
    modeled(program, bytes)
}

fn sum(bytes: u64) -> f64 {
    let program =
        |nx: &Nx<'_, '_>| Ok(own::combine_payloads(nx, Payload::phantom(bytes), |mine, _| Ok(mine.clone()))?);
    modeled(program, bytes)
}

#[test]
fn the_published_times_are_met_as_far_as_the_costs_say() {
    let lengths = [8, 64 << 10, 1 << 20];
    // Ratios of modeled to published times, as in the documentation of `NxCosts`.
    for (name, operation, published, expected) in [
        ("broadcast", broadcast as fn(u64) -> f64, [0.0012, 0.031, 0.51], [1.385, 1.05, 0.98]),
        ("collect", collect, [0.27, 0.32, 0.94], [1.03, 0.98, 0.88]),
        ("global sum", sum, [0.0036, 0.17, 2.72], [0.927, 1.00, 0.98]),
    ] {
        for ((bytes, published), expected) in lengths.into_iter().zip(published).zip(expected) {
            let modeled = operation(bytes);
            let ratio = modeled / published;
            assert!((ratio - expected).abs() < 0.006, "{name}, {bytes} bytes: {modeled} s is {ratio}");
        }
    }
}
