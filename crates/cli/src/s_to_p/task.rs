//! The problems of a sweep: one broadcast each, with the algorithms that work on it, and the figures in which they
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

/// One problem: where the sources are on which machine, and how long each message is.
#[derive(Debug)]
pub(super) struct Task {
    /// The number of the machine.
    pub(super) machine: usize,
    pub(super) instance: Instance,
    /// The distribution as it is spelled.
    pub(super) distribution: String,
    /// In their order in tables.
    pub(super) algorithms: Vec<Algorithm>,
    /// Why others do not work.
    pub(super) left_out: Vec<PlanError>,
}

/// All problems asked for: by machine, then distribution, number of sources, length. It is an error if no algorithm works on any.
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
                // As one of 4 sources is in `--sources 1..8,4`.
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

/// All placements of the sources on a machine, as they are spelled: named ranks as a distribution is.
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

/// The algorithms asked for that work on the instance, and why others are left out.
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
    /// Whether they say how many sources there are.
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

    /// The least and the most bytes of a message.
    fn lengths(&self) -> (u64, u64) {
        let lengths = || self.instance.lengths().iter().copied();
        (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
    }

    /// The bytes of a message: `2048`, or `32..65536`.
    pub(super) fn bytes(&self) -> String {
        match self.lengths() {
            (least, most) if least < most => format!("{least}..{most}"),
            (_, most) => most.to_string(),
        }
    }

    /// The columns that tell problems from each other: with the cell, and the same in words for a headline.
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

/// `paragon:10x10, cross, 30 sources, 2 KiB each`
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.keys().map(|(.., words)| words).join(", "))
    }
}

/// The columns in which problems differ: tables have these, and the others are in the headline.
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
            // Two machines may have one name.
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

    /// The keys that a problem has in common with all others, in words.
    pub(super) fn common(&self, task: &Task) -> Vec<String> {
        let keys = task.keys().into_iter().filter(|(name, ..)| !self.keys.contains(name));
        keys.map(|(.., words)| words).collect()
    }

    /// The keys of one of a problem's runs that tell it from all others, for the names of files.
    pub(super) fn label(&self, task: &Task, algorithm: Option<&Algorithm>) -> String {
        let keys = task.keys().into_iter().filter(|(name, ..)| self.keys.contains(name));
        let algorithm = algorithm.filter(|_| self.algorithm).map(Algorithm::to_string);
        let parts: Vec<String> = keys.map(|(_, cell, _)| cell).chain(algorithm).collect();
        harmless(&parts.join("-"), "-._+@")
    }
}
