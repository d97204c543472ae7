//! `multicomputer tune`: finds the algorithm that *Auto* chooses for each length, and the crossover from InterCom's
//! algorithm for short vectors to its algorithm for long vectors.
//!
//! Planning predicts many candidates, which takes seconds for long vectors on a large machine. By default, large
//! machines therefore have fewer initial lengths and a lower precision.

use std::{io::Write, path::PathBuf};

use clap::Args;
use multicomputer::{
    collective::Operation,
    model::MachineSpec,
    units::{Sizes, format_bytes},
};
use serde_json::{Value, json};

use super::{
    collective::{operation_help, operations},
    compare::{Column, record, table},
    count::counted,
    error::Error,
    files::{CsvFile, JsonFile, micros, output_file},
    lists::List,
    options::{MachineError, MachineOptions, read_machine},
    plot::PlotFile,
    progress::Progress,
    setting::{self, DEFAULT_SEED, Setting, machine_columns},
    unit::Unit,
};

mod crossover;
mod search;

use self::{
    crossover::Crossover,
    search::{Interval, Search},
};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    // The two arguments are optional, and are distinguished by their values.
    #[arg(value_name = "MACHINE] [OPERATION", num_args = 0..=2, value_parser = read_subject, help = subject_help())]
    subjects: Vec<Subject>,

    /// Set the initial lengths of the whole vector; the lengths where the choice changes are located between them
    /// [default: 8 B to 16 MiB, by factors of 2 up to 64 nodes, 4 up to 256, 8 beyond]
    #[arg(long, value_name = "SIZES", allow_negative_numbers = true)]
    bytes: Option<Sizes>,

    /// Set the precision of the lengths at which the choice changes, in percent [default: 5; 20 beyond 64 nodes, 100
    /// beyond 256]
    #[arg(long, value_name = "PERCENT", value_parser = read_percent, allow_negative_numbers = true)]
    precision: Option<f64>,

    /// Write the table as CSV, with exact times. Rows go to FILE.partial, which becomes FILE at the end; a run that
    /// fails leaves FILE unchanged, and finished rows in FILE.partial
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"))]
    csv: Option<PathBuf>,

    /// Write the same facts as JSON, an object for each operation, one a line; - is standard output
    #[arg(long, value_name = "FILE", value_parser = output_file("JSON"))]
    json: Option<PathBuf>,

    /// Draw the table as a chart, as SVG: time over length, a colour for each algorithm, and the lower bound
    #[arg(long, value_name = "FILE", value_parser = output_file("SVG"))]
    plot: Option<PathBuf>,

    #[command(flatten)]
    machine: MachineOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer tune                                   all operations on a Paragon of 10 x 10 nodes
  multicomputer tune hockney:8x8 all-reduce            one operation
  multicomputer tune line:16 broadcast,all-gather --bytes 64..64K --precision 1
                                                       some lengths, more precisely";

/// One of the two positional arguments: the machine or the operations.
#[derive(Clone, Debug)]
enum Subject {
    Machine(Box<MachineSpec>),
    Operations(List<Operation>),
}

fn subject_help() -> String {
    format!(
        "Choose the machine: 10x10 (a Paragon), a preset such as cm5:32, a topology such as hypercube:16, \
         or a machine file (.toml) [default: paragon:10x10]. {} [default: all]",
        operation_help()
    )
}

/// Parses operations, otherwise a machine.
fn read_subject(text: &str) -> Result<Subject, String> {
    match (operations(text), read_machine(text)) {
        (Ok(operations), _) => Ok(Subject::Operations(operations)),
        (_, Ok(machine)) => Ok(Subject::Machine(Box::new(machine))),
        (Err(no_operation), Err(no_machine @ MachineError::Unknown(_))) => {
            let no_machine = no_machine.to_string();
            // If only one error contains a suggestion, the user most likely meant that kind: the other error is
            // omitted.
            let has_suggestion = |text: &str| text.contains("did you mean");
            Err(match (has_suggestion(&no_operation), has_suggestion(&no_machine)) {
                (false, true) => no_machine,
                (true, false) => no_operation,
                _ => format!("{no_operation}; {no_machine}"),
            })
        }
        (_, Err(cause)) => Err(cause.to_string()),
    }
}

