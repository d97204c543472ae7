//! `multicomputer run`: an MPI program in C, C++ or Fortran on a machine.

use std::{
    ffi::OsString,
    io::{self, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::{Args, ValueHint};
use multicomputer::{Run, Span, collective, explore::Order, model::MachineSpec, plan::Effort, units};
use multicomputer_mpi_abi::{Compute, Options, Program, Storage};
use multicomputer_study::{Algorithm, Operation, algorithms_named};

use super::{
    compare::Explanations,
    count::counted,
    error::Error,
    files::{TextFile, Traces},
    options::{MachineOptions, RunOptions, read_bytes},
    setting::{DEFAULT_SEED, Setting},
};

const EXAMPLES: &str = "\
Examples:
  multicomputer cc jacobi.c -o jacobi                         compile and link; also c++ and fortran
  multicomputer run -n 4 ./jacobi 1024                        on 4 nodes, each linked with all others
  multicomputer run --machine paragon:16x16 ./jacobi 1024     on all 256 nodes of a Paragon
  multicomputer run --machine cm5:32 -n 20 ./jacobi 1024      on the first 20 nodes of a CM-5
  multicomputer run --machine paragon:4x4 --svg jacobi.svg --explain ./jacobi 1024
                                                              the same, drawn and explained
  multicomputer cc --count -O2 jacobi.c -o jacobi && multicomputer run -n 4 --compute counted:2ns ./jacobi
                                                              computation takes 2 ns for each basic block

All arguments after the program are the program's. Exit status: that of the first rank that failed, 128 + the \
number of the signal that ended a rank, 1 for other failures of the run, 2 for wrong arguments.";

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Run this program, which `multicomputer cc`, `c++` or `fortran` has linked, with these arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,

    #[command(flatten)]
    on: Where,

    /// Run in virtual time with this order of arrival, a file that `multicomputer check --save` has written
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    order: Option<PathBuf>,

    /// Use this algorithm for an operation, such as allreduce=ring or broadcast=16x32:SMC, or for all operations what
    /// another library chooses: mpich or openmpi; repeatable, the last one for an operation counts [default: the
    /// fastest for each call]
    #[arg(long, value_name = "OPERATION=ALGORITHM", value_parser = read_choice)]
    collective: Vec<Choice>,

    /// Begin each line of output with its rank
    #[arg(long)]
    label_output: bool,

    /// Choose the time of computation between calls of MPI: free, measured:F (processor time on this host times F; it
    /// differs from run to run) or counted:TIME (for each basic block of a program compiled with --count)
    #[arg(long, value_name = "HOW", default_value = "free", value_parser = read_compute)]
    compute: Compute,

    /// Let MPI-IO take time: a storage serves one read or write after the other, each in the latency plus its bytes divided
    /// by the bandwidth, as latency=1ms,bandwidth=100MB/s
    #[arg(long, value_name = "STORAGE", value_parser = read_storage)]
    storage: Option<Storage>,

    /// Set the stack size of each rank
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = read_bytes)]
    stack: u64,

    /// Do not print the modeled time at the end
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    run: RunOptions,
}

/// The ranks of a program and the machine.
#[derive(Args, Debug)]
pub(super) struct Where {
    /// Set the number of ranks: on the first nodes of the machine, or, without a machine, on as many nodes that are all
    /// linked with each other; also -np [default: all nodes of the machine]
    #[arg(short = 'n', long, value_name = "RANKS", value_parser = clap::value_parser!(u32).range(1..))]
    ranks: Option<u32>,

    #[command(flatten)]
    machine: MachineOptions,
}

impl Where {
    pub(super) fn spec(&self) -> Result<MachineSpec, Error> {
        match self.ranks {
            None if !self.machine.is_given() => Err(Error::usage(
                "give the number of ranks (-n 4), a machine (--machine paragon:4x4), or both",
            )),
            Some(ranks) if !self.machine.is_given() => {
                let spec = format!("complete:{ranks}").parse().map_err(Error::usage)?;
                self.machine.change.changed(spec)
            }
            _ => self.machine.spec(),
        }
    }

