//! Example 39: a chart of one's own: how long a broadcast takes by three algorithms, over the length of its vector.
//!
//! On a Paragon of 8 x 8 nodes a minimum spanning tree is the fastest for short vectors, and InterCom's scatter and all-gather in rows
//! and columns for long ones; in between lies a hybrid, which does that in the rows and has trees in the columns. All times are
//! predictions, which are exactly those of runs; nothing runs here.
//!
//! Run it with `cargo run --release --example 39_plot -- FILE.svg`; without a file it writes into the temporary directory of the
//! host. The command line draws such charts with `--plot FILE.svg`. Next: `40_rendezvous`.

use std::{env, error::Error, fs, path::PathBuf};

use multicomputer::{
    collective::{Algorithm, Operation, Strategy, Task},
    error::MainError,
    model::MachineSpec,
};
use multicomputer_picture::{Axis, Chart, Origin};

/// The lengths, in bytes.
fn lengths() -> impl Iterator<Item = u64> {
    (3..=20).map(|power| 1 << power)
}

/// Draws time over length, with what nothing can beat, and marks where another algorithm becomes the fastest.
pub fn broadcasts() -> Result<Chart, Box<dyn Error>> {
    let machine: MachineSpec = "paragon:8x8".parse()?;
    let task = |bytes| Task::builder(&machine, Operation::Broadcast).elements(bytes).build();
    let mut chart = Chart::new(
        "A broadcast on a Paragon of 8 x 8 nodes",
        Axis::logarithmic("length", "bytes"),
        Axis::logarithmic("time", "ms"),
    );
    let mut bound = Vec::new();
    for bytes in lengths() {
        bound.push([bytes as f64, task(bytes)?.lower_bound().time().as_millis_f64()]);
    }
    chart.add("bound", Origin::Bound, bound);
    for (name, strategy) in [("tree", "64:M"), ("hybrid", "8x8:SMC"), ("scatter and all-gather", "8x8:SSCC")]
    {
        let algorithm = Algorithm::strategy(Strategy::parse(Operation::Broadcast, strategy)?);
        let mut points = Vec::new();
        for bytes in lengths() {
            let plan = algorithm.plan(&task(bytes)?)?;
            points.push([bytes as f64, plan.prediction().modeled.since_start().as_millis_f64()]);
        }
        chart.add(name, Origin::Modeled, points);
    }
    Ok(chart.mark_crossovers())
}

fn main() -> Result<(), MainError> {
    let path = match env::args_os().nth(1) {
        Some(path) => PathBuf::from(path),
        None => env::temp_dir().join("multicomputer-plot.svg"),
    };
    let chart = broadcasts()?;
    fs::write(&path, chart.to_svg()?)?;
    for crossover in &chart.marks {
        println!("from {:.0} bytes on: {} instead of {}", crossover.at[0], crossover.to, crossover.from);
    }
    println!("open {} in a browser; what the mouse points at tells its figures", path.display());
    Ok(())
}