/// Parses a precision, in percent.
fn read_percent(text: &str) -> Result<f64, String> {
    let percent = text.trim().parse().ok().filter(|percent| (0.1..=1000.0).contains(percent));
    percent.ok_or_else(|| "give a percentage from 0.1 to 1000".to_owned())
}

impl Arguments {
    fn machine(&self) -> Result<MachineSpec, Error> {
        let machine = |subject: &Subject| match subject {
            Subject::Machine(machine) => Some(MachineSpec::clone(machine)),
            Subject::Operations(_) => None,
        };
        match &self.subjects.iter().filter_map(machine).collect::<Vec<_>>()[..] {
            [] => self.machine.spec(),
            [_] if self.machine.is_given() => {
                Err(Error::usage("a machine is given by name and by --machine or --mesh: give one"))
            }
            [machine] => self.machine.change.changed(machine.clone()),
            _ => Err(Error::usage("two machines are given: give one")),
        }
    }

    fn operations(&self) -> Result<List<Operation>, Error> {
        let operations = |subject: &Subject| match subject {
            Subject::Operations(operations) => Some(operations.clone()),
            Subject::Machine(_) => None,
        };
        match &self.subjects.iter().filter_map(operations).collect::<Vec<_>>()[..] {
            [] => Ok(List::of(Operation::ALL)),
            [operations] => Ok(operations.clone()),
            _ => Err(Error::usage("operations are given twice: separate them by commas")),
        }
    }

    /// Returns the initial lengths, in ascending order.
    fn lengths(&self, nodes: usize) -> Vec<u64> {
        let mut lengths: Vec<u64> = match &self.bytes {
            Some(sizes) => sizes.into_iter().collect(),
            None => {
                let doublings = by_size(nodes, [1, 2, 3]);
                (3..=24).step_by(doublings).map(|exponent| 1 << exponent).collect()
            }
        };
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// Returns the precision, in percent, of the lengths at which the choice changes (`--precision`, or a default by
    /// number of nodes).
    fn percent(&self, nodes: usize) -> f64 {
        self.precision.unwrap_or(by_size(nodes, [5.0, 20.0, 100.0]))
    }
}

/// Returns the value for a small, medium or large machine.
fn by_size<T>(nodes: usize, [small, medium, large]: [T; 3]) -> T {
    match nodes {
        0..=64 => small,
        65..=256 => medium,
        _ => large,
    }
}

/// Finds the intervals, and prints them.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let machine = &arguments.machine()?;
    let setting = &Setting::of(machine, DEFAULT_SEED);
    let operations = arguments.operations()?;
    let (lengths, percent) = (arguments.lengths(machine.nodes()), arguments.percent(machine.nodes()));
    let csv = CsvFile::create(arguments.csv.as_deref(), FILE)?;
    let json = JsonFile::create(arguments.json.as_deref())?;
    let mut plot = PlotFile::create(arguments.plot.as_deref(), TRIED)?;

    let progress = Progress::new(operations.len() * lengths.len());
    let found = csv.fill(|csv| {
        let mut found = Vec::new();
        for &operation in operations.iter() {
            let factor = 1.0 + percent / 100.0;
            let search = Search { machine, operation, factor, progress: &progress };
            let intervals = search.intervals(&lengths)?;
            let intervals: Vec<Row> =
                intervals.into_iter().map(|interval| Row { machine, setting, operation, interval }).collect();
            intervals.iter().try_for_each(|row| csv.row(record(&columns(), FILE, row)))?;
            intervals.iter().enumerate().for_each(|(nth, row)| row.tried(nth).for_each(|row| plot.row(&row)));
            found.push((operation, intervals, Crossover::find(&search, &lengths)?));
        }
        Ok(found)
    })?;
    drop(progress);
    let objects = found.iter().map(|(operation, intervals, crossover)| {
        json!({
            "machine": machine.name(),
            "nodes": machine.nodes(),
            "machine_hash": machine.hash(),
            "operation": operation.name(),
            "lengths_tried": lengths,
            "precision_percent": percent,
            "intervals": intervals.iter().map(Row::object).collect::<Vec<_>>(),
            "crossover": crossover.as_ref().map(Crossover::object),
        })
    });
    json.write(&objects.collect::<Vec<_>>())?;