    pub(super) fn ranks(&self) -> Option<usize> {
        self.ranks.map(|ranks| ranks as usize)
    }
}

/// Runs the program.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    arguments.check()?;
    let spec = arguments.run.disturbed(&arguments.on.spec()?)?;
    let csv = arguments.run.csv.as_deref().map(TextFile::create).transpose()?;
    let title = arguments.title();
    let goal = arguments.run.goal.as_deref().map(TextFile::create).transpose()?;
    let mut traces = Traces::create(&arguments.run.record, &[String::new()])?;
    let order = arguments.order.as_deref().map(read_order).transpose()?;
    let program = Program::load(arguments.path())?;
    // A program calls collective operations of many lengths and on many groups, so that searches would take most of the time.
    let effort = arguments.run.effort.unwrap_or(Effort::Estimate);
    let is_recorded = goal.is_some() || arguments.run.record.is_given();
    let machine = arguments.run.builder(&spec, arguments.run.clock())?;
    let machine = machine.effort(effort).stack_size(arguments.stack as usize).trace(is_recorded).build()?;
    let options = arguments.options();
    let run = match order {
        Some(order) => program.replay(&machine, &options, &order)?,
        None => program.run(&machine, &options)?,
    };
    if let Some(csv) = csv {
        let mut text = Vec::new();
        run.report.write_nodes_csv(&mut text).map_err(io::Error::other)?;
        csv.write(&String::from_utf8_lossy(&text))?;
    }
    if let Some(goal) = goal {
        let mut text = Vec::new();
        run.write_goal(&mut text).map_err(Error::usage)?;
        goal.write(&String::from_utf8_lossy(&text))?;
    }
    traces.write("", [&title, &title], &run)?;
    traces.finish()?;
    let mut explanations = Explanations::new(arguments.run.record.explain);
    explanations.add(&title, &run);
    if !arguments.quiet {
        arguments.show(&spec, &run)?;
    }
    write!(out, "{traces}{explanations}")?;
    match run.outputs.iter().find(|status| **status != 0) {
        Some(&status) => Err(Error::Exit { status: status as u8 }),
        None => Ok(()),
    }
}

impl Arguments {
    /// Refuses shared options that this command does not have.
    fn check(&self) -> Result<(), Error> {
        let given = [("--plot", self.run.plot.is_some()), ("--msccl", self.run.msccl.is_some())];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Error::usage(format!("{option} is not an option of `run`"))),
            None => Ok(()),
        }
    }

    fn path(&self) -> PathBuf {
        self.program.first().map(PathBuf::from).unwrap_or_default()
    }

    fn title(&self) -> String {
        let words: Vec<_> = self.program.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    fn options(&self) -> Options {
        let mut options = Options::default();
        options.ranks = self.on.ranks();
        options.arguments = self.program.iter().skip(1).cloned().collect();
        options.compute = self.compute;
        options.storage = self.storage;
        options.is_labelled = self.label_output;
        for choice in self.collective.iter().flat_map(|Choice(all)| all) {
            match choice.clone() {
                (Operation::Collective(operation), Algorithm::Collective(algorithm)) => {
                    options.algorithms.insert(operation, algorithm);
                }
                (_, Algorithm::AllToAll(algorithm)) => options.exchange = Some(algorithm),
                // `read_choice` accepts no other pair.
                _ => {}
            }
        }
        options
    }

    /// Prints the modeled time to standard error: standard output is the program's.
    fn show<T>(&self, spec: &MachineSpec, run: &Run<T>) -> Result<(), Error> {
        let report = &run.report;
        let ranks = self.on.ranks().unwrap_or(spec.nodes());
        let kind = if report.is_modeled { "modeled" } else { "wall-clock" };
        writeln!(
            io::stderr(),
            "{} on {}{}: {kind} time {}, {} ({}), on this host {:.3?}",
            counted(ranks, "rank"),
            spec.name(),
            Setting::of(spec, DEFAULT_SEED).title(),
            report.makespan,
            counted(report.messages, "message"),
            units::format_bytes(report.bytes),
            run.wall,
        )?;
        Ok(())
    }
}

