//! Requested algorithms: named algorithms of the library, and MSCCL schedules in files.

use std::{fmt, path::PathBuf};

use multicomputer::all_to_all::Algorithm;

use super::super::{
    error::Error,
    lists::{List, is_all},
    msccl,
};

/// A requested algorithm: a named algorithm of the library, or the MSCCL schedule of a file, named by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requested {
    name: String,
    pub(super) algorithm: Algorithm,
}

impl Requested {
    /// Returns the algorithm once for each of `seeds` seeds from `first` on; only once if it makes no random choices.
    pub(super) fn attempts(&self, seeds: u64, first: u64) -> Vec<Requested> {
        if self.algorithm.seed().is_none() {
            return vec![self.clone()];
        }
        let seeds = (0..seeds).map(|nth| first.wrapping_add(nth));
        seeds.map(|seed| Requested { algorithm: self.algorithm.with_seed(seed), ..self.clone() }).collect()
    }

    /// Returns whether the algorithm sorts, which needs data.
    pub(super) fn sorts(&self) -> bool {
        self.algorithm == Algorithm::SORTING
    }
}

impl fmt::Display for Requested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// Parses algorithms: without duplicates, in the order of the registry.
pub(super) fn read_algorithms(text: &str) -> Result<List<Algorithm>, String> {
    let read = |item: &str| match item.parse() {
        _ if is_all(item) => Ok(Algorithm::ALL.to_vec()),
        Ok(algorithm) => Ok(vec![algorithm]),
        Err(cause) => Err(format!("{cause}, all")),
    };
    Ok(List::read(text, read)?.in_order_of(Algorithm::ALL.iter().cloned()))
}

/// Returns the named algorithms, then the schedules in files, without duplicate paths.
pub(super) fn requested(named: &List<Algorithm>, files: &[PathBuf]) -> Result<Vec<Requested>, Error> {
    let files = List::of(files.to_vec()).without_duplicates();
    let named = named
        .iter()
        .map(|algorithm| Ok(Requested { name: algorithm.to_string(), algorithm: algorithm.clone() }));
    let in_file = |file: &PathBuf| {
        let algorithm = Algorithm::from(msccl::read(file)?);
        Ok(Requested { name: file.display().to_string(), algorithm })
    };
    named.chain(files.iter().map(in_file)).collect()
}
