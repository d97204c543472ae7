//! Problems of a sweep: one broadcast each, with the algorithms that apply to it, and the columns in which problems
//! differ.

use std::fmt;

use multicomputer::{
    Rank,
    model::MachineSpec,
    plan::PlanError,
    s_to_p::{Algorithm, Distribution, Instance},
    units::format_bytes,
};

use super::{
    super::{
        broadcast::default_sources, count::counted, error::Error, files::harmless, options::as_grid,
        setting::Setting,
    },
    Arguments,
};

/// A problem: machine, sources and message lengths, with the algorithms to run.
#[derive(Debug)]
pub(super) struct Task {
    /// Index of the machine.
    pub(super) machine: usize,
    pub(super) instance: Instance,
    /// Distribution as text.
    pub(super) distribution: String,
    /// Algorithms that apply, in table order.
    pub(super) algorithms: Vec<Algorithm>,
    /// Reasons why other algorithms do not apply.
    pub(super) left_out: Vec<PlanError>,
}

/// Returns all requested problems, ordered by machine, distribution, number of sources, length. Returns an error if no
/// algorithm applies to any problem.
pub(super) fn tasks(arguments: &Arguments, machines: &[MachineSpec]) -> Result<Vec<Task>, Error> {
    let (mut tasks, mut refusal): (Vec<Task>, _) = (Vec::new(), None);
    let settings: Vec<Setting> =
        machines.iter().map(|machine| Setting::of(machine, arguments.options.seed)).collect();
    for (index, machine) in machines.iter().enumerate() {
        for (distribution, sources) in placements(arguments, machine)? {
            let lengths: Vec<Vec<u64>> = match &arguments.lengths {
                Some(lengths) if lengths.len() != sources.len() && !arguments.has_number_of_sources() => {
                    return Err(Error::usage(format!(
                        "{} given, and {distribution} on {} has {}: give a length for each source, or --sources or --at",
                        match lengths.len() {
                            1 => "1 length is".to_owned(),
                            given => format!("{given} lengths are"),
                        },
                        machine.name(),
                        counted(sources.len(), "source"),
                    )));
                }
                Some(lengths) => vec![lengths.to_vec()],
                None => (&arguments.bytes).into_iter().map(|bytes| vec![bytes; sources.len()]).collect(),
            };
            for lengths in lengths {
                let instance = Instance::new(machine, &sources, &lengths).map_err(Error::usage)?;
                let (algorithms, left_out) = algorithms(arguments, &instance);
                refusal = refusal.or_else(|| left_out.first().cloned());
                let distribution = distribution.clone();
                let task = Task { machine: index, instance, distribution, algorithms, left_out };
                // Skips duplicates: 4 sources occur twice in `--sources 1..8,4`.
                let is_same = |earlier: &Task| {
                    task.distribution == earlier.distribution
                        && task.instance == earlier.instance
                        && settings[task.machine] == settings[earlier.machine]
                };
                if !tasks.iter().any(is_same) {
                    tasks.push(task);
                }
            }
        }
    }
    match refusal {
        Some(cause) if tasks.iter().all(|task| task.algorithms.is_empty()) => Err(Error::usage(cause)),
        _ => Ok(tasks),
    }
}

/// Returns all placements of the sources on a machine, as name and ranks. The ranks of `--at` are named like a
/// distribution: `list:0+5`.
fn placements(arguments: &Arguments, machine: &MachineSpec) -> Result<Vec<(String, Vec<Rank>)>, Error> {
    if let Some(ranks) = &arguments.at {
        let names: Vec<String> = ranks.iter().map(Rank::to_string).collect();
        return Ok(vec![(format!("list:{}", names.join("+")), ranks.to_vec())]);
    }
    let grid = as_grid(machine);
    let mut placements = Vec::new();
    for distribution in arguments.distribution.iter() {
        let default = [distribution.sources().unwrap_or_else(|| default_sources(machine))];
        let counts = arguments.sources.as_ref().map_or(&default[..], |counts| counts);
        for &count in counts {
            let sources = distribution.place(grid, count).map_err(Error::usage)?;
            placements.push((distribution.to_string(), sources));
        }
    }
    Ok(placements)
}

