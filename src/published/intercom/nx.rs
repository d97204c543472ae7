//! NX's own operations on 16 x 32 nodes, as runs: their costs beyond the machine's were fitted to these times.

use crate::{
    Machine,
    error::Failure,
    nx::{Nx, combine_phantom},
    payload::Payload,
};

const NODES: u64 = 512;

/// The modeled time of an operation on 16 x 32 nodes, in milliseconds.
fn modeled(program: impl Fn(&Nx<'_, '_>) -> Result<Payload, Failure> + Sync, bytes: u64) -> f64 {
    let machine = Machine::paragon(16, 32).build().expect("a Paragon has 512 nodes");
    let run = machine.run(|node| Ok(program(&Nx::new(node)?)?.len()));
    let run = run.expect("NX's operations end");
    assert_eq!(run.outputs, [bytes; NODES as usize], "everybody has the result");
    run.report.modeled.since_start().as_millis_f64()
}

pub(super) fn broadcast(bytes: u64) -> f64 {
    let program = |nx: &Nx<'_, '_>| {
        if nx.mynode() == 0 {
            nx.csend(1, Payload::phantom(bytes), -1, 0)?;
            return Ok(Payload::phantom(bytes));
        }
        Ok(nx.receive(1, 0)?.1)
    };
    modeled(program, bytes)
}

pub(super) fn collect(bytes: u64) -> f64 {
    let start = |node: u64| bytes * node / NODES;
    let lengths: Vec<u64> = (0..NODES).map(|node| start(node + 1) - start(node)).collect();
    let program = |nx: &Nx<'_, '_>| {
        let part = Payload::phantom(lengths[nx.mynode() as usize]);
        Ok(nx.collect(part, Some(&lengths))?)
    };
    modeled(program, bytes)
}

pub(super) fn sum(bytes: u64) -> f64 {
    modeled(|nx: &Nx<'_, '_>| Ok(combine_phantom(nx, bytes)?), bytes)
}
