//! `multicomputer goal`: a program in GOAL, the format of LogGOPSim, or a trace of SMPI, timed on a machine or run on threads.

use std::{
    io::Write,
    path::PathBuf,
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
    compare::{Explanations, record},
    count::counted,
    error::Error,
    files::{CsvFile, Traces, harmless, micros, output_file},
    options::MachineOptions,
    recording::{self, RankTimes, RecordOptions},
    setting::{self, DEFAULT_SEED, Setting, machine_columns},
};

mod source;

use self::source::Source;

const EXAMPLES: &str = "\
Examples:
  multicomputer goal bcast.goal --machine complete:64         its time, predicted without threads
  multicomputer goal bcast.goal --machine loggp.toml --csv times.csv
  generate | multicomputer goal - --machine paragon:8x8       from standard input
  multicomputer goal bcast.goal --machine paragon:8x8 --clock virtual
                                                              run on threads, every byte checked
  multicomputer goal bcast.goal --machine paragon:8x8 --svg bcast.svg --explain
                                                              the same, drawn and explained
  multicomputer goal trace.txt --machine h100:8 --flops 10T    a time-independent trace of SMPI

docs/goal.md: the supported part of the format, and the parameters L, o, g and G of LogGOPSim on \
 these machines.";

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Read the program from this file: GOAL, binary GOAL, or time-independent traces of SMPI (one file, or a file that
    /// lists them); - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    machine: MachineOptions,

    /// Run the program on threads under this clock, with receivers that check every byte: virtual, real, real:4 or
    /// host [default: predict its virtual time without threads]
    #[arg(long, value_name = "CLOCK", value_parser = clock::read)]
    clock: Option<Clock>,

    /// Choose when a send ends for the operations that require it: eager, when its overhead is paid, as in LogGOPSim;
    /// or blocking, when the message has left, as in schedules that --goal writes [default: eager; of traces: blocking]
    #[arg(long, value_name = "WHEN")]
    sends: Option<When>,

    /// Set the rate of a node in flop/s, for the computations of traces: 2.5G
    #[arg(long, value_name = "RATE", value_parser = source::rate, allow_negative_numbers = true)]
    flops: Option<f64>,

    /// Write the result as CSV, with exact times
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"))]
    csv: Option<PathBuf>,

    /// Write the time at which each rank ends, and what it sends, receives and computes, as CSV
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"))]
    per_rank: Option<PathBuf>,

    #[command(flatten)]
    record: RecordOptions,
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
pub(super) struct Carried {
    /// Time by the clock of the run; modeled time for a prediction.
    time: Time,
    /// The end of each rank.
    finished: Vec<Time>,
    unreceived: u64,
}

/// Reads the program, predicts or runs it, and prints its time.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let spec = arguments.machine.spec()?;
    let csv = CsvFile::create(arguments.csv.as_deref(), FILE)?;
    let per_rank = RankTimes::create(arguments.per_rank.as_deref())?;
    let mut recorder = Recorder::create(&arguments.record, vec![arguments.file.display().to_string()])?;
    let ((program, when), read) = timed(|| {
        let source = Source::read(&arguments.file)?;
        let default = if source.is_blocking() { When::Blocking } else { When::Eager };
        Ok((source.program(&spec, arguments.flops)?, arguments.sends.unwrap_or(default)))
    })?;
    // Only runs are recorded. Threads are started only for a machine that this host can run.
    let recorded = arguments.record.is_given().then_some(Clock::Virtual);
    let machine = arguments.clock.or(recorded).map(|clock| {
        arguments.record.check(clock)?;
        Ok::<_, Error>(
            Machine::builder(spec.clone()).clock(clock).trace(arguments.record.is_given()).build()?,
        )
    });
    let machine = machine.transpose()?;
    let sends = when.sends();
    let (carried, wall) = timed(|| match &machine {
        Some(machine) => recorder.play(0, machine, &program, sends),
        None => predict(&spec, &program, sends),
    })?;
    let setting = Setting::of(&spec, DEFAULT_SEED);
    csv.fill(|csv| csv.row(row(arguments, when, &setting, &program, &carried, [wall, read])))?;
    per_rank.fill(&[(String::new(), &program, &carried.finished)])?;
    show(arguments, &format!("{}{}", spec.name(), setting.title()), &program, &carried, [wall, read], out)?;
    recorder.finish(out)
}

/// Returns the result of `work` and its wall-clock time.
fn timed<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<(T, Duration), Error> {
    let start = Instant::now();
    Ok((work()?, start.elapsed()))
}

fn predict(spec: &MachineSpec, program: &Program, sends: Sends) -> Result<Carried, Error> {
    let predicted = goal::predict(spec, program, sends).map_err(|cause| match cause {
        cause @ goal::PredictError::Ranks(_) => Error::usage(cause),
        cause => Error::Predict(cause),
    })?;
    Ok(Carried { time: predicted.modeled, finished: predicted.finished, unreceived: predicted.unreceived })
}

/// The recordings of runs of programs.
#[derive(Debug)]
pub(super) struct Recorder {
    titles: Vec<String>,
    labels: Vec<String>,
    traces: Traces,
    explanations: Explanations,
}

impl Recorder {
    /// Prepares the recordings of runs with these titles.
    pub(super) fn create(options: &RecordOptions, titles: Vec<String>) -> Result<Recorder, Error> {
        // The part that tells titles apart is behind the comma.
        let label = |title: &String| harmless(title.rsplit(", ").next().unwrap_or_default(), "._");
        let labels: Vec<String> = titles.iter().map(label).collect();
        let traces = Traces::create(options, &labels)?;
        Ok(Recorder { titles, labels, traces, explanations: Explanations::new(options.explain) })
    }

    /// Runs a program on threads, and records the run under the title of this number.
    pub(super) fn play(
        &mut self,
        number: usize,
        machine: &Machine,
        program: &Program,
        sends: Sends,
    ) -> Result<Carried, Error> {
        let run = machine.run(|node| Ok(program.play(node, sends)?))?;
        let title = &self.titles[number];
        self.traces.write(&self.labels[number], [title, title], &run)?;
        self.explanations.add(title, &run);
        let ends = run.report.nodes.iter().take(program.ranks()).map(|node| node.finished);
        let unreceived = run.report.unreceived.len() as u64;
        Ok(Carried { time: run.report.makespan, finished: ends.collect(), unreceived })
    }

    /// Writes what is about all runs together, and prints the explanations.
    pub(super) fn finish(mut self, out: &mut impl Write) -> Result<(), Error> {
        self.traces.finish()?;
        Ok(write!(out, "{}{}", self.traces, self.explanations)?)
    }
}

fn row(
    arguments: &Arguments,
    when: When,
    setting: &Setting,
    program: &Program,
    carried: &Carried,
    [wall, read]: [Duration; 2],
) -> Vec<String> {
    let machine = record(&setting::columns(|setting: &Setting| setting), machine_columns!(), setting);
    let result = [
        format!("{when:?}").to_lowercase(),
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
        None if arguments.record.is_given() => ("modeled", "run on threads"),
        None => ("modeled", "predicted"),
    };
    writeln!(out, "\n{kind} time   {}", carried.time)?;
    let second = (read + wall).as_secs_f64();
    let rate = if second > 0.0 { (messages as f64 / second).round() } else { 0.0 };
    if let Some(ends) = recording::ends(&carried.finished) {
        writeln!(out, "ranks end     {ends}")?;
    }
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
