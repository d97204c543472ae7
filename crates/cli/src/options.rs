//! Options that all commands share.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use clap::Args;
use multicomputer::{
    Clock, Dilation, Machine, Pinning,
    model::{self, Fault, Faults, FileError, MachineSpec, MachineSpecError, Noise},
    names,
    plan::Effort,
    topology::{Grid, Placement, TopologyError},
    units,
};
use thiserror::Error;

use super::{clock, error::Error, files::output_file, setting::DEFAULT_SEED};

/// The machine of a command that is given none.
const DEFAULT_MACHINE: &str = "paragon:10x10";

/// Options for a machine.
#[derive(Args, Debug)]
#[command(next_help_heading = "Shared options")]
pub(super) struct MachineOptions {
    /// The machine: a preset such as paragon:16x32, cm5:32 or h100-cluster:4, a topology such as mesh:7x13 or hypercube:16,
    /// file:network.toml, or a machine file (.toml) [default: paragon:10x10]
    #[arg(long, value_name = "MACHINE", value_parser = read_machine)]
    machine: Option<MachineSpec>,

    /// Short for a Paragon of this shape
    #[arg(long, value_name = "ROWSxCOLUMNS", conflicts_with = "machine")]
    mesh: Option<Grid>,

    #[command(flatten)]
    pub(super) change: ChangeOptions,
}

/// Options for machines, for a command that compares them.
#[derive(Args, Debug)]
#[command(next_help_heading = "Shared options")]
pub(super) struct MachinesOptions {
    /// The machine: a preset such as paragon:16x32, cm5:32 or h100-cluster:4, a topology such as mesh:7x13 or hypercube:16,
    /// file:network.toml, or a machine file (.toml); may be given several times [default: paragon:10x10]
    #[arg(long, value_name = "MACHINE", value_parser = read_machine)]
    machine: Vec<MachineSpec>,

    /// Short for Paragons of these shapes: 4x4,8x8,16x16
    #[arg(long, value_name = "ROWSxCOLUMNS", value_delimiter = ',', conflicts_with = "machine")]
    mesh: Vec<Grid>,

    #[command(flatten)]
    change: ChangeOptions,
}

/// The machines and the shapes that are given, and whether changes of them are.
#[cfg(feature = "mpi")]
pub(super) struct AskedMachines {
    pub(super) machines: Vec<MachineSpec>,
    pub(super) shapes: Vec<Grid>,
    pub(super) is_placed: bool,
    pub(super) has_ports: bool,
}

/// Options that change the machines that are given.
#[derive(Args, Debug)]
#[command(next_help_heading = "Shared options")]
pub(super) struct ChangeOptions {
    /// Where ranks are: identity, random:SEED (random is random:1), round-robin:8 (dealt out one by one to servers of 8 nodes
    /// that follow each other), blocks:8x2 (two by two) or file:PATH (the node of each rank, with blanks between them); all
    /// that names nodes names ranks then
    #[arg(long, value_name = "PLACEMENT", default_value = "identity", value_parser = read_placement)]
    placement: Placement,

    /// The number of in-ports and of out-ports of every node, 1 to 64 [default: the machine's]
    #[arg(long, value_name = "PORTS", value_parser = clap::value_parser!(u32).range(1..=64))]
    ports: Option<u32>,
}

impl ChangeOptions {
    /// Whether ranks are to be placed.
    #[cfg(feature = "mpi")]
    fn is_placed(&self) -> bool {
        self.placement != Placement::Identity
    }

    /// The machine with these changes.
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
    /// virtual (exact, as fast as the host allows), real (the dilation is measured), real:4 (a modeled second takes
    /// four) or host (no model: times are the wall clock's, of the host's own threads) [default: virtual; of the demo:
    /// virtual, then real]
    #[arg(long, value_name = "CLOCK", value_parser = clock::read)]
    clock: Option<Clock>,

    /// The cores of this host that the threads of the nodes run on: auto (as the host likes; in real time one core as
    /// long as programs only communicate), none (as the host likes), one-core (all on the first) or spread (all cores,
    /// neighbouring ranks together)
    #[arg(long, value_name = "CORES", default_value = "auto", value_parser = read_pinning)]
    pin: Pinning,

    /// Noise of the nodes, as interval=1ms,length=50us: periods in which a processor does nothing for its program, and
    /// with distribution=exponential (or fixed, uniform), first=TIME, seed=NUMBER
    #[arg(long, value_name = "NOISE")]
    noise: Option<Noise>,

