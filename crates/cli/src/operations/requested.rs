//! Requested algorithms: algorithms of the library, MSCCL schedules in files, and MPI's own operation.

use std::{fmt, path::PathBuf};

use multicomputer::{all_to_all, collective};
use multicomputer_study::{Algorithm, Operation, algorithms_named};

use super::super::{error::Error, lists::List, msccl};

/// A requested algorithm, for one operation.
#[derive(Clone, Debug)]
pub(crate) enum Requested {
    /// An algorithm of the library, or the schedule of a file, which has the path as its name.
    Library { name: String, algorithm: Algorithm },
    /// An algorithm that the operation does not have.
    Refused { name: String, cause: String },
    /// MPI's own operation.
    Mpi,
}

impl Requested {
    /// Returns the algorithm of the library; `None` for the others.
    pub(super) fn library(&self) -> Option<&Algorithm> {
        match self {
            Requested::Library { algorithm, .. } => Some(algorithm),
            _ => None,
        }
    }

    /// Returns the algorithm once for each of `seeds` seeds from `first` on; only once if it makes no random choices.
    fn attempts(self, seeds: u64, first: u64) -> Vec<Requested> {
        match self {
            Requested::Library { name, algorithm } if algorithm.seed().is_some() => {
                let seeds = (0..seeds).map(|nth| first.wrapping_add(nth));
                seeds
                    .map(|seed| Requested::Library {
                        name: name.clone(),
                        algorithm: algorithm.with_seed(seed),
                    })
                    .collect()
            }
            other => vec![other],
        }
    }
}

impl fmt::Display for Requested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Requested::Library { name, .. } | Requested::Refused { name, .. } => f.pad(name),
            Requested::Mpi => f.pad("mpi"),
        }
    }
}

/// Returns the requested algorithms of an operation, each once, in the order given, with an attempt for each seed.
pub(super) fn lines(
    operation: Operation,
    names: &[String],
    schedules: &[(String, multicomputer::msccl::Program)],
    [seeds, first_seed]: [u64; 2],
) -> Vec<Vec<Requested>> {
    let mut found: Vec<Requested> = Vec::new();
    for name in names {
        // A strategy keeps its text, which may say more than the name of its algorithm.
        let spelled =
            |algorithm: &Algorithm| if name.contains(':') { name.clone() } else { algorithm.name() };
        match algorithms_named(operation, name) {
            Ok(algorithms) => found.extend(
                algorithms
                    .into_iter()
                    .map(|algorithm| Requested::Library { name: spelled(&algorithm), algorithm }),
            ),
            Err(cause) => found.push(Requested::Refused { name: name.clone(), cause }),
        }
    }
    found.extend(schedules.iter().map(|(name, program)| {
        let algorithm = match operation {
            Operation::AllToAll => Algorithm::AllToAll(all_to_all::Algorithm::from(program.clone())),
            _ => Algorithm::Collective(collective::Algorithm::from(program.clone())),
        };
        Requested::Library { name: name.clone(), algorithm }
    }));
    let mut once: Vec<Requested> = Vec::new();
    for requested in found {
        if !once.iter().any(|known| known.to_string() == requested.to_string()) {
            once.push(requested);
        }
    }
    once.into_iter().map(|requested| requested.attempts(seeds, first_seed)).collect()
}

/// Reads MSCCL schedules from files, without duplicate paths, with their paths as names.
pub(super) fn schedules(files: &[PathBuf]) -> Result<Vec<(String, multicomputer::msccl::Program)>, Error> {
    let files = List::of(files.to_vec()).without_duplicates();
    files.iter().map(|file| Ok((file.display().to_string(), msccl::read(file)?))).collect()
}
