//! Lists of algorithms as `exchange` reads them.

use std::str::FromStr;

use multicomputer::exchange::Algorithm;
use thiserror::Error;

/// The algorithms asked for, each once, in the order of the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Algorithms(Vec<Algorithm>);

/// A name in a list that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no algorithm; allowed are {all}, and all", all = names())]
pub(super) struct NameError(String);

fn names() -> String {
    Algorithm::ALL.iter().map(Algorithm::name).collect::<Vec<_>>().join(", ")
}

/// What `--algorithm` is.
pub(super) fn algorithm_help() -> String {
    "The algorithms (see below), or a list of such, or all".to_owned()
}

/// What stands at the end of the help: the algorithms, and some examples.
pub(super) fn after_help(examples: &str) -> String {
    let line = |algorithm: &Algorithm| format!("  {:10} {}", algorithm.name(), algorithm.about());
    let lines: Vec<String> = Algorithm::ALL.iter().map(line).collect();
    let waiting = "Waiting is that of a node on average, for messages to leave or to come.";
    format!("Algorithms:\n{}\n\n{waiting}\n\n{examples}", lines.join("\n"))
}

impl Algorithms {
    /// At least one.
    pub(super) fn as_slice(&self) -> &[Algorithm] {
        &self.0
    }
}

impl FromStr for Algorithms {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Algorithms, NameError> {
        let mut asked = Vec::new();
        for item in text.split(',').map(str::trim) {
            let named = Algorithm::ALL.iter().find(|algorithm| algorithm.name() == item);
            match (item, named) {
                ("all", _) => asked.extend(Algorithm::ALL),
                (_, Some(&named)) => asked.push(named),
                (other, None) => return Err(NameError(other.to_owned())),
            }
        }
        Ok(Algorithms(Algorithm::ALL.iter().copied().filter(|algorithm| asked.contains(algorithm)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_come_in_the_order_of_the_registry() {
        let some: Algorithms = "two-stage, auto,two-stage".parse().unwrap();
        assert_eq!(some.as_slice(), [Algorithm::AUTO, Algorithm::TWO_STAGE]);
        assert_eq!("bruck,all".parse::<Algorithms>().unwrap().as_slice(), Algorithm::ALL);
        let error = "auto,fast".parse::<Algorithms>().unwrap_err().to_string();
        assert!(error.starts_with("`fast` is no algorithm; allowed are auto, linear, "), "{error}");
        assert!(error.ends_with(", and all"), "{error}");
    }
}
