//! The command line: reads the arguments, runs the command they name, and turns its result into an exit status.
//!
//! Results go to standard output, or to standard error if an output file is named `-`; progress, logs and errors go to standard error. The exit status is 0 for success, 1 for
//! a run that failed, 2 for arguments that are wrong.
//!
//! A command is a file with an `Arguments` and a `run`, a line in [`Command`] and one in `dispatch`. [`demo`] is the
//! one that is meant when none is named.

mod all_to_all;
mod calibrate;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod check;
mod collective;
mod compare;
mod count;
mod demo;
mod documents;
mod error;
mod files;
mod goal;
mod lists;
mod machine;
#[cfg(feature = "mpi")]
mod mpi;
mod msccl;
mod operations;
mod options;
mod pace;
mod patience;
mod plot;
mod progress;
#[cfg(feature = "mpi")]
mod ranks;
mod recording;
mod reproduce;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod run;
mod s_to_p;
#[cfg(feature = "serve")]
mod serve;
mod setting;
mod site;
mod study;
mod table;
mod textbook;
mod tune;
mod unit;
#[cfg(not(feature = "mpi"))]
mod without_mpi;
#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
mod without_programs;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod wrappers;

use std::{
    ffi::OsString,
    io::{self, IsTerminal, Write},
    panic::resume_unwind,
    path::Path,
    process::ExitCode,
    thread,
};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};
use multicomputer::{collective::Operation, names};
use multicomputer_study::{clock, data};
use tracing_subscriber::EnvFilter;

use self::{error::Error, site::Site};
#[cfg(not(feature = "mpi"))]
use without_mpi as mpi;
#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
use without_programs::{self as check, self as run, self as wrappers};

/// A virtual multicomputer in one process: every node is a thread that runs blocking send/receive code, every link has
/// latency and shares its bandwidth, and modeled time is exact.
///
/// Without a command, runs `demo`: on an Intel Paragon of 10 x 10 nodes, 30 sources broadcast 2 KiB each to all nodes by
/// recursive halving (Br_Lin), from three placements of the sources, first in virtual time, then in real time. Every byte
/// that a node receives is checked.
#[derive(Debug, Parser)]
#[command(name = "multicomputer", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    demo: demo::Arguments,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer                                        the demonstration, in a few seconds
  multicomputer --clock virtual --mesh 16x32           on 512 nodes, in virtual time only
  multicomputer --clock real:4 --sources 50            in real time, 4 times slower than the Paragon
  multicomputer --bytes 64..64K --csv times.csv        a sweep over message lengths
  multicomputer --distribution row --clock virtual --trace row.json
                                                       a timeline for ui.perfetto.dev
  multicomputer --mesh 4x4 --distribution row --clock virtual --svg row.svg --heat links.svg
                                                       pictures: nodes over time, and the load of links
  multicomputer s-to-p --mesh 8x8 --algorithm br-lin,bucket --replay two.html
                                                       an animation of two algorithms, side by side
  multicomputer s-to-p --distribution square-block     all s-to-p algorithms on one problem
  multicomputer s-to-p --sources 10..100+10 --algorithm br-lin,2-step,auto
                                                       a sweep over the number of sources
  multicomputer collective broadcast --mesh 15x30 --bytes 8..64K
                                                       all algorithms of a collective operation, by length
  multicomputer collective broadcast --bytes 8..1M --plot times.svg
                                                       the same as a chart: time over length
  multicomputer all-to-all --machine cm5:32 --fan-out 8 --nonuniformity 1/8
                                                       all algorithms on one communication matrix
  multicomputer tune 8x8 all-gather                    the fastest algorithm for every length
  multicomputer textbook 4.7 --topology ring:8         an algorithm of the textbook, step by step
  multicomputer reproduce S0-F8                        a published figure beside modeled times
  multicomputer goal bcast.goal --machine complete:64  the time of a schedule of LogGOPSim
  multicomputer cc jacobi.c -o jacobi && multicomputer run --machine paragon:4x4 ./jacobi
                                                       an MPI program in C on a Paragon
  multicomputer msccl allreduce.xml --machine complete:8
                                                       the time of a schedule of MSCCL, beside auto's
  multicomputer machine cm5:32                         the network and the parameters of a machine
  multicomputer calibrate --nodes 16 > host.toml       this host's threads, measured as a machine
  multicomputer calibrate --from times.csv             a machine fitted to your own measured times
  mpirun -n 16 multicomputer mpi collective broadcast --bytes 8..1M
                                                       all algorithms on MPI ranks, and MPI's operation

Set RUST_LOG=info or RUST_LOG=multicomputer=debug for logs on standard error.
Exit status: 0 success, 1 a run failed, 2 wrong arguments.";

