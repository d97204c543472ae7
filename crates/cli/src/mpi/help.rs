//! Help of commands over MPI, where it differs from that of the same commands on machines of this process.

use clap::{Command, builder::Resettable};

/// Examples for all commands.
pub(super) const EXAMPLES: &str = "\
Examples:
  mpirun -n 16 multicomputer mpi calibrate --out cluster.toml
  mpirun -n 16 multicomputer mpi collective broadcast --machine cluster.toml --bytes 8..1M
  mpirun -n 16 multicomputer mpi s-to-p --mesh 4x4 --sources 5 --bytes 1K --repetitions 21
  mpirun -n 16 multicomputer mpi all-to-all --fan-out 4 --nonuniformity 1/4 --csv times.csv

Each rank is a node. Rank 0 prints and writes files; an error ends all ranks with a status other than 0.";

/// End of the help of each command that compares algorithms.
const MEASURED: &str = "\
Each rank is a node. Every call begins after a barrier, and its time is that of the slowest rank, by its own clock. The table \
has the median of all calls, and their spread. Every rank checks every byte of the first and of the last call. The row `mpi` \
is MPI's operation on the same data, and `/ mpi` the ratio to its time. Predictions are for the machine that plans are made \
for, such as one that `mpi calibrate` has measured.";

/// Options that apply only to machines of this process.
const ONLY_ON_MACHINES: [&str; 12] = [
    "clock",
    "pin",
    "noise",
    "fault",
    "no_detours",
    "trace",
    "svg",
    "picture",
    "heat",
    "replay",
    "explain",
    "phantom",
];

/// Returns the command line with the help for commands over MPI.
pub(crate) fn adapted(command: Command) -> Command {
    let with_mpi_help = |command: Command| {
        let command = ONLY_ON_MACHINES
            .iter()
            .fold(command, |command, option| command.mut_arg(option, |arg| arg.hide(true)));
        command
            .mut_arg("machine", |arg| {
                arg.help("Plan and predict for this machine, with a node for each rank: a machine file of mpi calibrate, \
                 or any other machine [default: mpi:RANKS]")
            })
            .mut_arg("mesh", |arg| {
                let arg = arg.conflicts_with(Resettable::<clap::Id>::Reset);
                arg.help("Arrange the ranks in rows and columns, for algorithms that use them; parameters stay those of \
                 the machine")
            })
            .after_help(MEASURED)
    };
    command.mut_subcommand("mpi", |mpi| {
        ["s-to-p", "collective", "all-to-all"]
            .iter()
            .fold(mpi, |mpi, name| mpi.mut_subcommand(name, with_mpi_help))
    })
}
