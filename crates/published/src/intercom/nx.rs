//! Runs of NX's own operations on 16 x 32 nodes. The costs of NX's library were fitted to the published times.

use multicomputer::{Machine, Payload, error::Failure, nx::Nx};

use super::{Timed, paragon};

/// Number of nodes of the machine, and of threads of a run.
pub(super) const NODES: usize = 512;

/// Returns the time of an operation on 16 x 32 nodes, measured by a run.
fn timed(
    program: impl Fn(&Nx<'_, '_>) -> Result<Payload, Failure> + Send + Sync + 'static,
    bytes: u64,
) -> Timed {
    let machine = paragon("16x32");
    Timed::program(move |clock| {
        let machine = Machine::builder(machine.clone()).clock(clock).build()?;
        let run = machine.run(|node| Ok(program(&Nx::new(node)?)?.len()))?;
        assert_eq!(run.outputs, [bytes; NODES], "everybody has the result");
        Ok(run.report)
    })
}

pub(super) fn broadcast(bytes: u64) -> Timed {
    let program = move |nx: &Nx<'_, '_>| {
        if nx.mynode() == 0 {
            nx.csend(1, Payload::phantom(bytes), -1, 0)?;
            return Ok(Payload::phantom(bytes));
        }
        Ok(nx.receive(1, 0)?.1)
    };
    timed(program, bytes)
}

pub(super) fn all_gather(bytes: u64) -> Timed {
    let nodes = NODES as u64;
    let start = |node: u64| bytes * node / nodes;
    let lengths: Vec<u64> = (0..nodes).map(|node| start(node + 1) - start(node)).collect();
    let program = move |nx: &Nx<'_, '_>| {
        let part = Payload::phantom(lengths[nx.mynode() as usize]);
        Ok(nx.all_gather(part, Some(&lengths))?)
    };
    timed(program, bytes)
}

pub(super) fn sum(bytes: u64) -> Timed {
    timed(move |nx: &Nx<'_, '_>| Ok(nx.combine_phantom(bytes)?), bytes)
}
