//! Lists of names as `collective` reads them: which operations, and which algorithms.
//!
//! Both are lists with commas between them. A strategy may have a comma of its own, as in `6x5:SMC,columns`: a word
//! that is no name and has no `:` belongs to the strategy before it.

use std::str::FromStr;

use multicomputer::collective::{Algorithm, Operation, Strategy, StrategyError};
use thiserror::Error;

/// The operations asked for, each once, in their own order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Operations(Vec<Operation>);

/// The algorithms asked for: those with a name in the order of the registry, then strategies in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Algorithms {
    is_all: bool,
    named: Vec<Algorithm>,
    strategies: Vec<String>,
}

/// An algorithm that is asked for, for one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// As it is written.
    pub(super) name: String,
    /// A strategy may be one for some operations only.
    pub(super) algorithm: Result<Algorithm, StrategyError>,
}

/// A name in a list that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(in crate::cli) enum NamesError {
    /// Of no operation.
    #[error("`{0}` is no operation; allowed are {all}, and all", all = operations())]
    Operation(String),
    /// Of no algorithm.
    #[error("`{0}` is no algorithm; allowed are {all}, strategies such as 2x3x5:SSMCC, and all", all = algorithms())]
    Algorithm(String),
}

fn operations() -> String {
    Operation::ALL.map(Operation::name).join(", ")
}

fn algorithms() -> String {
    Algorithm::NAMED.iter().map(Algorithm::name).collect::<Vec<_>>().join(", ")
}

/// What the operation is.
pub(in crate::cli) fn operation_help() -> String {
    format!("What is done, or a list of such: {}, or all", operations())
}

/// What `--algorithm` is.
pub(super) fn algorithm_help() -> String {
    "The algorithms (see below), or a list of such: names, strategies such as 2x3x5:SSMCC or 6x5:SMC,columns, or all \
     that have a name"
        .to_owned()
}

/// What stands at the end of the help: the algorithms, and some examples.
pub(super) fn after_help(examples: &str) -> String {
    let lines =
        Algorithm::NAMED.iter().map(|algorithm| format!("  {:10} {}", algorithm.name(), algorithm.about()));
    format!("Algorithms:\n{}\n\n{examples}", lines.collect::<Vec<_>>().join("\n"))
}

impl Operations {
    pub(in crate::cli) fn all() -> Operations {
        Operations(Operation::ALL.to_vec())
    }

    pub(in crate::cli) fn as_slice(&self) -> &[Operation] {
        &self.0
    }
}

impl Algorithms {
    /// Those asked for, for an operation: at least one.
    pub(super) fn of(&self, operation: Operation) -> Vec<Asked> {
        let all = if self.is_all { Algorithm::of(operation) } else { Vec::new() };
        let named = Algorithm::NAMED.iter().filter(|named| self.named.contains(named) || all.contains(named));
        let named = named.map(|named| Asked { name: named.name().to_owned(), algorithm: Ok(named.clone()) });
        let strategy = |text: &String| Asked {
            name: text.clone(),
            algorithm: Strategy::parse(operation, text).map(Algorithm::strategy),
        };
        named.chain(self.strategies.iter().map(strategy)).collect()
    }
}

impl FromStr for Operations {
    type Err = NamesError;

    fn from_str(text: &str) -> Result<Operations, NamesError> {
        let mut asked = Vec::new();
        for item in text.split(',').map(str::trim) {
            match item {
                "all" => asked.extend(Operation::ALL),
                name => {
                    asked.push(Operation::named(name).ok_or_else(|| NamesError::Operation(name.to_owned()))?)
                }
            }
        }
        Ok(Operations(Operation::ALL.into_iter().filter(|operation| asked.contains(operation)).collect()))
    }
}

impl FromStr for Algorithms {
    type Err = NamesError;

    fn from_str(text: &str) -> Result<Algorithms, NamesError> {
        let mut asked = Algorithms { is_all: false, named: Vec::new(), strategies: Vec::new() };
        let mut after_strategy = false;
        for item in text.split(',').map(str::trim) {
            let named = Algorithm::NAMED.iter().find(|named| named.is_called(item));
            match (item, named) {
                ("all", _) => asked.is_all = true,
                (_, Some(named)) => asked.named.push(named.clone()),
                (strategy, None) if strategy.contains(':') => asked.strategies.push(strategy.to_owned()),
                (rest, None) => match asked.strategies.last_mut().filter(|_| after_strategy) {
                    Some(strategy) if !rest.is_empty() => *strategy = format!("{strategy},{rest}"),
                    _ => return Err(NamesError::Algorithm(rest.to_owned())),
                },
            }
            after_strategy = item.contains(':');
        }
        let mut seen = Vec::new();
        asked.strategies.retain(|strategy| {
            let is_new = !seen.contains(strategy);
            seen.push(strategy.clone());
            is_new
        });
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(operation: Operation, text: &str) -> Vec<String> {
        let algorithms: Algorithms = text.parse().unwrap();
        algorithms.of(operation).into_iter().map(|asked| asked.name).collect()
    }

    #[test]
    fn operations_come_in_their_own_order() {
        let some: Operations = "scan, broadcast,scan".parse().unwrap();
        assert_eq!(some.as_slice(), [Operation::Broadcast, Operation::Scan]);
        assert_eq!("broadcast,all".parse(), Ok(Operations::all()));
    }

    #[test]
    fn a_comma_of_a_strategy_is_its_own() {
        let broadcast = Operation::Broadcast;
        assert_eq!(
            asked(broadcast, "2x3:SMC,columns,short,3x2:SMC,auto,6:M"),
            ["auto", "short", "2x3:SMC,columns", "3x2:SMC", "6:M"]
        );
        assert_eq!(asked(broadcast, "6:M,compact,6:M,compact"), ["6:M,compact"]);
        assert_eq!(asked(broadcast, "all").len(), Algorithm::of(broadcast).len());
        assert_eq!(asked(Operation::Scan, "6:M,all").len(), Algorithm::of(Operation::Scan).len() + 1);
    }

    #[test]
    fn a_strategy_may_fit_some_operations_only() {
        let algorithms: Algorithms = "2x3:SMC".parse().unwrap();
        assert!(algorithms.of(Operation::Broadcast)[0].algorithm.is_ok());
        assert!(algorithms.of(Operation::Collect)[0].algorithm.is_err());
    }

    #[test]
    fn errors_name_what_is_allowed() {
        let error = |text: &str| text.parse::<Algorithms>().unwrap_err().to_string();
        for (text, given) in
            [("fast", "fast"), ("", ""), ("columns", "columns"), ("6:M,auto,columns", "columns")]
        {
            let start = format!("`{given}` is no algorithm; allowed are auto, short, ");
            assert!(error(text).starts_with(&start), "{}", error(text));
        }
        let error = "allreduce".parse::<Operations>().unwrap_err().to_string();
        assert!(
            error.starts_with("`allreduce` is no operation; allowed are broadcast, scatter, "),
            "{error}"
        );
        assert!(error.ends_with("scan, and all"), "{error}");
    }
}