    /// A fault of the machine from an instant on, may be given several times: slow:3-4:0.5@2ms (a link at half its
    /// capacity), dead:3-4@2ms (a dead link; 3->4 is one direction, s2 a switch) or node:5@1ms (a dead node)
    #[arg(long, value_name = "FAULT")]
    fault: Vec<Fault>,

    /// Let messages over dead links fail, rather than take a detour
    #[arg(long)]
    no_detours: bool,

    /// Let sends wait for their receives, all or those of so many bytes and more (8192, 8K): a program that only works
    /// because messages are kept until they are asked for, which MPI does not promise, ends in a deadlock then
    #[arg(long, value_name = "BYTES", num_args = 0..=1, default_missing_value = "0", value_parser = read_rendezvous)]
    rendezvous: Option<u64>,

    /// Seed of all data and choices made at random
    #[arg(long, value_name = "NUMBER", default_value_t = DEFAULT_SEED, value_parser = read_number::<u64>, allow_negative_numbers = true)]
    pub(super) seed: u64,

    /// Effort of the search for the fastest plan: quick, normal, or thorough (no limit). The effort counts schedule steps and not
    /// seconds, so every host finds the same plan. The output says if the search stopped early
    #[arg(long, value_name = "EFFORT", default_value = "normal", value_parser = read_effort)]
    pub(super) effort: Effort,

    /// End a run that takes longer than this on the wall clock, in seconds or with a unit: 10, 500ms
    #[arg(long, value_name = "SECONDS", value_parser = read_limit)]
    wall_limit: Option<Duration>,

    /// Write the results to a CSV file, times exact; rows go to FILE.partial as they come, which becomes FILE in the
    /// end: a run that is ended or fails leaves FILE as it was, and in FILE.partial what was finished
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"))]
    pub(super) csv: Option<PathBuf>,

    /// Write a Chrome trace for ui.perfetto.dev: what nodes do and wait for, step by step, and what links carry; of
    /// several runs each has a file of its own, such as trace-row-virtual.json for trace.json, and the output ends with
    /// their names
    #[arg(long, value_name = "FILE", value_parser = output_file("JSON"))]
    pub(super) trace: Option<PathBuf>,

    /// Draw what every node did when, with the messages between them, as SVG (a space-time diagram); of several runs each
    /// has a file of its own, as with --trace
    #[arg(long, value_name = "FILE", value_parser = output_file("SVG"))]
    pub(super) svg: Option<PathBuf>,

    /// Draw the network with what every link carried, how long it was busy, and how long it was shared, as SVG; of several
    /// runs each has a file of its own, as with --trace. Not under --clock host, which has no network
    #[arg(long, value_name = "FILE", value_parser = output_file("SVG"))]
    pub(super) heat: Option<PathBuf>,

    /// Write a self-contained HTML animation of the runs: messages move through the network in modeled time; several runs, at
    /// most 8, are on one page, two beside each other. Not under --clock host, which has no network
    #[arg(long, value_name = "FILE", value_parser = output_file("HTML"))]
    pub(super) replay: Option<PathBuf>,

    /// Draw the results as a chart, as SVG: time over length, sources or nodes, a line for each algorithm, what nothing can beat,
    /// and where another one becomes the fastest
    #[arg(long, value_name = "FILE", value_parser = output_file("SVG"))]
    pub(super) plot: Option<PathBuf>,

    /// Write the schedule of the one algorithm and the one problem asked for in GOAL, the text format of LogGOPSim; with
    /// --sends blocking, `multicomputer goal FILE` takes the time that is predicted here
    #[arg(long, value_name = "FILE", value_parser = output_file("GOAL"))]
    pub(super) goal: Option<PathBuf>,

    /// Write the schedule of the one algorithm and the one problem asked for in the XML of MSCCL, if that can say it: of a
    /// all-reduce, all-gather or reduce-scatter, or an exchange of equal lengths; `multicomputer msccl FILE` reads it
    #[arg(long, value_name = "FILE", value_parser = output_file("XML"))]
    pub(super) msccl: Option<PathBuf>,

    /// Say where the time of each run went: the chain of events that determined its end, and which messages slowed which
    /// on shared links; at the end of the output
    #[arg(long)]
    pub(super) explain: bool,
}

impl MachineOptions {
    /// The parts of it that are given.
    #[cfg(feature = "mpi")]
    pub(super) fn asked(&self) -> AskedMachines {
        let (machines, shapes) = (self.machine.iter().cloned().collect(), self.mesh.into_iter().collect());
        AskedMachines {
            machines,
            shapes,
            is_placed: self.change.is_placed(),
            has_ports: self.change.ports.is_some(),
        }
    }

