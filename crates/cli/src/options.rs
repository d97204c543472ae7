//! Options shared by commands.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use clap::Args;
use multicomputer::{
    Clock, Dilation, Machine, MachineBuilder, Pinning,
    model::{Fault, Faults, FileError, MachineSpec, MachineSpecError, Noise},
    names,
    plan::Effort,
    topology::{Grid, Placement, TopologyError},
    units,
};
use thiserror::Error;

use super::{clock, error::Error, files::output_file, recording::RecordOptions, setting::DEFAULT_SEED};

/// Default machine.
const DEFAULT_MACHINE: &str = "paragon:10x10";

/// Options for a machine.
#[derive(Args, Debug)]
#[command(next_help_heading = "Shared options")]
pub(super) struct MachineOptions {
    /// Choose the machine: a preset such as paragon:16x32, cm5:32 or h100-cluster:4, a topology such as mesh:7x13 or
    /// hypercube:16, file:network.toml, or a machine file (.toml) [default: paragon:10x10]
    #[arg(long, value_name = "MACHINE", value_parser = read_machine)]
    machine: Option<MachineSpec>,

    /// Choose a Paragon of this shape
    #[arg(long, value_name = "ROWSxCOLUMNS", conflicts_with = "machine")]
    mesh: Option<Grid>,

    #[command(flatten)]
    pub(super) change: ChangeOptions,
}

/// Options for several machines, for commands that compare them.
#[derive(Args, Debug)]
#[command(next_help_heading = "Shared options")]
pub(super) struct MachinesOptions {
    /// Choose the machine: a preset such as paragon:16x32, cm5:32 or h100-cluster:4, a topology such as mesh:7x13 or
    /// hypercube:16, file:network.toml, or a machine file (.toml); repeatable [default: paragon:10x10]
    #[arg(long, value_name = "MACHINE", value_parser = read_machine)]
    machine: Vec<MachineSpec>,

    /// Choose Paragons of these shapes: 4x4,8x8,16x16
    #[arg(long, value_name = "ROWSxCOLUMNS", value_delimiter = ',', conflicts_with = "machine")]
    mesh: Vec<Grid>,

    #[command(flatten)]
    change: ChangeOptions,
}

/// Machines and shapes given by options, and whether further options change them.
#[cfg(feature = "mpi")]
pub(super) struct GivenMachines {
    pub(super) machines: Vec<MachineSpec>,
    pub(super) shapes: Vec<Grid>,
    pub(super) is_placed: bool,
    pub(super) has_ports: bool,
}

/// Options that change the given machines.
#[derive(Args, Debug)]
#[command(next_help_heading = "Shared options")]
pub(super) struct ChangeOptions {
    /// Place ranks on nodes: identity, random:SEED (random is random:1), round-robin:8 (cyclic over servers of 8
    /// consecutive nodes), blocks:8x2 (block-cyclic, 2 ranks a block), file:PATH (the node of each rank, or a hostfile or
    /// rankfile of Open MPI) or slurm:node[01-04]/8(x4). With a placement, node arguments are ranks
    #[arg(long, value_name = "PLACEMENT", default_value = "identity", value_parser = read_placement)]
    placement: Placement,

    /// Set the number of in-ports, and of out-ports, of every node, 1 to 64 [default: the machine's]
    #[arg(long, value_name = "PORTS", value_parser = clap::value_parser!(u32).range(1..=64))]
    ports: Option<u32>,
}

impl ChangeOptions {
    /// Returns whether a placement other than the identity is given.
    #[cfg(feature = "mpi")]
    fn is_placed(&self) -> bool {
        self.placement != Placement::Identity
    }

    /// Returns the machine with these changes.
    pub(super) fn changed(&self, machine: MachineSpec) -> Result<MachineSpec, Error> {
        let machine = match self.ports {
            Some(ports) => machine.with_ports(ports).map_err(Error::usage)?,
            None => machine,
        };
        machine.with_placement(self.placement.clone()).map_err(Error::usage)
    }
}