/// Reads an order of arrival.
fn read_order(path: &Path) -> Result<Order, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|cause| Error::usage(format!("cannot read {}: {cause}", path.display())))?;
    text.parse().map_err(|cause| Error::usage(format!("{}: {cause}", path.display())))
}

/// Operations, each with its algorithm.
#[derive(Clone, Debug)]
struct Choice(Vec<(Operation, Algorithm)>);

/// Parses an operation and its algorithm, or a selector for all operations.
fn read_choice(text: &str) -> Result<Choice, String> {
    let Some((operation, name)) = text.split_once('=') else {
        let operations = collective::Operation::ALL.map(Operation::Collective).into_iter();
        let all = operations.chain([Operation::AllToAll]).map(|operation| read_algorithm(operation, text));
        let refused =
            |_| "give an operation and an algorithm, such as allreduce=ring, or mpich or openmpi".into();
        return all.collect::<Result<_, _>>().map(Choice).map_err(refused);
    };
    let operation = Operation::named(operation)?;
    if operation == Operation::SToP {
        return Err("MPI has no s-to-p broadcast".into());
    }
    Ok(Choice(vec![read_algorithm(operation, name)?]))
}

/// Parses the algorithm of an operation.
fn read_algorithm(operation: Operation, name: &str) -> Result<(Operation, Algorithm), String> {
    match &algorithms_named(operation, name)?[..] {
        [algorithm] => Ok((operation, algorithm.clone())),
        _ => Err(format!("`{name}` stands for several algorithms: give one")),
    }
}

/// What `--storage` takes.
const STORAGE_FORM: &str =
    "give a bandwidth above 0, and a latency if there is one, such as latency=1ms,bandwidth=100MB/s";

/// Parses a storage.
fn read_storage(text: &str) -> Result<Storage, String> {
    let (mut latency, mut bandwidth) = (Span::ZERO, None);
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or(STORAGE_FORM)?;
        match name {
            "latency" => {
                let seconds = units::parse_seconds(value).map_err(|cause| cause.to_string())?;
                latency = Span::try_from_secs_f64(seconds).map_err(|cause| cause.to_string())?;
            }
            "bandwidth" => {
                bandwidth = Some(units::parse_bytes_per_second(value).map_err(|cause| cause.to_string())?);
            }
            _ => return Err(STORAGE_FORM.into()),
        }
    }
    match bandwidth {
        Some(bandwidth) if bandwidth > 0.0 => Ok(Storage { latency, bandwidth }),
        _ => Err(STORAGE_FORM.into()),
    }
}

/// Parses the time of computation.
fn read_compute(text: &str) -> Result<Compute, String> {
    let (name, value) = match text.split_once(':') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    match (name, value) {
        ("free", None) => Ok(Compute::Free),
        ("measured", value) => match f64::from_str(value.unwrap_or("1")) {
            Ok(factor) if factor.is_finite() && factor >= 0.0 => Ok(Compute::Measured(factor)),
            _ => Err("the factor of measured:F is a number, at least 0".into()),
        },
        ("counted", value) => {
            let seconds = value.map_or(Ok(1e-9), units::parse_seconds).map_err(|cause| cause.to_string())?;
            let span = Span::try_from_secs_f64(seconds).map_err(|cause| cause.to_string())?;
            Ok(Compute::Counted(span))
        }
        _ => Err("give free, measured:F or counted:TIME, such as measured:1 and counted:2ns".into()),
    }
}
