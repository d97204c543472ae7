//! Example 36: where the time of a run went.
//!
//! A 4 x 4 mesh transposes a matrix: node (i, j) has a block of 4 KiB for node (j, i). Messages go along their row first,
//! then along the column, so the blocks of a row and those of a column meet on the links to the corner between them. Alone
//! every message would take 334.8 us. The run takes 744.4 us; it is recorded, and then says why:
//!
//! * its critical path, the chain of events back from the end of the last node to time zero, whose pieces together are the
//!   modeled time to the picosecond;
//! * who slowed whom, on which link, and by how much.
//!
//! `docs/explain.md` says how both are defined.
//!
//! Run it with `cargo run --release --example 36_explain`. Next: `37_replay`.

use std::error::Error;

use multicomputer::{Machine, Run, prelude::*};

/// Rows and columns of the mesh.
const SIDE: usize = 4;

/// Bytes of a block.
const BLOCK: usize = 4096;

/// Transposes the matrix; every node returns where its block came from.
pub fn transposition() -> Result<Run<Rank>, Box<dyn Error>> {
    let machine = Machine::hockney(SIDE, SIDE).trace(true).build()?;
    let run = machine.run(|node| {
        let world = node.world();
        let (row, column) = (world.rank() / SIDE, world.rank() % SIDE);
        let other = column * SIDE + row;
        let block = world.sendrecv(other, vec![world.rank() as u8; BLOCK], other)?;
        Ok(block.source)
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    let run = transposition()?;
    println!("{}\n\n{}", run.report, run.explain()?);
    Ok(())
}