/// Options of every command that runs programs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Shared options")]
pub(super) struct RunOptions {
    /// Choose the clock: virtual (exact, as fast as the host allows), real (the dilation is measured), real:4 (a
    /// modeled second takes 4 s) or host (no model: wall-clock times of this host's threads) [default: virtual; of
    /// the demo: virtual, then real]
    #[arg(long, value_name = "CLOCK", value_parser = clock::read)]
    clock: Option<Clock>,

    /// Pin the threads of the nodes to cores: auto (the host decides; in real time one core while programs only
    /// communicate), none (the host decides), one-core (all on the first) or spread (over all cores, neighbouring
    /// ranks together)
    #[arg(long, value_name = "CORES", default_value = "auto", value_parser = read_pinning)]
    pin: Pinning,

    /// Add noise, such as interval=1ms,length=50us: periods in which a processor does not run its program; optionally
    /// with distribution=exponential (or fixed, uniform), first=TIME, seed=NUMBER
    #[arg(long, value_name = "NOISE")]
    noise: Option<Noise>,

    /// Add a fault from an instant on; repeatable: slow:3-4:0.5@2ms (a link at half its capacity), dead:3-4@2ms (a
    /// dead link; 3->4 is one direction, s2 a switch) or node:5@1ms (a dead node)
    #[arg(long, value_name = "FAULT")]
    fault: Vec<Fault>,

    /// Let messages over dead links fail instead of taking a detour
    #[arg(long)]
    no_detours: bool,

    /// Make sends wait for their receives (rendezvous protocol), all or those from this length on (8192, 8K).
    /// Programs that rely on buffered sends, which MPI does not promise, deadlock
    #[arg(long, value_name = "BYTES", num_args = 0..=1, default_missing_value = "0", value_parser = read_bytes)]
    rendezvous: Option<u64>,

    /// Set the seed of data and random choices
    #[arg(long, value_name = "NUMBER", default_value_t = DEFAULT_SEED, value_parser = read_number::<u64>, allow_negative_numbers = true)]
    pub(super) seed: u64,

    /// Set the effort of the search for the fastest plan: estimate (no search: by closed forms), quick, normal, or thorough
    /// (no limit). The effort counts schedule steps, not seconds, so every host finds the same plan. The output says if
    /// the search stopped early [default: normal; of `run`: estimate]
    #[arg(long, value_name = "EFFORT", value_parser = multicomputer_study::read_effort)]
    pub(super) effort: Option<Effort>,

    /// End a run after this wall-clock time, in seconds or with a unit: 10, 500ms
    #[arg(long, value_name = "SECONDS", value_parser = read_limit)]
    wall_limit: Option<Duration>,

    /// Write the results as CSV, with exact times. Rows go to FILE.partial, which becomes FILE at the end; a run that
    /// fails leaves FILE unchanged, and finished rows in FILE.partial
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"))]
    pub(super) csv: Option<PathBuf>,

    #[command(flatten)]
    pub(super) record: RecordOptions,

    /// Draw the results as a chart, as SVG: time over length, sources or nodes, a line for each algorithm, the lower
    /// bound, and the crossovers
    #[arg(long, value_name = "FILE", value_parser = output_file("SVG"))]
    pub(super) plot: Option<PathBuf>,

    /// Write the schedule in GOAL, the text format of LogGOPSim: of one algorithm for one problem, or what the program of
    /// `run` did; `multicomputer goal FILE --sends blocking` takes the time printed here
    #[arg(long, value_name = "FILE", value_parser = output_file("GOAL"))]
    pub(super) goal: Option<PathBuf>,

    /// Write the schedule in the XML of MSCCL, for one algorithm and one problem: all-reduce, all-gather,
    /// reduce-scatter, or all-to-all of equal lengths; `multicomputer msccl FILE` reads it
    #[arg(long, value_name = "FILE", value_parser = output_file("XML"))]
    pub(super) msccl: Option<PathBuf>,
}

impl MachineOptions {
    /// Returns whether a machine is given.
    pub(super) fn is_given(&self) -> bool {
        self.machine.is_some() || self.mesh.is_some()
    }

