//! What is to be done: one broadcast problem, and the algorithms that work on it.

use std::fmt;

use multicomputer::{
    Machine, Rank,
    model::Description,
    stop::{Algorithm, Instance, PlanError},
    units::format_bytes,
};

use super::{
    super::{count::counted, error::Error, options::as_grid},
    Arguments,
};

/// So many sources unless told otherwise, or all nodes of a smaller machine.
const DEFAULT_SOURCES: usize = 30;

/// One problem: where the sources are on which machine, and how long each message is.
#[derive(Debug)]
pub(super) struct Task {
    /// Which of the machines.
    pub(super) machine: usize,
    pub(super) instance: Instance,
    /// The distribution as it is spelled.
    pub(super) distribution: String,
    /// The length of each message.
    pub(super) bytes: u64,
    /// In the order of the registry.
    pub(super) algorithms: Vec<Algorithm>,
    /// Those asked for together with others that do not work, and why.
    pub(super) left_out: Vec<PlanError>,
}

/// Where the sources are on one machine.
struct Placement {
    distribution: String,
    sources: Vec<Rank>,
}

/// All problems asked for: by machine, then distribution, number of sources, length.
pub(super) fn tasks(arguments: &Arguments, machines: &[Machine]) -> Result<Vec<Task>, Error> {
    let mut tasks = Vec::new();
    for (index, machine) in machines.iter().enumerate() {
        let machine = machine.description();
        for Placement { distribution, sources } in placements(arguments, machine)? {
            for bytes in &arguments.bytes {
                let lengths = vec![bytes; sources.len()];
                let instance = Instance::new(machine, &sources, &lengths).map_err(Error::usage)?;
                let (algorithms, left_out) = algorithms(arguments, &instance)?;
                let distribution = distribution.clone();
                let task = Task { machine: index, instance, distribution, bytes, algorithms, left_out };
                if !tasks.iter().any(|earlier| task.is_same(earlier)) {
                    tasks.push(task);
                }
            }
        }
    }
    Ok(tasks)
}

/// All placements of the sources on a machine.
fn placements(arguments: &Arguments, machine: &Description) -> Result<Vec<Placement>, Error> {
    if let Some(ranks) = &arguments.at {
        return Ok(vec![at(ranks.as_slice())]);
    }
    let grid = as_grid(machine);
    let mut placements = Vec::new();
    for distribution in arguments.distribution.as_slice() {
        let default = [distribution.sources().unwrap_or_else(|| default_sources(machine))];
        let counts = arguments.sources.as_ref().map_or(&default[..], |counts| counts.as_slice());
        for &count in counts {
            let sources = distribution.place(grid, count).map_err(Error::usage)?;
            placements.push(Placement { distribution: distribution.to_string(), sources });
        }
    }
    Ok(placements)
}

/// Sources that are named: spelled as a distribution is.
fn at(ranks: &[Rank]) -> Placement {
    let names: Vec<String> = ranks.iter().map(Rank::to_string).collect();
    Placement { distribution: format!("list:{}", names.join("+")), sources: ranks.to_vec() }
}

/// How many sources there are if nobody says.
fn default_sources(machine: &Description) -> usize {
    DEFAULT_SOURCES.min(machine.nodes())
}

/// The algorithms asked for that work on the instance, and why others are left out.
fn algorithms(arguments: &Arguments, instance: &Instance) -> Result<(Vec<Algorithm>, Vec<PlanError>), Error> {
    let (mut algorithms, mut left_out) = (Vec::new(), Vec::new());
    for choice in arguments.algorithm.as_slice() {
        match choice.algorithm.check(instance) {
            Ok(()) => algorithms.push(choice.algorithm),
            Err(cause) if choice.by_name => {
                let (sources, nodes) = (instance.sources().len(), instance.nodes());
                let are = if sources == 1 { "is" } else { "are" };
                return Err(Error::usage(format!("{cause}: {sources} of {nodes} {are}")));
            }
            Err(cause) => left_out.push(cause),
        }
    }
    Ok((algorithms, left_out))
}

/// `paragon:10x10, cross, 30 sources, 2 KiB each`
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.machine_name().to_owned(), self.distribution.clone(), self.count(), self.length()];
        f.write_str(&parts.join(", "))
    }
}

impl Task {
    /// Whether this is a problem that is there already, as one of 4 sources is in `--sources 1..8,4`.
    fn is_same(&self, other: &Task) -> bool {
        self.bytes == other.bytes
            && self.distribution == other.distribution
            && self.machine_name() == other.machine_name()
            && self.instance == other.instance
    }

    pub(super) fn machine_name(&self) -> &str {
        self.instance.machine().name()
    }

    pub(super) fn sources(&self) -> usize {
        self.instance.sources().len()
    }

    /// `30 sources`
    pub(super) fn count(&self) -> String {
        counted(self.sources(), "source")
    }

    /// `2 KiB each`
    pub(super) fn length(&self) -> String {
        format!("{} each", format_bytes(self.bytes))
    }
}
