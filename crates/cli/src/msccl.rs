//! `multicomputer msccl`: times an MSCCL schedule on a machine, next to the time of *Auto* and the lower bound.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args;
use multicomputer::{
    Machine, Span, Time,
    all_to_all::{self, Matrix},
    collective::{self, Operation, Task},
    error::Failure,
    goal::{self, Sends},
    input,
    model::MachineSpec,
    msccl::{Collective, Program},
    units::{Sizes, format_bytes},
};

use super::{
    compare::{Column, record, table},
    count::counted,
    error::Error,
    files::{CsvFile, output_file},
    goal::Recorder,
    options::MachineOptions,
    recording::{RankTimes, RecordOptions},
    setting::{self, DEFAULT_SEED, Setting, machine_columns},
    unit::Unit,
};

const EXAMPLES: &str = "\
Examples:
  multicomputer msccl allreduce.xml --machine complete:8
  multicomputer msccl allgather.xml --machine fat-tree.toml --bytes 1K..1M --csv times.csv

docs/msccl.md: the supported part of the format, and how schedules are timed.";

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Read the schedule from this file, in the XML of MSCCL
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Set the length of the whole vector: 2K, a list 1K,4K, or a doubling range 8..1M (K is 1024 bytes, kB 1000)
    #[arg(long, value_name = "SIZES", default_value = "1M", allow_negative_numbers = true)]
    bytes: Sizes,

    /// Set the bytes of an element, which is never divided
    #[arg(long, value_name = "BYTES", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=4096))]
    element: u64,

    #[command(flatten)]
    machine: MachineOptions,

    /// Add the bandwidths in the terms of nccl-tests: bytes over time, and the bus bandwidth
    #[arg(long)]
    bandwidth: bool,

    /// Write the table as CSV, with exact times
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"))]
    csv: Option<PathBuf>,

    /// Write the time at which each rank ends, and what it sends, receives and computes, as CSV
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"))]
    per_rank: Option<PathBuf>,

    #[command(flatten)]
    record: RecordOptions,
}

/// Times for one length.
struct Row<'a> {
    setting: &'a Setting,
    program: &'a Program,
    bytes: u64,
    /// The schedule for this length.
    lowered: goal::Program,
    modeled: Span,
    /// The end of each rank.
    finished: Vec<Time>,
    best: Best,
}

/// Plan of *Auto* for the same data.
struct Best {
    name: String,
    modeled: Span,
    bound: Span,
}

/// Names of the CSV columns.
const FILE: &str = concat!(
    machine_columns!(),
    " operation name ranks bytes modeled_us auto_us algorithm ratio bound_us algbw_gb_s busbw_gb_s"
);

fn columns<'a>() -> Vec<Column<'a, Row<'a>>> {
    let specific = [
        Column::new("operation", |row: &Row| row.program.collective().name()),
        Column::new("name", |row: &Row| row.program.name().to_owned()),
        Column::new("ranks", |row: &Row| row.program.ranks() as u64),
        Column::new("bytes", |row: &Row| row.bytes),
        Column::new("modeled_us", |row: &Row| row.modeled).titled("modeled {unit}"),
        Column::new("auto_us", |row: &Row| row.best.modeled).titled("auto {unit}"),
        Column::new("algorithm", |row: &Row| row.best.name.clone()).titled("chosen by auto").left(),
        Column::new("ratio", Row::ratio).titled("/ auto"),
        Column::new("bound_us", |row: &Row| row.best.bound).titled("lower bound {unit}"),
        Column::new("algbw_gb_s", Row::bandwidth).titled("algbw GB/s"),
        Column::new("busbw_gb_s", Row::bus_bandwidth).titled("busbw GB/s"),
    ];
    setting::columns(|row: &Row<'a>| row.setting).into_iter().chain(specific).collect()
}

impl Row<'_> {
    /// Returns the ratio of the time to that of *Auto*; `None` if *Auto* takes no time.
    fn ratio(&self) -> Option<f64> {
        let best = self.best.modeled.as_secs_f64();
        (best > 0.0).then(|| self.modeled.as_secs_f64() / best)
    }

    /// The bytes of the vector over the time, in GB/s; none of what takes no time.
    fn bandwidth(&self) -> Option<f64> {
        let seconds = self.modeled.as_secs_f64();
        (seconds > 0.0).then(|| self.bytes as f64 / seconds / 1e9)
    }

    /// The bus bandwidth of nccl-tests in GB/s.
    fn bus_bandwidth(&self) -> Option<f64> {
        let ranks = self.program.ranks();
        let factor = match operation(self.program.collective()) {
            Some(operation) => operation.bus_factor(ranks)?,
            None => (ranks - 1) as f64 / ranks as f64,
        };
        Some(self.bandwidth()? * factor)
    }
}