    /// Returns the requested machine, or the default machine.
    pub(super) fn spec(&self) -> Result<MachineSpec, Error> {
        self.change.changed(match (&self.machine, self.mesh) {
            (Some(machine), _) => machine.clone(),
            (None, Some(grid)) => paragon(grid)?,
            (None, None) => DEFAULT_MACHINE.parse().map_err(Error::usage)?,
        })
    }
}

impl MachinesOptions {
    /// Returns the machine options as given.
    #[cfg(feature = "mpi")]
    pub(super) fn given(&self) -> GivenMachines {
        let (machines, shapes) = (self.machine.clone(), self.mesh.clone());
        GivenMachines {
            machines,
            shapes,
            is_placed: self.change.is_placed(),
            has_ports: self.change.ports.is_some(),
        }
    }

    /// Returns the requested machines in the order given, or the default machine: at least one.
    pub(super) fn specs(&self) -> Result<Vec<MachineSpec>, Error> {
        let machines = match (&self.machine[..], &self.mesh[..]) {
            ([], []) => vec![DEFAULT_MACHINE.parse().map_err(Error::usage)?],
            ([], shapes) => shapes.iter().map(|&grid| paragon(grid)).collect::<Result<_, _>>()?,
            (machines, _) => machines.to_vec(),
        };
        machines.into_iter().map(|machine| self.change.changed(machine)).collect()
    }
}

/// Returns the Paragon with a grid of this shape.
fn paragon(grid: Grid) -> Result<MachineSpec, Error> {
    grid.to_string().parse().map_err(Error::usage)
}

impl RunOptions {
    /// Returns the requested clock; default: virtual.
    pub(super) fn clock(&self) -> Clock {
        self.clock.unwrap_or(Clock::Virtual)
    }

    /// Returns the requested clock; default: virtual, then real time.
    pub(super) fn clocks(&self) -> Vec<Clock> {
        match self.clock {
            Some(clock) => vec![clock],
            None => vec![Clock::Virtual, Clock::RealTime { dilation: Dilation::Auto }],
        }
    }

    /// Builds the machine for runs under a clock.
    pub(super) fn build(&self, spec: &MachineSpec, clock: Clock) -> Result<Machine, Error> {
        Ok(self.builder(spec, clock)?.build()?)
    }

    /// Prepares the machine for runs under a clock.
    pub(super) fn builder(&self, spec: &MachineSpec, clock: Clock) -> Result<MachineBuilder, Error> {
        self.record.check(clock)?;
        let spec = self.disturbed(spec)?;
        let is_traced = self.record.is_given();
        let machine = Machine::builder(spec)
            .clock(clock)
            .pinning(self.pin)
            .effort(self.effort.unwrap_or_default())
            .trace(is_traced);
        Ok(match self.wall_limit {
            Some(limit) => machine.wall_limit(limit),
            None => machine,
        })
    }
}

impl RunOptions {
    /// Returns the machine with the requested noise, faults and rendezvous threshold in place of its own.
    pub(super) fn disturbed(&self, spec: &MachineSpec) -> Result<MachineSpec, Error> {
        let machine = self.with_rendezvous_option(spec.clone());
        let machine = match self.noise {
            Some(noise) => machine.with_noise(noise),
            None => machine,
        };
        let machine_faults = machine.faults().cloned().unwrap_or_default();
        let faults =
            if self.fault.is_empty() { machine_faults } else { Faults::new(self.fault.iter().copied()) };
        let detours = faults.has_detours() && !self.no_detours;
        machine.with_faults(faults.detours(detours)).map_err(Error::usage)
    }

    /// Returns the machine with the threshold of `--rendezvous`, if given; plans are made for this machine.
    pub(super) fn with_rendezvous_option(&self, spec: MachineSpec) -> MachineSpec {
        match self.rendezvous {
            Some(from_bytes) => spec.with_rendezvous(from_bytes),
            None => spec,
        }
    }

    /// Returns the wall-clock limit of a run.
    #[cfg(feature = "mpi")]
    pub(super) fn wall_limit(&self) -> Option<Duration> {
        self.wall_limit
    }

