//! Measured times of machines of today beside those of *Auto* on their presets: the table and the medians of `docs/today.md`, made
//! anew and compared with what stands there.
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

const HEADER: &str = "| source | machine | operation | bytes | measured us | modeled us | error % | with a call, us | error % |";

/// The time of a call of NCCL besides its messages, with its protocol Simple: `baseLat` in its `src/graph/tuning.cc`.
const CALL: f64 = 8.4;

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
        let modeled = measured.modeled();
        let times = [modeled, modeled + CALL];
        let [bare, with_call] = times.map(|time| time / microseconds - 1.0);
        errors[0].push(bare.abs());
        errors[1].push(with_call.abs());
        // Rounded first, for no negative zero.
        let percent = [bare, with_call].map(|error| (100.0 * error).round() + 0.0);
        expected.push(format!(
            "| {source} | `{machine}` | {operation} | {bytes} | {microseconds} | {:.2} | {:+} | {:.2} | {:+} |",
            times[0], percent[0], times[1], percent[1],
        ));
    }
    let [bare, with_call] = errors.map(|errors| 100.0 * median(errors).unwrap());
    let sentence = format!(
        "The median of the sizes of the errors over these {} times is {bare:.0} %; with 8.4 us for each call it is {with_call:.0} %.",
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