/// Stack size of the program's thread in bytes. The stack of the first thread depends on `ulimit -s`, which may be 64 KiB.
const STACK: usize = 8 << 20;

/// Commands whose name was another in earlier versions: former name, name.
const RENAMED: [(&str, &str); 2] = [("stop", "s-to-p"), ("exchange", "all-to-all")];

/// The command that clap adds.
const HELP: &str = "help";

#[derive(Debug, Subcommand)]
enum Command {
    /// Broadcast from many sources to all nodes, in virtual and in real time (the default command)
    Demo(demo::Arguments),
    /// Compare s-to-p broadcasting algorithms, on one problem or in a sweep
    #[command(name = "s-to-p")]
    SToP(s_to_p::Arguments),
    /// Compare algorithms for collective operations, for one length or for many
    Collective(collective::Arguments),
    /// Compare all-to-all algorithms, on one communication matrix or by traffic
    #[command(name = "all-to-all")]
    AllToAll(all_to_all::Arguments),
    /// Print the fastest algorithm of a collective operation for every length
    Tune(tune::Arguments),
    /// Show an algorithm or a figure of the textbook: messages of every step, equation, modeled time
    Textbook(textbook::Arguments),
    /// Compute published figures, tables and claims, and compare them with the papers
    Reproduce(reproduce::Arguments),
    /// Predict the time of a schedule in GOAL, the text format of LogGOPSim, or run it on threads
    Goal(goal::Arguments),
    /// Check and time a schedule of MSCCL, beside the algorithm that auto chooses
    Msccl(msccl::Arguments),
    /// Run an MPI program in C, C++ or Fortran, each rank on a node of a machine
    Run(run::Arguments),
    /// Find what is wrong with an MPI program, in every order in which messages can arrive
    Check(check::Arguments),
    /// Compile and link MPI programs in C, as mpicc does
    Cc(wrappers::Arguments),
    /// Compile and link MPI programs in C++, as mpicxx does
    #[command(name = "c++")]
    Cxx(wrappers::Arguments),
    /// Compile and link MPI programs in Fortran, as mpifort does
    Fortran(wrappers::Arguments),
    /// Compute a study: all combinations of the values of any axes, as a table of rows
    Study(study::Arguments),
    /// Merge the parts of a study into one table
    Merge(study::MergeArguments),
    /// Serve a page on which machines, operations and algorithms can be compared in a browser
    #[cfg(feature = "serve")]
    Serve(serve::Arguments),
    /// Draw a table of times as a chart: time or bandwidth over length, sources or nodes
    Plot(plot::Arguments),
    /// Print the network and the parameters of a machine
    Machine(machine::Arguments),
    /// Measure the threads of this host, or fit measured times, and print a machine file
    Calibrate(calibrate::Arguments),
    /// Compare algorithms with MPI's operations, or measure a machine, on the ranks that mpirun starts
    Mpi(mpi::Arguments),
    /// Print completions for a shell: bash, zsh, fish, elvish or powershell
    Completions(documents::CompletionsArguments),
    /// Print the manual page, of all commands or of one
    Man(documents::ManArguments),
}

/// Runs the program on a thread of its own, whose stack does not depend on `ulimit -s`.
fn main() -> ExitCode {
    match thread::Builder::new().name("main".into()).stack_size(STACK).spawn(run) {
        Ok(program) => program.join().unwrap_or_else(|panic| resume_unwind(panic)),
        // The host has no thread left: the command reports the error when it starts a node.
        Err(_) => run(),
    }
}

/// Runs the command of this process's arguments.
fn run() -> ExitCode {
    #[cfg(all(
        target_os = "linux",
        target_env = "gnu",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    if let Some(language) = arguments().get(1).and_then(|command| wrappers::Language::of(command)) {
        return wrappers::main(language, arguments().into_iter().skip(2));
    }
    let arguments = match read() {
        Ok(arguments) => arguments,
        #[cfg(feature = "mpi")]
        Err(refusal) if std::env::args_os().nth(1).is_some_and(|command| command == "mpi") => {
            return mpi::refused(&refusal);
        }
        Err(refusal) => {
            // Also --help and --version, which go to standard output.
            let printed = refusal.print().map_err(Error::Stdout);
            return match printed {
                _ if refusal.use_stderr() => ExitCode::from(error::USAGE),
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => ended(&error),
            };
        }
    };
    match start_logging().and_then(|()| dispatch(arguments, &mut Printed)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ended(&error),
    }
}

/// The names of other MPI libraries for commands, for links to this program with such a name.
const LINKS: &[(&str, &str)] = &[
    ("mpicc", "cc"),
    ("mpicxx", "c++"),
    ("mpic++", "c++"),
    ("mpif77", "fortran"),
    ("mpif90", "fortran"),
    ("mpifort", "fortran"),
    ("mpirun", "run"),
    ("mpiexec", "run"),
];