    /// Whether one is asked for.
    pub(super) fn is_given(&self) -> bool {
        self.machine.is_some() || self.mesh.is_some()
    }

    /// The machine asked for.
    pub(super) fn spec(&self) -> Result<MachineSpec, Error> {
        self.change.changed(match (&self.machine, self.mesh) {
            (Some(machine), _) => machine.clone(),
            (None, Some(grid)) => paragon(grid)?,
            (None, None) => DEFAULT_MACHINE.parse().map_err(Error::usage)?,
        })
    }
}

impl MachinesOptions {
    /// The parts of them that are given.
    #[cfg(feature = "mpi")]
    pub(super) fn asked(&self) -> AskedMachines {
        let (machines, shapes) = (self.machine.clone(), self.mesh.clone());
        AskedMachines {
            machines,
            shapes,
            is_placed: self.change.is_placed(),
            has_ports: self.change.ports.is_some(),
        }
    }

    /// The machines asked for, in that order: at least one.
    pub(super) fn specs(&self) -> Result<Vec<MachineSpec>, Error> {
        let machines = match (&self.machine[..], &self.mesh[..]) {
            ([], []) => vec![DEFAULT_MACHINE.parse().map_err(Error::usage)?],
            ([], shapes) => shapes.iter().map(|&grid| paragon(grid)).collect::<Result<_, _>>()?,
            (machines, _) => machines.to_vec(),
        };
        machines.into_iter().map(|machine| self.change.changed(machine)).collect()
    }
}

/// The grid in which sources are placed: without rows and columns one row of all nodes, as algorithms take it.
pub(super) fn as_grid(machine: &MachineSpec) -> Grid {
    machine.topology().grid().unwrap_or(Grid { rows: 1, columns: machine.nodes() })
}

/// The Paragon of a shape.
fn paragon(grid: Grid) -> Result<MachineSpec, Error> {
    grid.to_string().parse().map_err(Error::usage)
}

impl RunOptions {
    /// The one clock to run under: virtual unless told otherwise.
    pub(super) fn clock(&self) -> Clock {
        self.clock.unwrap_or(Clock::Virtual)
    }

    /// The clocks to run under: the one asked for, or both.
    pub(super) fn clocks(&self) -> Vec<Clock> {
        match self.clock {
            Some(clock) => vec![clock],
            None => vec![Clock::Virtual, Clock::RealTime { dilation: Dilation::Auto }],
        }
    }

    /// The machine ready to run under a clock.
    pub(super) fn build(&self, spec: &MachineSpec, clock: Clock) -> Result<Machine, Error> {
        let of_networks = [("--heat", &self.heat), ("--replay", &self.replay)];
        if self.explain && clock == Clock::Host {
            return Err(Error::usage(
                "--explain cannot be used with --clock host, whose times have no model that could explain them",
            ));
        }
        let of_network = of_networks.iter().find(|(_, file)| file.is_some());
        if let (Some((option, _)), Clock::Host) = (of_network, clock) {
            return Err(Error::usage(format!(
                "{option} cannot be used with --clock host, which has no network to be drawn"
            )));
        }
        let spec = self.disturbed(spec)?;
        let is_drawn = self.svg.is_some() || of_network.is_some();
        let is_traced = self.trace.is_some() || self.explain || is_drawn;
        let machine =
            Machine::builder(spec).clock(clock).pinning(self.pin).effort(self.effort).trace(is_traced);
        let machine = match self.wall_limit {
            Some(limit) => machine.wall_limit(limit),
            None => machine,
        };
        Ok(machine.build()?)
    }
}

impl RunOptions {
    /// The machine with the noise and the faults asked for, instead of its own.
    pub(super) fn disturbed(&self, spec: &MachineSpec) -> Result<MachineSpec, Error> {
        let machine = self.meeting(spec.clone());
        let machine = match self.noise {
            Some(noise) => machine.with_noise(noise),
            None => machine,
        };
        let own = machine.faults().cloned().unwrap_or_default();
        let faults = if self.fault.is_empty() { own } else { Faults::new(self.fault.iter().copied()) };
        let detours = faults.has_detours() && !self.no_detours;
        machine.with_faults(faults.detours(detours)).map_err(Error::usage)
    }

    /// The machine where sends wait for their receives if that is asked for; plans are made for that one.
    pub(super) fn meeting(&self, spec: MachineSpec) -> MachineSpec {
        match self.rendezvous {
            Some(from_bytes) => spec.with_rendezvous(from_bytes),
            None => spec,
        }
    }

