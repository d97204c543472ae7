//! The algorithms that are asked for: those of the library by their names, and schedules in files.

use std::{fmt, path::PathBuf};

use multicomputer::{
    all_to_all::{Algorithm, Instance, Own, Plan},
    names,
    plan::{Effort, PlanError},
};

use super::super::{error::Error, lists::List, msccl};

/// An algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Named(Algorithm),
    /// A schedule of MSCCL, by the name of its file.
    InFile(String, Own),
}

impl Asked {
    /// The seed of what it chooses at random.
    pub(super) fn seed(&self) -> Option<u64> {
        match self {
            Asked::Named(algorithm) => algorithm.seed(),
            Asked::InFile(..) => None,
        }
    }

    /// The attempts with it: one for each seed if it has one.
    pub(super) fn attempts(&self, seeds: u64, first: u64) -> Vec<Asked> {
        match self {
            Asked::Named(algorithm) if algorithm.seed().is_some() => {
                let seeds = (0..seeds).map(|nth| first.wrapping_add(nth));
                seeds.map(|seed| Asked::Named(algorithm.with_seed(seed))).collect()
            }
            other => vec![other.clone()],
        }
    }

    /// Whether a plan says what it takes.
    pub(super) fn is_predictable(&self) -> bool {
        matches!(self, Asked::InFile(..)) || matches!(self, Asked::Named(named) if named.is_predictable())
    }

    /// Whether it sorts, which needs data.
    pub(super) fn sorts(&self) -> bool {
        *self == Asked::Named(Algorithm::SORTING)
    }

    pub(super) fn plan(&self, instance: &Instance, effort: Effort) -> Result<Plan, PlanError> {
        match self {
            Asked::Named(algorithm) => algorithm.plan_with(instance, effort),
            Asked::InFile(_, own) => own.plan(instance),
        }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Named(algorithm) => algorithm.fmt(f),
            Asked::InFile(name, _) => f.pad(name),
        }
    }
}

/// Reads algorithms: each once, in the order of the registry.
pub(super) fn read_algorithms(text: &str) -> Result<List<Algorithm>, String> {
    let read = |item: &str| match (item, item.parse()) {
        ("all", _) => Ok(Algorithm::ALL.to_vec()),
        (_, Ok(algorithm)) => Ok(vec![algorithm]),
        (name, Err(_)) => {
            let all: Vec<&str> = Algorithm::ALL.iter().map(Algorithm::name).collect();
            let allowed =
                names::allowed(name, Algorithm::ALL.iter().flat_map(Algorithm::spellings).chain(["all"]));
            Err(format!("unknown algorithm `{name}`; {allowed} are {}, and all", all.join(", ")))
        }
    };
    Ok(List::read(text, read)?.in_order_of(Algorithm::ALL.iter().copied()))
}

/// Those with a name, and then the schedules in files, each once.
pub(super) fn asked(named: &List<Algorithm>, files: &[PathBuf]) -> Result<Vec<Asked>, Error> {
    let files = List::of(files.to_vec()).each_once();
    let in_file = |file: &PathBuf| {
        let own = Own::from(msccl::read(file)?);
        Ok(Asked::InFile(file.display().to_string(), own))
    };
    named.iter().map(|&algorithm| Ok(Asked::Named(algorithm))).chain(files.iter().map(in_file)).collect()
}
