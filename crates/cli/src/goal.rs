//! `multicomputer goal`: times a program in GOAL, the text format of LogGOPSim, on a machine, or runs it on threads.

use std::{
    fs::File,
    io::{self, BufReader, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use multicomputer::{
    Clock, Machine, Span, Time,
    goal::{self, Program, Sends},
    model::MachineSpec,
    units::format_bytes,
};

use super::{
    clock,
    compare::record,
    count::counted,
    error::Error,
    files::{CsvFile, micros, output_file},
    options::MachineOptions,
    setting::{self, DEFAULT_SEED, Setting, machine_columns},
};

const EXAMPLES: &str = "\
Examples:
  multicomputer goal bcast.goal --machine complete:64         its time, predicted without threads
  multicomputer goal bcast.goal --machine loggp.toml --csv times.csv
  generate | multicomputer goal - --machine paragon:8x8       from standard input
  multicomputer goal bcast.goal --machine paragon:8x8 --clock virtual
                                                              run on threads, every byte checked

docs/goal.md: the supported part of the format, and the parameters L, o, g and G of LogGOPSim on \
 these machines.";

/// Size of the read buffer, in bytes.
const READ_BUFFER: usize = 1 << 16;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Read the program from this GOAL file; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    machine: MachineOptions,

    /// Run the program on threads under this clock, with receivers that check every byte: virtual, real, real:4 or
    /// host [default: predict its virtual time without threads]
    #[arg(long, value_name = "CLOCK", value_parser = clock::read)]
    clock: Option<Clock>,

    /// Choose when a send ends for the operations that require it: eager, when its overhead is paid, as in LogGOPSim;
    /// or blocking, when the message has left, as in schedules that --goal writes
    #[arg(long, value_name = "WHEN", default_value = "eager")]
    sends: When,

    /// Write the result as CSV, with exact times
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"))]
    csv: Option<PathBuf>,
}

/// Option values for the end of sends.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum When {
    Eager,
    Blocking,
}

impl When {
    fn sends(self) -> Sends {
        match self {
            When::Eager => Sends::Eager,
            When::Blocking => Sends::Blocking,
        }
    }
}

/// Names of the CSV columns.
const FILE: &str = concat!(
    "file ",
    machine_columns!(),
    " sends clock ranks operations messages bytes modeled_us wall_us read_us unreceived"
);

/// Result of a run or a prediction.
struct Carried {
    /// Time by the clock of the run; modeled time for a prediction.
    time: Time,
    unreceived: u64,
}

/// Reads the program, predicts or runs it, and prints its time.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let spec = arguments.machine.spec()?;
    let csv = CsvFile::create(arguments.csv.as_deref(), FILE)?;
    let (program, read) = timed(|| read(&arguments.file))?;
    // A machine that this host cannot run is refused before threads start.
    let machine = arguments.clock.map(|clock| Machine::builder(spec.clone()).clock(clock).build());
    let machine = machine.transpose()?;
    let (carried, wall) = timed(|| match &machine {
        Some(machine) => play(machine, &program, arguments.sends.sends()),
        None => predict(&spec, &program, arguments.sends.sends()),
    })?;
    let setting = Setting::of(&spec, DEFAULT_SEED);
    csv.fill(|csv| csv.row(row(arguments, &setting, &program, &carried, [wall, read])))?;
    show(arguments, &format!("{}{}", spec.name(), setting.title()), &program, &carried, [wall, read], out)
}

/// Returns the result of `work` and its wall-clock time.
fn timed<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<(T, Duration), Error> {
    let start = Instant::now();
    Ok((work()?, start.elapsed()))
}

fn read(path: &Path) -> Result<Program, Error> {
    let program = if path == Path::new("-") {
        Program::read(io::stdin().lock())
    } else {
        let file = File::open(path)
            .map_err(|cause| Error::usage(format!("{} cannot be read: {cause}", path.display())))?;
        Program::read(BufReader::with_capacity(READ_BUFFER, file))
    };
    program.map_err(|cause| Error::usage(format!("{}: {cause}", path.display())))
}

fn predict(spec: &MachineSpec, program: &Program, sends: Sends) -> Result<Carried, Error> {
    let predicted = goal::predict(spec, program, sends).map_err(|cause| match cause {
        cause @ goal::PredictError::Ranks(_) => Error::usage(cause),
        cause => Error::Predict(cause),
    })?;
    Ok(Carried { time: predicted.modeled, unreceived: predicted.unreceived })
}

fn play(machine: &Machine, program: &Program, sends: Sends) -> Result<Carried, Error> {
    let run = machine.run(|node| Ok(program.play(node, sends)?))?;
    Ok(Carried { time: run.report.makespan, unreceived: run.report.unreceived.len() as u64 })
}

fn row(
    arguments: &Arguments,
    setting: &Setting,
    program: &Program,
    carried: &Carried,
    [wall, read]: [Duration; 2],
) -> Vec<String> {
    let machine = record(&setting::columns(|setting: &Setting| setting), machine_columns!(), setting);
    let result = [
        format!("{:?}", arguments.sends).to_lowercase(),
        arguments.clock.map_or("none", clock::name).to_owned(),
        program.ranks().to_string(),
        program.operations_in_all().to_string(),
        program.messages().to_string(),
        program.bytes().to_string(),
        micros(carried.time.since_start()),
        micros(Span::from(wall)),
        micros(Span::from(read)),
        carried.unreceived.to_string(),
    ];
    [arguments.file.display().to_string()].into_iter().chain(machine).chain(result).collect()
}

fn show(
    arguments: &Arguments,
    machine: &str,
    program: &Program,
    carried: &Carried,
    [wall, read]: [Duration; 2],
    out: &mut impl Write,
) -> Result<(), Error> {
    let (messages, operations) = (program.messages(), program.operations_in_all());
    writeln!(
        out,
        "{} on {machine}: {}, {}, {}, {}",
        arguments.file.display(),
        counted(program.ranks(), "rank"),
        counted(operations, "operation"),
        counted(messages, "message"),
        format_bytes(program.bytes()),
    )?;
    let (kind, how) = match arguments.clock {
        Some(clock) => (clock::kind_of_time(clock), "run on threads"),
        None => ("modeled", "predicted"),
    };
    writeln!(out, "\n{kind} time   {}", carried.time)?;
    let second = (read + wall).as_secs_f64();
    let rate = if second > 0.0 { (messages as f64 / second).round() } else { 0.0 };
    writeln!(out, "host          read in {read:.3?}, {how} in {wall:.3?}: {rate} messages a second")?;
    if program.foreign() > 0 {
        writeln!(
            out,
            "\n{} a cpu or nic other than 0: a node has one of each, so these operations run one after another.",
            match program.foreign() {
                1 => "1 operation names".to_owned(),
                foreign => format!("{foreign} operations name"),
            }
        )?;
    }
    if carried.unreceived > 0 {
        writeln!(out, "\nNever received: {}.", counted(carried.unreceived, "message"))?;
    }
    Ok(())
}