/// The arguments of this process. A link with one of the [names](LINKS) gives its command.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let name = arguments.first().and_then(|path| Path::new(path).file_name()).map(ToOwned::to_owned);
    if let Some((_, command)) = LINKS.iter().find(|(link, _)| name.as_deref() == Some(link.as_ref())) {
        arguments.insert(1, command.into());
    }
    arguments
}

/// The end of the program with an error.
fn ended(error: &Error) -> ExitCode {
    error.say();
    ExitCode::from(error.status())
}

/// The command line with all commands.
fn command_line() -> clap::Command {
    let command = CommandLine::command();
    #[cfg(feature = "mpi")]
    let command = mpi::adapted(command);
    command
}

/// Reads the arguments of this process.
fn read() -> Result<CommandLine, clap::Error> {
    let mut command = command_line();
    let mut arguments = with_current_name(arguments());
    if let Err(text) = find_commands(&command, &mut arguments) {
        return Err(command.error(ErrorKind::InvalidSubcommand, text));
    }
    if let Some(run) = command
        .find_subcommand("run")
        .filter(|run| arguments.get(1).is_some_and(|given| given == run.get_name()))
    {
        replace_np(run, &mut arguments);
    }
    let matches = command.try_get_matches_from_mut(arguments)?;
    CommandLine::from_arg_matches(&matches).map_err(|refusal| refusal.format(&mut command))
}

/// Replaces spelling variants of the names of commands, such as `AllToAll`, by the names, also after `help` and `mpi`.
fn find_commands(command: &clap::Command, arguments: &mut [OsString]) -> Result<(), String> {
    let (mut command, mut position) = (command, 1);
    while let Some(given) = arguments.get(position).and_then(|given| given.to_str()) {
        let has_commands = command.get_subcommands().next().is_some();
        if given.starts_with('-') || !has_commands {
            break;
        }
        let name = command_named(command, given)?;
        arguments[position] = OsString::from(&name);
        position += 1;
        match command.find_subcommand(&name) {
            Some(inner) => command = inner,
            // What follows `help` is a command as well.
            None if name == HELP => {}
            None => break,
        }
    }
    Ok(())
}

/// Replaces `-np`, the name of `-n` in `mpirun`, in the options of `run`, which end at the program.
fn replace_np(run: &clap::Command, arguments: &mut [OsString]) {
    let mut arguments = arguments.iter_mut().skip(2).peekable();
    while let Some(argument) = arguments.next() {
        if *argument == "-np" {
            *argument = "-n".into();
        }
        let Some(text) = argument.to_str().filter(|text| text.starts_with('-') && *text != "--") else {
            return;
        };
        let option = run.get_arguments().find(|option| match text.strip_prefix("--") {
            Some(long) => option.get_long() == Some(long),
            None => option.get_short().is_some_and(|short| text[1..] == *short.encode_utf8(&mut [0; 4])),
        });
        // A value that may be left out is none if it looks like an option.
        let is_option = |next: &&mut OsString| next.to_string_lossy().starts_with('-');
        if option.is_some_and(|option| option.get_action().takes_values()) {
            arguments.next_if(|next| !is_option(next));
        }
    }
}

/// The name of the command that is given in any spelling.
fn command_named(command: &clap::Command, given: &str) -> Result<String, String> {
    let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).chain([HELP]).collect();
    let plain = names::normalized(given);
    if let Some(name) = known.iter().find(|name| names::normalized(name) == plain) {
        return Ok((*name).to_owned());
    }
    if let Some(operation) = Operation::named(given).filter(|_| known.contains(&"collective")) {
        return Err(format!("`{given}` is an operation, not a command: write `collective {operation}`"));
    }
    let variants = ["alltoallv", "alltoallw", "mpialltoall", "mpialltoallv"];
    let nearest = match &plain[..] {
        plain if variants.contains(&plain) => Some("all-to-all".to_owned()),
        _ => names::nearest(given, &known),
    };
    Err(names::unknown("command", given, nearest, &known.join(", ")))
}

/// Replaces the [former name](RENAMED) of a command, with a warning unless it is given to `mpi`, where every rank would print one. A former
/// name is not an alias, so no suggestion offers it.
fn with_current_name(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_mpi = arguments.get(1).is_some_and(|command| command == "mpi");
    let position = if is_mpi { 2 } else { 1 };
    let renamed = |given: &OsString| RENAMED.into_iter().find(|(former, _)| given == former);
    if let Some((former, name)) = arguments.get(position).and_then(renamed) {
        arguments[position] = name.into();
        if !is_mpi {
            let _ = writeln!(
                Log,
                "warning: the command `{former}` is now called `{name}`; the next version drops the old name"
            );
        }
    }
    arguments
}

