//! Example 35: the network as a heat map, to see where the traffic goes and where it jams.
//!
//! Every node of a 6 x 6 mesh sends 2000 bytes to the one on the other side of the diagonal: row and column change places.
//! Messages go along the row and then along the column, so all of them turn at the diagonal, and the links beside its ends carry
//! most: five messages each, which share them.
//!
//! Run it with `cargo run --release --example 35_heat_map -- FILE.svg`; without a file it writes into the temporary directory
//! of the host. Next: `36_explain`.

use std::{env, error::Error, fs, path::PathBuf};

use multicomputer::{Payload, Run, prelude::*};
use multicomputer_picture::Heat;

/// Rows and columns.
const SIDE: usize = 6;

/// Bytes of each message.
const LENGTH: u64 = 2000;

/// Every node sends to its mirror image.
pub fn transpose() -> Result<Run<()>, Box<dyn Error>> {
    let machine = Machine::hockney(SIDE, SIDE).trace(true).build()?;
    let run = machine.run(|node| {
        let (row, column) = (node.rank() / SIDE, node.rank() % SIDE);
        let mirror = column * SIDE + row;
        if mirror != node.rank() {
            // Both at once: nobody waits for the other to begin.
            node.world().sendrecv(mirror, Payload::phantom(LENGTH), mirror)?;
        }
        Ok(())
    })?;
    Ok(run)
}

/// Draws the network of the run.
pub fn map(run: &Run<()>) -> Result<String, Box<dyn Error>> {
    Ok(Heat::of(run).title("Rows and columns of a 6 x 6 mesh change places").to_svg()?)
}

fn main() -> Result<(), MainError> {
    let path = match env::args_os().nth(1) {
        Some(path) => PathBuf::from(path),
        None => env::temp_dir().join("multicomputer-heat.svg"),
    };
    let run = transpose()?;
    fs::write(&path, map(&run)?)?;
    let most = run.report.most_loaded_link().ok_or("a mesh of 36 nodes has links")?;
    println!("{} carried {} bytes, {} messages at once", most.link, most.load.bytes, most.load.most_flows);
    println!("open {} in a browser; what the mouse points at tells its figures", path.display());
    Ok(())
}
