//! Example 34: a space-time diagram, to see what every node does when, and which messages are in each other's way.
//!
//! On a 4 x 4 mesh every node computes, some of them longer than others; then the first row spreads what it has to all by
//! *Br_Lin*. The picture has a row for each node: those that computed longest let their partners wait, and red dashed lines
//! are messages that took longer because they shared a link. It is the one with which the README opens; `docs/pictures.md`
//! says how to read it.
//!
//! Run it with `cargo run --release --example 34_space_time -- FILE.svg`; without a file it writes into the temporary
//! directory of the host. Next: `35_heat_map`.

use std::{env, error::Error, fs, path::PathBuf};

use multicomputer::{Run, prelude::*, s_to_p::Algorithm};
use multicomputer_picture::SpaceTime;

/// Bytes of each message.
const LENGTH: usize = 2000;

/// Computes, then spreads; every node returns the number of bytes that it has in the end.
pub fn spread() -> Result<Run<usize>, Box<dyn Error>> {
    let machine = Machine::hockney(4, 4).trace(true).build()?;
    let sources = [0, 1, 2, 3].map(|rank| (rank, LENGTH));
    let run = machine.run(|node| {
        {
            let _phase = node.phase("compute")?;
            node.compute(Span::from_micros(100 + 40 * (node.rank() as u64 * 7 % 5)))?;
        }
        let _phase = node.phase("spread")?;
        let mine = if node.rank() < 4 { vec![node.rank() as u8; LENGTH] } else { Vec::new() };
        let all = node.world().using(Algorithm::BR_LIN).broadcast_from(&sources, &mine)?;
        Ok(all.iter().map(Vec::len).sum())
    })?;
    Ok(run)
}

/// Draws the run.
pub fn diagram(run: &Run<usize>) -> Result<String, Box<dyn Error>> {
    Ok(SpaceTime::of(run).title("A row of a 4 x 4 mesh spreads what it has").to_svg()?)
}

fn main() -> Result<(), MainError> {
    let path = match env::args_os().nth(1) {
        Some(path) => PathBuf::from(path),
        None => env::temp_dir().join("multicomputer-space-time.svg"),
    };
    let run = spread()?;
    fs::write(&path, diagram(&run)?)?;
    let report = &run.report;
    println!(
        "{} messages in {}, {} lost to sharing",
        report.messages, report.makespan, report.lost_to_sharing
    );
    println!("open {} in a browser; what the mouse points at tells its figures", path.display());
    Ok(())
}
