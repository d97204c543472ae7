//! Lists as option values of `collective`: operations, algorithms, and MSCCL schedules in files.
//!
//! A strategy may contain a comma, as in `6x5:SMC,columns`: after a strategy, an item that is no algorithm name and
//! contains no `:` belongs to that strategy.

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

/// Requested algorithms: named algorithms in the order of the registry, then strategies in the order given.
#[derive(Clone, Debug)]
pub(super) struct Algorithms {
    is_all: bool,
    /// Pairs of the text as typed and the algorithm.
    named: Vec<(String, Algorithm)>,
    strategies: Vec<String>,
}

/// A requested algorithm, for one operation.
#[derive(Clone, Debug)]
pub(super) struct Requested {
    /// Name of the algorithm, text of the strategy, or path of the file.
    pub(super) name: String,
    /// The algorithm, or the reason why the operation does not have it.
    pub(super) algorithm: Result<Algorithm, String>,
}

impl fmt::Display for Requested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Spellings of all-to-all operations, which the command `all-to-all` compares.
const ALL_TO_ALL: [&str; 3] = ["alltoall", "alltoallv", "alltoallw"];

/// Returns the names of all operations, comma-separated; the first alias, usually the MPI name, follows in parentheses
/// unless it begins with the name.
fn spellings() -> String {
    let spelled = |operation: Operation| match operation.aliases() {
        [alias, ..] if !alias.starts_with(operation.name()) => format!("{operation} ({alias})"),
        _ => operation.to_string(),
    };
    Operation::ALL.map(spelled).join(", ")
}

/// Returns the help text of the operations argument.
pub(crate) fn operation_help() -> String {
    format!("Compare algorithms for these operations, comma-separated: {}, or all", spellings())
}

/// Parses operations: without duplicates, in the order of [`Operation::ALL`].
pub(crate) fn operations(text: &str) -> Result<List<Operation>, String> {
    let read = |item: &str| match Operation::named(item) {
        Some(operation) => Ok(vec![operation]),
        None if is_all(item) => Ok(Operation::ALL.to_vec()),
        None => Err(unknown_operation(item)),
    };
    Ok(List::read(text, read)?.in_order_of(Operation::ALL))
}

/// Returns the error for an unknown operation, with the nearest name; for all-to-all operations, with the name of their
/// command.
fn unknown_operation(item: &str) -> String {
    let named = |operation: &Operation| {
        operation.aliases().iter().copied().chain([operation.name()]).collect::<Vec<_>>()
    };
    let known = Operation::ALL.iter().flat_map(named).chain(["all"]).chain(ALL_TO_ALL);
    let nearest = names::nearest(item, known);
    let is_all_to_all = |name: &str| ALL_TO_ALL.contains(&&*names::normalized(name));
    if is_all_to_all(item) || nearest.as_deref().is_some_and(is_all_to_all) {
        return format!(
            "`{item}` has a separate command: write `multicomputer all-to-all`. Known operations here: {}, all",
            spellings()
        );
    }
    names::unknown("operation", item, nearest, &format!("{}, all", spellings()))
}

/// Parses the algorithms argument.
pub(super) fn algorithms(text: &str) -> Result<Algorithms, String> {
    let mut requested = Algorithms { is_all: false, named: Vec::new(), strategies: Vec::new() };
    let mut after_strategy = false;
    for item in items(text) {
        let named = Algorithm::NAMED.iter().find(|named| named.is_called(item));
        match (item, named) {
            (all, _) if is_all(all) => requested.is_all = true,
            (_, Some(named)) => requested.named.push((item.to_owned(), named.clone())),
            (strategy, None) if strategy.contains(':') => requested.strategies.push(strategy.to_owned()),
            (rest, None) => match requested.strategies.last_mut().filter(|_| after_strategy) {
                Some(strategy) if !rest.is_empty() => *strategy = format!("{strategy},{rest}"),
                _ => return Err(unknown_algorithm(rest)),
            },
        }
        after_strategy = item.contains(':');
    }
    requested.strategies = List::of(requested.strategies).without_duplicates().to_vec();
    Ok(requested)
}

/// Returns the error for an item that is neither the name of an algorithm nor a strategy.
fn unknown_algorithm(item: &str) -> String {
    let nearest = names::nearest(item, Algorithm::NAMED.iter().flat_map(Algorithm::spellings).chain(["all"]));
    let known: Vec<&str> = Algorithm::NAMED.iter().map(Algorithm::name).collect();
    let known = format!("{}, strategies such as 2x3x5:SSMCC, all", known.join(", "));
    names::unknown("algorithm", item, nearest, &known)
}

impl Algorithms {
    /// Returns the requested algorithms for an operation: at least one.
    pub(super) fn of(&self, operation: Operation) -> Vec<Requested> {
        let as_typed = |algorithm: &Algorithm| self.named.iter().find(|(_, named)| named == algorithm);
        let is_requested =
            |named: &&Algorithm| as_typed(named).is_some() || self.is_all && named.is_for(operation);
        let named = Algorithm::NAMED.iter().filter(is_requested).map(|named| {
            let algorithm = match as_typed(named) {
                // The error contains the name as typed, which may be an alias.
                Some((typed, _)) if !named.is_for(operation) => Err(PlanError::OtherKind {
                    algorithm: typed.clone(),
                    kind: operation.to_string(),
                    known: Algorithm::of(operation).iter().map(|known| known.name().to_owned()).collect(),
                }
                .to_string()),
                _ => Ok(named.clone()),
            };
            Requested { name: named.name().to_owned(), algorithm }
        });
        let strategy = |text: &String| {
            let strategy = Strategy::parse(operation, text);
            let algorithm = strategy.map(Algorithm::strategy).map_err(|cause| cause.to_string());
            Requested { name: text.clone(), algorithm }
        };
        named.chain(self.strategies.iter().map(strategy)).collect()
    }
}

/// Reads MSCCL schedules from files, without duplicate paths; each algorithm has the path as its name.
pub(super) fn of_files(files: &[PathBuf]) -> Result<Vec<Requested>, Error> {
    let files = List::of(files.to_vec()).without_duplicates();
    let requested = |file: &PathBuf| {
        let algorithm = Algorithm::from(msccl::read(file)?);
        Ok(Requested { name: file.display().to_string(), algorithm: Ok(algorithm) })
    };
    files.iter().map(requested).collect()
}