/// Reads the schedule, and prints its times.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let machine = &arguments.machine.spec()?;
    let setting = &Setting::of(machine, DEFAULT_SEED);
    let csv = CsvFile::create(arguments.csv.as_deref(), FILE)?;
    let per_rank = RankTimes::create(arguments.per_rank.as_deref())?;
    let program = &read(&arguments.file)?;
    let titles: Vec<String> = arguments
        .bytes
        .as_slice()
        .iter()
        .map(|&bytes| format!("{}, {}", arguments.file.display(), format_bytes(bytes)))
        .collect();
    let mut recorder = Recorder::create(&arguments.record, titles)?;
    let rows = csv.fill(|csv| {
        let mut rows = Vec::new();
        for bytes in &arguments.bytes {
            let row = timed(program, (machine, setting), bytes, arguments.element)?;
            csv.row(record(&columns(), FILE, &row))?;
            rows.push(row);
        }
        Ok(rows)
    })?;
    let (ranks, chunks) = (counted(program.ranks(), "rank"), counted(program.chunks(), "chunk"));
    writeln!(
        out,
        "{} on {}{}: {} of {ranks}, {chunks}; the result of every rank is correct\n",
        arguments.file.display(),
        machine.name(),
        setting.title(),
        program.collective(),
    )?;
    let unit = Unit::of(rows.iter().flat_map(|row| [row.modeled, row.best.modeled]));
    let bandwidths = if arguments.bandwidth { " algbw_gb_s busbw_gb_s" } else { "" };
    let shown = format!("bytes modeled_us auto_us ratio bound_us{bandwidths} algorithm");
    write!(out, "{}", table(&columns(), &shown, &rows, unit))?;
    let ranks: Vec<(String, &goal::Program, &[Time])> =
        rows.iter().map(|row| (row.bytes.to_string(), &row.lowered, &row.finished[..])).collect();
    per_rank.fill(&ranks)?;
    if arguments.record.is_given() {
        let machine = Machine::builder(machine.clone()).trace(true).build()?;
        for (number, row) in rows.iter().enumerate() {
            recorder.play(number, &machine, &row.lowered, Sends::Blocking)?;
        }
    }
    recorder.finish(out)
}

/// Reads the schedule of a file.
pub(super) fn read(path: &Path) -> Result<Program, Error> {
    let text = input::read(path)
        .map_err(|cause| Error::usage(format!("{} cannot be read: {cause}", path.display())))?;
    Program::read(&text).map_err(|cause| Error::usage(format!("{}: {cause}", path.display())))
}

fn timed<'a>(
    program: &'a Program,
    (machine, setting): (&MachineSpec, &'a Setting),
    bytes: u64,
    element: u64,
) -> Result<Row<'a>, Error> {
    if !bytes.is_multiple_of(element) {
        let bytes = format_bytes(bytes);
        return Err(Error::usage(format!(
            "{bytes} is not a multiple of the element ({element} bytes): choose another --bytes or --element"
        )));
    }
    let lowered = program.goal(bytes, element, machine).map_err(Error::usage)?;
    let predicted = goal::predict(machine, &lowered, Sends::Blocking).map_err(|cause| match cause {
        cause @ goal::PredictError::Ranks(_) => Error::usage(cause),
        cause => Error::Predict(cause),
    })?;
    let best = best(program, machine, bytes, element).map_err(Error::usage)?;
    // A library carries out the schedule as one call of a collective operation, as the plan of *Auto*.
    let call = machine.parameters().call_overhead();
    let modeled = predicted.modeled.since_start() + call;
    let finished = predicted.finished.iter().map(|&end| end + call).collect();
    Ok(Row { setting, program, bytes, lowered, modeled, finished, best })
}

/// Plans the operation by *Auto*, for the same vector and nodes.
fn best(program: &Program, machine: &MachineSpec, bytes: u64, element: u64) -> Result<Best, Failure> {
    let (ranks, elements) = (program.ranks(), bytes / element);
    let Some(operation) = operation(program.collective()) else {
        let each = elements / ranks as u64 * element;
        let of_pair = |from: usize, to: usize| if from != to && from.max(to) < ranks { each } else { 0 };
        let instance = all_to_all::Instance::new(machine, Matrix::of(machine.nodes(), of_pair)?)?;
        let plan = all_to_all::Algorithm::AUTO.plan(&instance)?;
        let modeled = plan.prediction().map_or(Span::ZERO, |prediction| prediction.modeled.since_start());
        return Ok(Best { name: plan.name().to_owned(), modeled, bound: instance.lower_bound().time() });
    };
    let members: Vec<usize> = (0..ranks).collect();
    let task = Task::builder(machine, operation).members(members).elements(elements).element_bytes(element);
    let task = task.build()?;
    let plan = collective::Algorithm::AUTO.plan(&task)?;
    let modeled = plan.prediction().modeled.since_start();
    Ok(Best { name: plan.name().to_owned(), modeled, bound: task.lower_bound().time() })
}

/// The collective operation of a schedule; `None` for an all-to-all.
fn operation(collective: Collective) -> Option<Operation> {
    match collective {
        Collective::AllGather => Some(Operation::AllGather),
        Collective::ReduceScatter => Some(Operation::ReduceScatter),
        Collective::AllToAll => None,
        _ => Some(Operation::AllReduce),
    }
}