fn dispatch(arguments: CommandLine, mut out: &mut dyn Write) -> Result<(), Error> {
    let (site, out) = (&Site::Machines, &mut out);
    match arguments.command {
        None => demo::run(&arguments.demo, out)?,
        Some(Command::Demo(arguments)) => demo::run(&arguments, out)?,
        Some(Command::SToP(arguments)) => s_to_p::run(&arguments, site, out)?,
        Some(Command::Collective(arguments)) => collective::run(&arguments, site, out)?,
        Some(Command::AllToAll(arguments)) => all_to_all::run(&arguments, site, out)?,
        Some(Command::Tune(arguments)) => tune::run(&arguments, out)?,
        Some(Command::Textbook(arguments)) => textbook::run(&arguments, out)?,
        Some(Command::Reproduce(arguments)) => reproduce::run(&arguments, out)?,
        Some(Command::Goal(arguments)) => goal::run(&arguments, out)?,
        Some(Command::Msccl(arguments)) => msccl::run(&arguments, out)?,
        Some(Command::Run(arguments)) => run::run(&arguments, out)?,
        Some(Command::Check(arguments)) => check::run(&arguments, out)?,
        #[cfg(not(all(
            target_os = "linux",
            target_env = "gnu",
            any(target_arch = "x86_64", target_arch = "aarch64")
        )))]
        Some(Command::Cc(arguments) | Command::Cxx(arguments) | Command::Fortran(arguments)) => {
            wrappers::run(&arguments, out)?;
        }
        // `run` has started the compiler: only their help comes here.
        #[cfg(all(
            target_os = "linux",
            target_env = "gnu",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ))]
        Some(Command::Cc(_) | Command::Cxx(_) | Command::Fortran(_)) => {}
        Some(Command::Study(arguments)) => study::run(&arguments, out)?,
        Some(Command::Merge(arguments)) => study::run_merge(&arguments, out)?,
        #[cfg(feature = "serve")]
        Some(Command::Serve(arguments)) => serve::run(&arguments, out)?,
        Some(Command::Plot(arguments)) => plot::run(&arguments, out)?,
        Some(Command::Machine(arguments)) => machine::run(&arguments, out)?,
        Some(Command::Calibrate(arguments)) => calibrate::run(&arguments, out)?,
        Some(Command::Completions(arguments)) => documents::completions(&arguments, out)?,
        Some(Command::Man(arguments)) => documents::man(&arguments, out)?,
        #[cfg(feature = "mpi")]
        Some(Command::Mpi(arguments)) => mpi::run(arguments, *out)?,
        #[cfg(not(feature = "mpi"))]
        Some(Command::Mpi(arguments)) => mpi::run(&arguments)?,
    }
    Ok(out.flush()?)
}

/// The printed text of a command: standard output, or standard error if an output file uses standard output.
struct Printed;

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if files::is_standard_output_taken() { Log.write(bytes) } else { io::stdout().write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if files::is_standard_output_taken() { Log.flush() } else { io::stdout().flush() }
    }
}

/// Standard error for logs. Write errors are ignored, since logging must not end or change a run.
struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = io::stderr().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = io::stderr().flush();
        Ok(())
    }
}

/// Sends logs to standard error if `RUST_LOG` asks for them.
fn start_logging() -> Result<(), Error> {
    let Some(filter) = std::env::var_os(EnvFilter::DEFAULT_ENV).filter(|filter| !filter.is_empty()) else {
        return Ok(());
    };
    let filter = EnvFilter::try_from_default_env().map_err(|cause| {
        let (name, filter) = (EnvFilter::DEFAULT_ENV, filter.to_string_lossy());
        Error::usage(format!("{name} `{filter}` is not a log filter: {cause}"))
    })?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Log)
        .with_ansi(io::stderr().is_terminal())
        .try_init()
        .map_err(Error::usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn np_is_n_before_the_program() {
        let replaced = |text: &str| {
            let mut arguments: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            replace_np(command_line().find_subcommand("run").unwrap(), &mut arguments);
            arguments.join(" ".as_ref()).into_string().unwrap()
        };
        assert_eq!(replaced("m run -q -np 4 --svg a.svg ./a -np 2"), "m run -q -n 4 --svg a.svg ./a -np 2");
        assert_eq!(replaced("m run --machine=cm5:8 -np 4 ./a"), "m run --machine=cm5:8 -n 4 ./a");
        assert_eq!(replaced("m run -n 2 ./a -np 3"), "m run -n 2 ./a -np 3");
    }

    #[test]
    fn the_arguments_are_consistent() {
        command_line().debug_assert();
    }
}
