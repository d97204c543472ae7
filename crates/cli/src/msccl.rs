//! `multicomputer msccl`: times an MSCCL schedule on a machine, next to the time of *Auto* and the lower bound.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args;
use multicomputer::{
    Span,
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
    options::MachineOptions,
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

    /// Write the table as CSV, with exact times
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"))]
    csv: Option<PathBuf>,
}

/// Times for one length.
struct Row<'a> {
    setting: &'a Setting,
    program: &'a Program,
    bytes: u64,
    modeled: Span,
    best: Best,
}

/// Plan of *Auto* for the same data.
struct Best {
    name: String,
    modeled: Span,
    bound: Span,
}

/// Names of the CSV columns.
const FILE: &str =
    concat!(machine_columns!(), " operation name ranks bytes modeled_us auto_us algorithm ratio bound_us");

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
    ];
    setting::columns(|row: &Row<'a>| row.setting).into_iter().chain(specific).collect()
}

impl Row<'_> {
    /// Returns the ratio of the time to that of *Auto*; `None` if *Auto* takes no time.
    fn ratio(&self) -> Option<f64> {
        let best = self.best.modeled.as_secs_f64();
        (best > 0.0).then(|| self.modeled.as_secs_f64() / best)
    }
}

/// Reads the schedule, and prints its times.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let machine = &arguments.machine.spec()?;
    let setting = &Setting::of(machine, DEFAULT_SEED);
    let csv = CsvFile::create(arguments.csv.as_deref(), FILE)?;
    let program = &read(&arguments.file)?;
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
    write!(out, "{}", table(&columns(), "bytes modeled_us auto_us ratio bound_us algorithm", &rows, unit))?;
    Ok(())
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
    // A library carries out the schedule as one call of a collective operation, as that of *Auto*.
    let modeled = predicted.modeled.since_start() + machine.parameters().call_overhead();
    Ok(Row { setting, program, bytes, modeled, best })
}

/// Plans the operation by *Auto*, for the same vector and nodes.
fn best(program: &Program, machine: &MachineSpec, bytes: u64, element: u64) -> Result<Best, Failure> {
    let (ranks, elements) = (program.ranks(), bytes / element);
    let operation = match program.collective() {
        Collective::AllGather => Operation::AllGather,
        Collective::ReduceScatter => Operation::ReduceScatter,
        Collective::AllToAll => {
            let each = elements / ranks as u64 * element;
            let of_pair = |from: usize, to: usize| if from != to && from.max(to) < ranks { each } else { 0 };
            let instance = all_to_all::Instance::new(machine, Matrix::of(machine.nodes(), of_pair)?)?;
            let plan = all_to_all::Algorithm::AUTO.plan(&instance)?;
            let modeled = plan.prediction().map_or(Span::ZERO, |prediction| prediction.modeled.since_start());
            return Ok(Best { name: plan.name().to_owned(), modeled, bound: instance.lower_bound().time() });
        }
        _ => Operation::AllReduce,
    };
    let members: Vec<usize> = (0..ranks).collect();
    let task = Task::builder(machine, operation).members(members).elements(elements).element_bytes(element);
    let task = task.build()?;
    let plan = collective::Algorithm::AUTO.plan(&task)?;
    let modeled = plan.prediction().modeled.since_start();
    Ok(Best { name: plan.name().to_owned(), modeled, bound: task.lower_bound().time() })
}
