//! Measured times of machines of today beside those of *Auto* on their presets, and beside NCCL's own estimates: the table and the medians
//! of `docs/today.md`, made anew and compared with what stands there.
//!
//! ```sh
//! WRITE_TABLES=1 cargo test --release --test published today
//! ```
//!
//! `crates/published/tests/data/today.csv` has the measured times and where they are from, by the letters of the page.

use std::{env, fs};

use multicomputer::{
    Rank,
    collective::{Algorithm, Operation, Task},
    model::MachineSpec,
};
use multicomputer_published::median;
use serde::Deserialize;

use crate::support::document::{read, root, rows};

const FILE: &str = "docs/today.md";

const HEADER: &str = "| source | machine | operation | bytes | measured us | modeled us | error % | estimate of NCCL, us | error % |";

/// A measured time.
#[derive(Debug, Deserialize)]
struct Measured {
    source: String,
    machine: String,
    members: String,
    operation: String,
    bytes: u64,
    microseconds: f64,
}

impl Measured {
    /// The same by *Auto* on the preset, with elements of 8 bytes, in microseconds.
    fn modeled(&self) -> f64 {
        let machine: MachineSpec = self.machine.parse().unwrap();
        let members: Vec<Rank> = self.members.split(' ').map(|member| member.parse().unwrap()).collect();
        let operation = Operation::named(&self.operation).unwrap();
        let task = Task::builder(&machine, operation).elements(self.bytes / 8).element_bytes(8);
        let plan = Algorithm::AUTO.plan(&task.members(&members[..]).build().unwrap()).unwrap();
        plan.prediction().modeled.since_start().as_secs_f64() * 1e6
    }

    /// The same by the formula with which NCCL chooses among its protocols, for the fastest protocol of a ring, in microseconds. All
    /// constants are those of NCCL 2.20 (`src/graph/tuning.cc`), for H100 and, between servers, processors of Intel. The bandwidths of
    /// links are those of the preset.
    fn estimate_of_nccl(&self) -> f64 {
        let members = self.members.split(' ').count() as f64;
        let servers = if self.machine.starts_with("h100-cluster") { 2.0 } else { 1.0 };
        // Steps of a ring, and how many of their latencies count within a server and to another one.
        let (steps, inside, between) = match &*self.operation {
            "all-reduce" => (2.0 * (members - 1.0), 2.0 * (members - servers), 2.0 * (servers - 1.0)),
            "all-gather" => (members - 1.0, members - servers, servers - 1.0),
            // A broadcast on one server.
            _ => (members, 1.0, 0.0),
        };
        // GB/s: of one GPU, or of the adapters of two.
        let bus = if servers > 1.0 { 2.0 * 47.0 } else { 370.0 };
        let low_latency = if servers > 1.0 { 39.0_f64 } else { 141.0 };
        // The protocols LL, LL128 and Simple: the time of a call, of a step within a server and of one to another server; the bandwidth.
        let protocols = [
            (6.6, if servers > 1.0 { 1.0 } else { 0.6 }, 2.7, low_latency.min(bus / 2.0)),
            (14.0, 1.9, 4.0, 0.92 * bus),
            (8.4, 3.4, 14.0, bus),
        ];
        let time = |(number, (call, within, across, bandwidth)): (usize, (f64, f64, f64, f64))| {
            let latency = call + inside * within + between * across;
            // Long vectors on rings over several servers with Simple.
            let is_long = number == 2 && servers > 1.0 && self.bytes as f64 / members >= 64.0;
            let latency = if is_long { 1.4 * latency } else { latency };
            latency + self.bytes as f64 / (1e3 * bandwidth * members / steps)
        };
        protocols.into_iter().enumerate().map(time).fold(f64::INFINITY, f64::min)
    }
}

#[test]
fn the_table_of_machines_of_today() {
    let data = include_str!("../data/today.csv");
    let all: Vec<Measured> =
        csv::Reader::from_reader(data.as_bytes()).into_deserialize().map(Result::unwrap).collect();
    assert!(all.len() >= 20, "{}", all.len());
    let (mut expected, mut errors) = (Vec::new(), [Vec::new(), Vec::new()]);
    for measured in &all {
        let Measured { source, machine, operation, bytes, microseconds, .. } = measured;
        let times = [measured.modeled(), measured.estimate_of_nccl()];
        let both = times.map(|time| time / microseconds - 1.0);
        errors.iter_mut().zip(both).for_each(|(errors, error)| errors.push(100.0 * error.abs()));
        // Rounded first, for no negative zero.
        let percent = both.map(|error| (100.0 * error).round() + 0.0);
        expected.push(format!(
            "| {source} | `{machine}` | {operation} | {bytes} | {microseconds} | {:.2} | {:+} | {:.2} | {:+} |",
            times[0], percent[0], times[1], percent[1],
        ));
    }
    let [modeled, estimated] = errors.map(|errors| {
        let worst = errors.iter().copied().fold(0.0, f64::max);
        format!("median {:.0} %, worst {worst:.0} %", median(errors).unwrap())
    });
    let sentence = format!(
        "Sizes of the errors over these {} times: {modeled}. Those of NCCL's own estimates for rings: {estimated}.",
        all.len()
    );
    let mut text = read(FILE);
    let (found, place) = rows(&text, HEADER);
    let is_same = found == expected && text.contains(&sentence);
    if !is_same && env::var_os("WRITE_TABLES").is_some() {
        text.replace_range(place, &expected.iter().map(|row| format!("{row}\n")).collect::<String>());
        let marked = "<!-- median -->\n";
        let begin = text.find(marked).unwrap() + marked.len();
        let end = begin + text[begin..].find('\n').unwrap();
        text.replace_range(begin..end, &sentence);
        fs::write(root().join(FILE), text).unwrap();
        return;
    }
    assert!(is_same, "{FILE} should have (WRITE_TABLES=1 writes it):\n{sentence}\n{}", expected.join("\n"));
}
