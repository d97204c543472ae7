//! Example 37: two broadcasts beside each other, on one clock.
//!
//! Node 0 of a 4 x 4 mesh has 16 KiB for all. *Short* sends all of it along a tree, in log2(16) = 4 steps: 15 messages, each of
//! them long. *Long* cuts it into 16 blocks, deals them out along a tree, and collects them in rings: 111 messages, most of them
//! short, and the links are busy all the time. The page plays both, and the nodes grow darker with what they have: half of the
//! time of *short* is over when 4 nodes have all and 12 have nothing, while with *long* everybody has a quarter at least.
//!
//! Run it with `cargo run --release --example 37_replay -- FILE.html`; without a file it writes into the temporary directory
//! of the host. `docs/pictures.md` says what the page can do.

use std::{env, error::Error, fs, path::PathBuf};

use multicomputer::{Machine, Run, collective::Algorithm, prelude::*};
use multicomputer_picture::Replay;

/// Bytes that are broadcast.
const LENGTH: usize = 16 << 10;

/// A broadcast by an algorithm.
pub fn broadcast(algorithm: &Algorithm) -> Result<Run<()>, Box<dyn Error>> {
    let machine = Machine::hockney(4, 4).trace(true).build()?;
    let run = machine.run(|node| {
        let mut data = vec![node.rank() as u8; LENGTH];
        node.world().using(algorithm).broadcast(0, &mut data)?;
        assert_eq!(data, [0; LENGTH]);
        Ok(())
    })?;
    Ok(run)
}

/// The page of both.
pub fn page(short: &Run<()>, long: &Run<()>) -> Result<String, Box<dyn Error>> {
    let page = Replay::new("A broadcast of 16 KiB on a 4 x 4 mesh").run("short", short)?;
    Ok(page.run("long", long)?.to_html()?)
}

fn main() -> Result<(), MainError> {
    let path = match env::args_os().nth(1) {
        Some(path) => PathBuf::from(path),
        None => env::temp_dir().join("multicomputer-replay.html"),
    };
    let [short, long] = [broadcast(&Algorithm::SHORT)?, broadcast(&Algorithm::LONG)?];
    fs::write(&path, page(&short, &long)?)?;
    println!("short takes {}, long {}", short.report.makespan, long.report.makespan);
    println!("open {} in a browser; the space bar plays", path.display());
    Ok(())
}