    /// Returns the first given option that applies only to machines of this process, with the reason.
    #[cfg(feature = "mpi")]
    pub(super) fn only_on_machines(&self) -> Option<(&'static str, &'static str)> {
        const NO_MODEL: &str = "its times are the wall clock's, and have no model";
        const NO_NETWORK: &str = "the load of its links is unknown";
        let is_given = [
            ("--clock", self.clock.is_some(), "its times are those of the ranks' clocks"),
            ("--pin", self.pin != Pinning::Auto, "the launcher binds ranks to cores (mpirun --bind-to core)"),
            ("--noise", self.noise.is_some(), NO_MODEL),
            ("--fault", !self.fault.is_empty(), NO_MODEL),
            ("--no-detours", self.no_detours, NO_MODEL),
            ("--rendezvous", self.rendezvous.is_some(), "a send returns when MPI has the message"),
            ("--trace", self.record.trace.is_some(), "its runs are not recorded"),
            ("--svg", self.record.svg.is_some(), "its runs are not recorded"),
            ("--picture", self.record.picture.is_some(), "its runs are not recorded"),
            ("--heat", self.record.heat.is_some(), NO_NETWORK),
            ("--replay", self.record.replay.is_some(), NO_NETWORK),
            ("--explain", self.record.explain, NO_MODEL),
            ("--goal", self.goal.is_some(), "schedules are written without mpirun"),
            ("--msccl", self.msccl.is_some(), "schedules are written without mpirun"),
        ];
        is_given.into_iter().find(|(_, is_given, _)| *is_given).map(|(option, _, why)| (option, why))
    }
}

/// Invalid machine argument.
#[derive(Debug, Error)]
pub(super) enum MachineError {
    /// Neither a machine nor a file name.
    #[error("{0}, FILE.toml (a machine file)")]
    Unknown(MachineSpecError),
    /// A known machine with an invalid shape or parameter.
    #[error(transparent)]
    MachineSpec(MachineSpecError),
    /// An unreadable or invalid machine file.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Parses how threads are pinned to cores.
pub(super) fn read_pinning(text: &str) -> Result<Pinning, String> {
    match &names::normalized(text)[..] {
        "auto" => Ok(Pinning::Auto),
        "none" => Ok(Pinning::None),
        "onecore" => Ok(Pinning::OneCore),
        "spread" => Ok(Pinning::Spread),
        _ => {
            let known = ["auto", "none", "one-core", "spread"];
            Err(names::unknown("pinning", text, names::nearest(text, known), &known.join(", ")))
        }
    }
}

/// Parses a number of bytes.
pub(super) fn read_bytes(text: &str) -> Result<u64, String> {
    units::parse_bytes(text).map_err(|cause| cause.to_string())
}

/// Parses the name of a machine, or reads a machine file: a path that ends in `.toml` without the prefix `file:`, which
/// denotes a network file.
pub(super) fn read_machine(text: &str) -> Result<MachineSpec, MachineError> {
    let is_file = Path::new(text).extension().is_some_and(|extension| extension == "toml");
    if is_file && !text.starts_with("file:") {
        return Ok(MachineSpec::from_file(text)?);
    }
    text.parse().map_err(|cause| match cause {
        cause @ MachineSpecError::Unknown { .. } => MachineError::Unknown(cause),
        cause => MachineError::MachineSpec(cause),
    })
}

/// Parses a placement of ranks.
fn read_placement(text: &str) -> Result<Placement, String> {
    text.parse().map_err(|cause: TopologyError| cause.to_string())
}

/// Parses a whole number.
pub(super) fn read_number<N: FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| "give a whole number from 0 to 2^64 - 1".to_owned())
}

/// Parses a wall-clock limit: seconds, or a number with a unit.
pub(super) fn read_limit(text: &str) -> Result<Duration, String> {
    let is_plain = text.trim().parse::<f64>().is_ok();
    let text = if is_plain { format!("{text} s") } else { text.to_owned() };
    let seconds = units::parse_seconds(&text).map_err(|cause| cause.to_string())?;
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    limit.ok_or_else(|| "a limit must be above 0 s and below 2^64 s".to_owned())
}
