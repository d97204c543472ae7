//! Algorithms by name: parsing a handle, and the error for unknown names.

use std::str::FromStr;

use thiserror::Error;

use super::{
    Problem,
    registry::{Algorithm, Registered},
};
use crate::names;

impl<P: Registered> FromStr for Algorithm<P> {
    type Err = ParseAlgorithmError;

    /// Parses a [name](Algorithm::name) or an [alias](Algorithm::aliases), or another text that stands for an algorithm of
    /// the library.
    fn from_str(text: &str) -> Result<Self, ParseAlgorithmError> {
        let algorithms = P::algorithms();
        let known = algorithms.iter().find(|algorithm| algorithm.is_called(text)).cloned();
        match known.map_or_else(|| P::spelled(text), |known| Some(Ok(known))) {
            Some(Ok(algorithm)) => Ok(algorithm),
            Some(Err(reason)) => Err(ParseAlgorithmError { name: text.to_owned(), refusal: reason }),
            None => {
                let error = ParseAlgorithmError::new(text, &algorithms);
                Err(ParseAlgorithmError { refusal: error.refusal + P::BESIDES_NAMES, ..error })
            }
        }
    }
}

/// The error for a text that names no algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{refusal}")]
pub struct ParseAlgorithmError {
    name: String,
    refusal: String,
}

impl ParseAlgorithmError {
    /// Creates the error for a name that no known algorithm has.
    pub(crate) fn new<P: Problem>(name: &str, algorithms: &[Algorithm<P>]) -> ParseAlgorithmError {
        let allowed = names::allowed(name, algorithms.iter().flat_map(Algorithm::spellings));
        let known: Vec<&str> = algorithms.iter().map(Algorithm::name).collect();
        let refusal = format!("unknown algorithm `{name}`; {allowed} are {}", known.join(", "));
        ParseAlgorithmError { name: name.to_owned(), refusal }
    }

    /// Returns the name given.
    pub fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{all_to_all, collective, s_to_p};

    /// Checks that every name and alias selects its own algorithm, in any spelling.
    fn check_names<P: Registered>(algorithms: &[Algorithm<P>]) {
        let mut all = BTreeSet::new();
        for algorithm in algorithms {
            for name in algorithm.spellings() {
                assert!(all.insert(names::normalized(name)), "{name} is the name of two algorithms");
                for spelling in [name.to_owned(), name.to_uppercase().replace('-', "_")] {
                    assert_eq!(spelling.parse::<Algorithm<P>>().unwrap().name(), algorithm.name());
                }
            }
        }
    }

    #[test]
    fn every_name_and_alias_selects_its_algorithm() {
        check_names(&collective::Task::algorithms());
        check_names(&all_to_all::Instance::algorithms());
        check_names(&s_to_p::Instance::algorithms());
        assert_eq!("rabenseifner".parse::<collective::Algorithm>().unwrap(), collective::Algorithm::HALVING);
    }
}