    let ends = (lengths.first().copied().unwrap_or(0), lengths.last().copied().unwrap_or(0));
    writeln!(
        out,
        "Collective communication on {}{}, {}: what auto chooses, by length of the whole vector from {} to {}",
        machine.name(),
        setting.title(),
        if machine.nodes() == 1 { "1 node".to_owned() } else { format!("all {} nodes", machine.nodes()) },
        format_bytes(ends.0),
        format_bytes(ends.1)
    )?;
    for (operation, intervals, crossover) in &found {
        let times = intervals.iter().flat_map(|row| [row.interval.first(), row.interval.last()]);
        let unit = Unit::of(times.map(|point| point.modeled));
        let names = "from_bytes to_bytes from_us from_ratio to_us to_ratio algorithm";
        write!(out, "\n{operation}\n{}", table(&columns(), names, intervals, unit))?;
        if let Some(crossover) = crossover {
            writeln!(out, "\n{crossover}")?;
        }
    }
    let count = counted(lengths.len(), "length");
    writeln!(
        out,
        "\nFrom {count} for each operation; lengths at which the choice changes are precise to {percent} \
     %."
    )?;
    plot.finish(out)
}

/// A table row: an interval of lengths for an operation.
struct Row<'a> {
    machine: &'a MachineSpec,
    setting: &'a Setting,
    operation: Operation,
    interval: Interval,
}

/// Names of the plot columns; the plot has a row for each length tried.
const TRIED: &str = "machine operation bytes algorithm interval modeled_us bound_us";

impl Row<'_> {
    fn object(&self) -> Value {
        let [first, last] = [self.interval.first(), self.interval.last()];
        json!({
            "from_bytes": first.bytes,
            "to_bytes": last.bytes,
            "algorithm": first.choice,
            "from_us": first.modeled.as_micros_f64(),
            "from_ratio": first.ratio,
            "to_us": last.modeled.as_micros_f64(),
            "to_ratio": last.ratio,
        })
    }

    /// Returns the plot rows of the interval with index `nth`.
    fn tried(&self, nth: usize) -> impl Iterator<Item = Vec<String>> {
        self.interval.points().iter().map(move |point| {
            let bound = point.ratio.map(|ratio| point.modeled.as_micros_f64() / ratio);
            vec![
                self.machine.name().to_owned(),
                self.operation.name().to_owned(),
                point.bytes.to_string(),
                point.choice.clone(),
                nth.to_string(),
                micros(point.modeled),
                bound.map_or(String::new(), |bound| bound.to_string()),
            ]
        })
    }
}

/// Names of the CSV columns.
const FILE: &str =
    concat!(machine_columns!(), " operation from_bytes to_bytes algorithm from_us from_ratio to_us to_ratio");

fn columns<'a>() -> Vec<Column<'a, Row<'a>>> {
    let specific = [
        Column::new("operation", |row: &Row| row.operation.name()),
        Column::new("from_bytes", |row: &Row| row.interval.first().bytes).titled("from"),
        Column::new("to_bytes", |row: &Row| row.interval.last().bytes).titled("to"),
        Column::new("algorithm", |row: &Row| row.interval.first().choice.clone()).left(),
        Column::new("from_us", |row: &Row| row.interval.first().modeled).titled("{unit} at from"),
        Column::new("from_ratio", |row: &Row| row.interval.first().ratio).titled("/ bound"),
        Column::new("to_us", |row: &Row| row.interval.last().modeled).titled("{unit} at to"),
        Column::new("to_ratio", |row: &Row| row.interval.last().ratio).titled("/ bound"),
    ];
    setting::columns(|row: &Row<'a>| row.setting).into_iter().chain(specific).collect()
}
