//! Lists as `collective` reads them: operations, algorithms, and files with schedules of others.
//!
//! A strategy may have a comma of its own, as in `6x5:SMC,columns`: a word that is no name and has no `:` belongs to the
//! strategy before it.

use std::{fmt, path::PathBuf};

use multicomputer::{
    collective::{Algorithm, Operation, Strategy},
    names,
    plan::PlanError,
};

use super::super::{
    error::Error,
    lists::{List, is_all, items},
    msccl,
};

/// The algorithms asked for: those with a name in the order of the registry, then strategies in the order given.
#[derive(Clone, Debug)]
pub(super) struct Algorithms {
    is_all: bool,
    /// Each as it was typed, and the algorithm.
    named: Vec<(String, Algorithm)>,
    strategies: Vec<String>,
}

/// A requested algorithm, for one operation.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// As it is written.
    pub(super) name: String,
    /// A strategy may be one for some operations only.
    pub(super) algorithm: Result<Algorithm, String>,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Operations that have a command of their own.
const ALL_TO_ALL: [&str; 3] = ["alltoall", "alltoallv", "alltoallw"];

/// The names, each with those of MPI.
fn spellings() -> String {
    let spelled = |operation: Operation| match operation.aliases() {
        [alias, ..] if !alias.starts_with(operation.name()) => format!("{operation} ({alias})"),
        _ => operation.to_string(),
    };
    Operation::ALL.map(spelled).join(", ")
}

/// The help of the operation.
pub(crate) fn operation_help() -> String {
    format!("Compare algorithms for these operations, comma-separated: {}, or all", spellings())
}

/// Reads operations: each once, in their own order.
pub(crate) fn operations(text: &str) -> Result<List<Operation>, String> {
    let read = |item: &str| match Operation::named(item) {
        Some(operation) => Ok(vec![operation]),
        None if is_all(item) => Ok(Operation::ALL.to_vec()),
        None => Err(unknown_operation(item)),
    };
    Ok(List::read(text, read)?.in_order_of(Operation::ALL))
}

/// The refusal of a name that no operation has, with the nearest one, or the command that is for it.
fn unknown_operation(item: &str) -> String {
    let named = |operation: &Operation| {
        operation.aliases().iter().copied().chain([operation.name()]).collect::<Vec<_>>()
    };
    let known = Operation::ALL.iter().flat_map(named).chain(["all"]).chain(ALL_TO_ALL);
    let nearest = names::nearest(item, known);
    let is_all_to_all = |name: &str| ALL_TO_ALL.contains(&&*names::normalized(name));
    if is_all_to_all(item) || nearest.as_deref().is_some_and(is_all_to_all) {
        return format!(
            "`{item}` is a command of its own: write `multicomputer all-to-all`. Known operations here: {}, all",
            spellings()
        );
    }
    names::unknown("operation", item, nearest, &format!("{}, all", spellings()))
}

/// Reads algorithms.
pub(super) fn algorithms(text: &str) -> Result<Algorithms, String> {
    let mut asked = Algorithms { is_all: false, named: Vec::new(), strategies: Vec::new() };
    let mut after_strategy = false;
    for item in items(text) {
        let named = Algorithm::NAMED.iter().find(|named| named.is_called(item));
        match (item, named) {
            (all, _) if is_all(all) => asked.is_all = true,
            (_, Some(named)) => asked.named.push((item.to_owned(), named.clone())),
            (strategy, None) if strategy.contains(':') => asked.strategies.push(strategy.to_owned()),
            (rest, None) => match asked.strategies.last_mut().filter(|_| after_strategy) {
                Some(strategy) if !rest.is_empty() => *strategy = format!("{strategy},{rest}"),
                _ => return Err(unknown_algorithm(rest)),
            },
        }
        after_strategy = item.contains(':');
    }
    asked.strategies = List::of(asked.strategies).each_once().to_vec();
    Ok(asked)
}

/// The error for a text that is neither the name of an algorithm nor a strategy.
fn unknown_algorithm(item: &str) -> String {
    let nearest = names::nearest(item, Algorithm::NAMED.iter().flat_map(Algorithm::spellings).chain(["all"]));
    let known: Vec<&str> = Algorithm::NAMED.iter().map(Algorithm::name).collect();
    let known = format!("{}, strategies such as 2x3x5:SSMCC, all", known.join(", "));
    names::unknown("algorithm", item, nearest, &known)
}

impl Algorithms {
    /// Those asked for, for an operation: at least one.
    pub(super) fn of(&self, operation: Operation) -> Vec<Asked> {
        let requested = |algorithm: &Algorithm| self.named.iter().find(|(_, named)| named == algorithm);
        let is_asked =
            |named: &&Algorithm| requested(named).is_some() || self.is_all && named.is_for(operation);
        let named = Algorithm::NAMED.iter().filter(is_asked).map(|named| {
            let algorithm = match requested(named) {
                // The error has the name as it was typed, which may be an alias.
                Some((typed, _)) if !named.is_for(operation) => Err(PlanError::OtherKind {
                    algorithm: typed.clone(),
                    kind: operation.to_string(),
                    known: Algorithm::of(operation).iter().map(|known| known.name().to_owned()).collect(),
                }
                .to_string()),
                _ => Ok(named.clone()),
            };
            Asked { name: named.name().to_owned(), algorithm }
        });
        let strategy = |text: &String| {
            let strategy = Strategy::parse(operation, text);
            let algorithm = strategy.map(Algorithm::strategy).map_err(|cause| cause.to_string());
            Asked { name: text.clone(), algorithm }
        };
        named.chain(self.strategies.iter().map(strategy)).collect()
    }
}

/// The schedules in files, each once, by the names of the files.
pub(super) fn of_files(files: &[PathBuf]) -> Result<Vec<Asked>, Error> {
    let files = List::of(files.to_vec()).each_once();
    let asked = |file: &PathBuf| {
        let algorithm = Algorithm::from(msccl::read(file)?);
        Ok(Asked { name: file.display().to_string(), algorithm: Ok(algorithm) })
    };
    files.iter().map(asked).collect()
}
