//! Example 6: a trace, to look at what happened when.
//!
//! Node 0 of a 2 x 2 Paragon hands a task to each of the others; they compute for different times, and their answers
//! are received in the order in which they arrive in modeled time. All that happens is kept and written as a Chrome
//! trace-event file, which <https://ui.perfetto.dev> and `chrome://tracing` open: a track for each node, on which
//! overhead and waiting are told apart, an arrow for each message, phases around them, and counters of the busiest links,
//! all in modeled time. `docs/traces.md` says what everything in it is.
//!
//! Run it with `cargo run --release --example 06_trace -- FILE`; without a file it writes into the temporary
//! directory of the host. Next: `07_s_to_p_halving`.

use std::{env, error::Error, fs::File, path::PathBuf};

use multicomputer::{Run, prelude::*};

/// Bytes of a task and of an answer.
const LENGTH: usize = 4096;

/// Hands out tasks and collects the answers; node 0 returns in which order the others answered.
pub fn tasks() -> Result<Run<Vec<Rank>>, Box<dyn Error>> {
    let machine = Machine::paragon(2, 2).trace(true).build()?;
    let run = machine.run(|node| {
        let world = node.world();
        if world.rank() > 0 {
            let task = world.recv(0)?;
            // The first to get a task needs longest for it.
            node.compute(Span::from_micros(800 / world.rank() as u64))?;
            world.send(0, task.payload)?;
            return Ok(Vec::new());
        }
        {
            let _phase = node.phase("hand out")?;
            for other in 1..world.size() {
                world.send(other, vec![other as u8; LENGTH])?;
            }
        }
        let _phase = node.phase("all-gather")?;
        let mut answered = Vec::new();
        for _ in 1..world.size() {
            answered.push(world.recv(ANY_SOURCE)?.source);
        }
        Ok(answered)
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    let path = match env::args_os().nth(1) {
        Some(path) => PathBuf::from(path),
        None => env::temp_dir().join("multicomputer-trace.json"),
    };
    let run = tasks()?;
    run.write_trace(File::create(&path)?)?;
    println!("answers came in this order: {:?}", run.outputs[0]);
    let (events, messages) = (run.trace.events.len(), run.trace.transfers.len());
    println!("{events} events and {messages} messages in {} of modeled time", run.report.makespan);
    println!("open {} at https://ui.perfetto.dev", path.display());
    Ok(())
}