/// Returns the requested algorithms that apply to an instance, and the reasons why others do not.
fn algorithms(arguments: &Arguments, instance: &Instance) -> (Vec<Algorithm>, Vec<PlanError>) {
    let (mut algorithms, mut left_out) = (Vec::new(), Vec::new());
    for algorithm in arguments.algorithm.iter() {
        match algorithm.check(instance) {
            Ok(()) => algorithms.push(algorithm.clone()),
            Err(cause) => left_out.push(cause),
        }
    }
    (algorithms, left_out)
}

impl Arguments {
    /// Returns whether the arguments set the number of sources.
    fn has_number_of_sources(&self) -> bool {
        let has_own_number = |distribution: &Distribution| distribution.sources().is_some();
        self.sources.is_some() || self.at.is_some() || self.distribution.iter().any(has_own_number)
    }
}

impl Task {
    pub(super) fn machine_name(&self) -> &str {
        self.instance.machine().name()
    }

    pub(super) fn sources(&self) -> usize {
        self.instance.sources().len()
    }

    /// Returns the minimum and the maximum length of a message, in bytes.
    fn lengths(&self) -> (u64, u64) {
        let lengths = || self.instance.lengths().iter().copied();
        (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
    }

    /// Returns the bytes of a message: `2048`, or `32..65536`.
    pub(super) fn bytes(&self) -> String {
        match self.lengths() {
            (least, most) if least < most => format!("{least}..{most}"),
            (_, most) => most.to_string(),
        }
    }

    /// Returns the columns that distinguish problems: name, cell, and text for a heading.
    fn keys(&self) -> [(&'static str, String, String); 4] {
        let (machine, distribution) = (self.machine_name().to_owned(), self.distribution.clone());
        let words = match self.lengths() {
            (least, most) if least < most => {
                format!("{} to {} each", format_bytes(least), format_bytes(most))
            }
            (_, most) => format!("{} each", format_bytes(most)),
        };
        [
            ("machine", machine.clone(), machine),
            ("distribution", distribution.clone(), distribution),
            ("sources", self.sources().to_string(), counted(self.sources(), "source")),
            ("bytes", self.bytes(), words),
        ]
    }
}

/// Formats a problem: `paragon:10x10, cross, 30 sources, 2 KiB each`.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.keys().map(|(.., words)| words).join(", "))
    }
}

/// Columns in which problems differ. Tables contain these columns, headings the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Differences {
    pub(super) keys: Vec<&'static str>,
    algorithm: bool,
}

impl Differences {
    pub(super) fn of(tasks: &[Task]) -> Differences {
        let mut differences = Differences { keys: Vec::new(), algorithm: false };
        let Some(first) = tasks.first() else { return differences };
        for (index, (name, cell, _)) in first.keys().into_iter().enumerate() {
            // Two machines may have the same name.
            let differs =
                |task: &Task| task.keys()[index].1 != cell || index == 0 && task.machine != first.machine;
            if tasks.iter().any(differs) {
                differences.keys.push(name);
            }
        }
        differences.algorithm =
            tasks.iter().any(|task| task.algorithms.len() > 1 || task.algorithms != first.algorithms);
        differences
    }

    /// Returns the columns that a problem has in common with all others, as texts.
    pub(super) fn common(&self, task: &Task) -> Vec<String> {
        let keys = task.keys().into_iter().filter(|(name, ..)| !self.keys.contains(name));
        keys.map(|(.., words)| words).collect()
    }

    /// Returns a label for the file names of a run: the cells, and the algorithm, in which runs differ.
    pub(super) fn label(&self, task: &Task, algorithm: Option<&Algorithm>) -> String {
        let keys = task.keys().into_iter().filter(|(name, ..)| self.keys.contains(name));
        let algorithm = algorithm.filter(|_| self.algorithm).map(Algorithm::to_string);
        let parts: Vec<String> = keys.map(|(_, cell, _)| cell).chain(algorithm).collect();
        harmless(&parts.join("-"), "-._+@")
    }
}
