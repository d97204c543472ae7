//! Lists of names as `stop` reads them: which algorithms, and which distributions.

use std::str::FromStr;

use multicomputer::stop::{Algorithm, Distribution, ParseAlgorithmError, ParseDistributionError};
use thiserror::Error;

/// An algorithm that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) algorithm: Algorithm,
    /// By its own name, not only as one of several. Then it is not left out where it does not work.
    pub(super) by_name: bool,
}

/// The algorithms asked for, each once, in the order of the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Algorithms(Vec<Choice>);

/// The distributions asked for, each once, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Distributions(Vec<Distribution>);

/// A name in a list that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum NamesError {
    /// Of no algorithm.
    #[error("{0}; all, paper and beyond stand for several")]
    Algorithm(#[from] ParseAlgorithmError),
    /// Of no distribution.
    #[error("{0}; all stands for those up to band")]
    Distribution(#[from] ParseDistributionError),
}

/// What `--distribution` is.
pub(super) fn distribution_help() -> String {
    format!(
        "Where the sources are, or a list of such: {}; all stands for those up to band",
        Distribution::spellings()
    )
}

/// What `--algorithm` is.
pub(super) fn algorithm_help() -> String {
    let names = |algorithms: &[Algorithm]| {
        algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", ")
    };
    format!(
        "The algorithms, or a list of such: paper for those of the papers ({}), beyond for others ({}), {} for the \
         fastest of these on the machine, or all; paper, beyond and all leave out what does not work",
        names(&Algorithm::PAPER),
        names(&Algorithm::BEYOND),
        Algorithm::AUTO
    )
}

impl Algorithms {
    pub(super) fn as_slice(&self) -> &[Choice] {
        &self.0
    }
}

impl Distributions {
    pub(super) fn as_slice(&self) -> &[Distribution] {
        &self.0
    }
}

impl FromStr for Algorithms {
    type Err = NamesError;

    fn from_str(text: &str) -> Result<Algorithms, NamesError> {
        let (mut named, mut several) = (Vec::new(), Vec::new());
        for item in text.split(',').map(str::trim) {
            match item {
                "all" => several.extend(Algorithm::all()),
                "paper" => several.extend(Algorithm::PAPER),
                "beyond" => several.extend(Algorithm::BEYOND),
                name => named.push(name.parse()?),
            }
        }
        let choice = |algorithm| {
            let by_name = named.contains(&algorithm);
            (by_name || several.contains(&algorithm)).then_some(Choice { algorithm, by_name })
        };
        Ok(Algorithms(Algorithm::all().filter_map(choice).collect()))
    }
}

impl FromStr for Distributions {
    type Err = NamesError;

    fn from_str(text: &str) -> Result<Distributions, NamesError> {
        let mut distributions = Vec::new();
        for item in text.split(',').map(str::trim) {
            let asked = match item {
                "all" => Distribution::ALL.to_vec(),
                name => vec![name.parse()?],
            };
            for distribution in asked {
                if !distributions.contains(&distribution) {
                    distributions.push(distribution);
                }
            }
        }
        Ok(Distributions(distributions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn algorithms(text: &str) -> Vec<(Algorithm, bool)> {
        let algorithms: Algorithms = text.parse().unwrap();
        algorithms.0.iter().map(|choice| (choice.algorithm, choice.by_name)).collect()
    }

    #[test]
    fn algorithms_come_in_the_order_of_the_registry() {
        assert_eq!(
            algorithms("auto, 2-step,br-lin,auto"),
            [(Algorithm::BR_LIN, true), (Algorithm::TWO_STEP, true), (Algorithm::AUTO, true)]
        );
        assert_eq!(algorithms("all").len(), Algorithm::all().count());
        assert_eq!(algorithms("paper").len(), Algorithm::PAPER.len());
        let beyond = algorithms("split,beyond");
        assert_eq!(beyond.len(), Algorithm::BEYOND.len());
        assert!(beyond.iter().all(|&(algorithm, by_name)| by_name == (algorithm == Algorithm::SPLIT)));
    }

    #[test]
    fn distributions_come_in_the_order_given() {
        let row_last: Distributions = "square-block,row,square-block".parse().unwrap();
        assert_eq!(row_last.as_slice(), [Distribution::SquareBlock, Distribution::Row]);
        let all: Distributions = "row,all".parse().unwrap();
        assert_eq!(all.as_slice(), Distribution::ALL);
    }

    #[test]
    fn errors_name_what_is_allowed() {
        let error = "br-lin,fast".parse::<Algorithms>().unwrap_err().to_string();
        assert!(error.starts_with("no algorithm is called \"fast\": the names are br-lin, "), "{error}");
        assert!(error.ends_with("; all, paper and beyond stand for several"), "{error}");
        let error = "rows".parse::<Distributions>().unwrap_err().to_string();
        assert!(error.starts_with("`rows` is no distribution; allowed are row, "), "{error}");
        assert!("".parse::<Algorithms>().is_err() && "row,".parse::<Distributions>().is_err());
    }
}