    /// The limit of a run on the wall clock.
    #[cfg(feature = "mpi")]
    pub(super) fn wall_limit(&self) -> Option<Duration> {
        self.wall_limit
    }

    /// The first option given that is for machines of this process alone, and why.
    #[cfg(feature = "mpi")]
    pub(super) fn only_on_machines(&self) -> Option<(&'static str, &'static str)> {
        const NO_MODEL: &str = "its times are the wall clock's, and have no model";
        const NO_NETWORK: &str = "nobody knows what its links carry";
        let is_given = [
            ("--clock", self.clock.is_some(), "its times are those of the ranks' own clocks"),
            ("--pin", self.pin != Pinning::Auto, "the launcher binds ranks to cores (mpirun --bind-to core)"),
            ("--noise", self.noise.is_some(), NO_MODEL),
            ("--fault", !self.fault.is_empty(), NO_MODEL),
            ("--no-detours", self.no_detours, NO_MODEL),
            ("--rendezvous", self.rendezvous.is_some(), "a send returns when MPI has the message"),
            ("--trace", self.trace.is_some(), "its runs are not recorded"),
            ("--svg", self.svg.is_some(), "its runs are not recorded"),
            ("--heat", self.heat.is_some(), NO_NETWORK),
            ("--replay", self.replay.is_some(), NO_NETWORK),
            ("--explain", self.explain, NO_MODEL),
            ("--goal", self.goal.is_some(), "schedules are written without mpirun"),
            ("--msccl", self.msccl.is_some(), "schedules are written without mpirun"),
        ];
        is_given.into_iter().find(|(_, is_given, _)| *is_given).map(|(option, _, why)| (option, why))
    }
}

/// A machine that is none.
#[derive(Debug, Error)]
pub(super) enum MachineError {
    /// It is neither a machine nor the name of a file.
    #[error(
        "{} are {} and the path of a machine file (.toml)",
        names::allowed(.0, model::known_names()),
        model::spellings()
    )]
    Unknown(String),
    /// Its shape is wrong.
    #[error(transparent)]
    MachineSpec(MachineSpecError),
    /// Its file cannot be read, or is wrong.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Reads where threads run.
pub(super) fn read_pinning(text: &str) -> Result<Pinning, String> {
    match text {
        "auto" => Ok(Pinning::Auto),
        "none" => Ok(Pinning::None),
        "one-core" => Ok(Pinning::OneCore),
        "spread" => Ok(Pinning::Spread),
        _ => Err(format!(
            "{} are auto, none, one-core and spread",
            names::allowed(text, ["auto", "none", "one-core", "spread"])
        )),
    }
}

/// Reads the effort of the search for plans.
fn read_effort(text: &str) -> Result<Effort, String> {
    let known = Effort::ALL.map(Effort::name);
    let named = Effort::ALL.into_iter().find(|effort| effort.name() == text);
    named.ok_or_else(|| {
        format!("{} are {}, {} and {}", names::allowed(text, known), known[0], known[1], known[2])
    })
}

/// Reads the length from which on sends wait.
fn read_rendezvous(text: &str) -> Result<u64, String> {
    units::parse_bytes(text).map_err(|cause| cause.to_string())
}

/// Reads a machine by its name, or from a file if what is given ends in `.toml` and is not the file of a network alone.
pub(super) fn read_machine(text: &str) -> Result<MachineSpec, MachineError> {
    let is_file = Path::new(text).extension().is_some_and(|extension| extension == "toml");
    if is_file && !text.starts_with("file:") {
        return Ok(MachineSpec::from_file(text)?);
    }
    text.parse().map_err(|cause| match cause {
        MachineSpecError::Unknown { given } => MachineError::Unknown(given),
        cause => MachineError::MachineSpec(cause),
    })
}

/// Reads a placement of ranks.
fn read_placement(text: &str) -> Result<Placement, String> {
    text.parse().map_err(|cause: TopologyError| cause.to_string())
}

/// Reads a whole number.
pub(super) fn read_number<N: FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| "allowed is a whole number from 0 to 2^64 - 1".to_owned())
}

/// Reads a limit in seconds, or with a unit.
fn read_limit(text: &str) -> Result<Duration, String> {
    let is_plain = text.trim().parse::<f64>().is_ok();
    let text = if is_plain { format!("{text} s") } else { text.to_owned() };
    let seconds = units::parse_seconds(&text).map_err(|cause| cause.to_string())?;
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    limit.ok_or_else(|| "a limit must be above 0 s and below 2^64 s".to_owned())
}
