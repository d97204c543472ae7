//! The algorithms of a study, which are names, and the algorithms that they mean for an operation.

use multicomputer::{
    all_to_all,
    collective::{self, Strategy},
    names,
    plan::PlanError,
    s_to_p,
};

use crate::Operation;

/// The name that stands for all algorithms of an operation.
const ALL: &str = "all";
/// The names that stand for the s-to-p algorithms of the papers, and for the others.
const GROUPS: [&str; 2] = ["paper", "beyond"];

/// An algorithm of the library, with all of its choices.
#[derive(Clone, Debug, PartialEq)]
pub enum Algorithm {
    /// An algorithm of a collective operation.
    Collective(collective::Algorithm),
    /// An algorithm of s-to-p broadcasts.
    SToP(s_to_p::Algorithm),
    /// An algorithm of all-to-alls.
    AllToAll(all_to_all::Algorithm),
}

impl Algorithm {
    /// Whether a seed decides the schedule.
    pub(crate) fn is_random(&self) -> bool {
        matches!(self, Algorithm::AllToAll(algorithm) if algorithm.seed().is_some())
    }

    /// Returns the name of the library, which is the same for all spellings.
    pub fn name(&self) -> String {
        match self {
            Algorithm::Collective(algorithm) => algorithm.to_string(),
            Algorithm::SToP(algorithm) => algorithm.to_string(),
            Algorithm::AllToAll(algorithm) => algorithm.to_string(),
        }
    }

    /// Returns the seed of random choices; `None` if the algorithm makes none.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Algorithm::AllToAll(algorithm) => algorithm.seed(),
            _ => None,
        }
    }

    /// Returns the algorithm with another seed; unchanged if it makes no random choices.
    pub fn with_seed(&self, seed: u64) -> Algorithm {
        match self {
            Algorithm::AllToAll(algorithm) if algorithm.seed().is_some() => {
                Algorithm::AllToAll(algorithm.with_seed(seed))
            }
            other => other.clone(),
        }
    }

    /// Returns whether plans have a predicted time; otherwise only a run shows the time.
    pub fn is_predictable(&self) -> bool {
        !matches!(self, Algorithm::AllToAll(algorithm) if !algorithm.is_predictable())
    }

    /// Returns whether the algorithm looks at the data, so that it cannot run on lengths.
    pub fn needs_data(&self) -> bool {
        matches!(self, Algorithm::AllToAll(algorithm) if *algorithm == all_to_all::Algorithm::SORTING)
    }

    /// All names and aliases.
    fn spellings(&self) -> Vec<String> {
        match self {
            Algorithm::Collective(algorithm) => algorithm.spellings().map(str::to_owned).collect(),
            Algorithm::SToP(algorithm) => algorithm.spellings().map(str::to_owned).collect(),
            Algorithm::AllToAll(algorithm) => algorithm.spellings().map(str::to_owned).collect(),
        }
    }
}

/// Reads a comma-separated list of names. A strategy may contain a comma: after a strategy, an item that names no algorithm belongs to the
/// strategy, as in `6x5:SMC,columns`.
pub fn read_algorithms(text: &str) -> Vec<String> {
    let is_name = |item: &str| {
        let is_called = |named: &collective::Algorithm| named.is_called(item);
        item.contains(':') || names::normalized(item) == ALL || with_name().any(is_called)
    };
    let mut names: Vec<String> = Vec::new();
    for item in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
        match names.last_mut() {
            Some(strategy) if strategy.contains(':') && !item.is_empty() && !is_name(item) => {
                *strategy = format!("{strategy},{item}");
            }
            _ => names.push(item.to_owned()),
        }
    }
    names
}

/// All algorithms of collective operations with a name.
fn with_name() -> impl Iterator<Item = &'static collective::Algorithm> {
    collective::Algorithm::NAMED.iter().chain(collective::Algorithm::UNTRIED)
}

/// The algorithms of an operation that `names` mean, each once, in the order given. A name that means none of them is left out.
pub(crate) fn of(operation: Operation, names: &[String]) -> Vec<Algorithm> {
    let mut found: Vec<Algorithm> = Vec::new();
    for algorithm in names.iter().flat_map(|name| algorithms_named(operation, name).unwrap_or_default()) {
        if !found.iter().any(|known| known.name() == algorithm.name()) {
            found.push(algorithm);
        }
    }
    found
}

/// Returns the algorithms of an operation that a name means: one, or a group of several.
///
/// # Errors
///
/// A text that says why it means none: an unknown name, with the nearest one; an algorithm of other operations; a strategy that the
/// operation does not have.
pub fn algorithms_named(operation: Operation, name: &str) -> Result<Vec<Algorithm>, String> {
    if let Some(group) = group(operation, &names::normalized(name)) {
        return Ok(group);
    }
    let unknown = |()| unknown(&[operation], name);
    let is_other = with_name().any(|named| named.is_called(name));
    let algorithm = match operation {
        Operation::SToP => name.parse().map(Algorithm::SToP).map_err(drop).map_err(unknown)?,
        Operation::AllToAll => name.parse().map(Algorithm::AllToAll).map_err(drop).map_err(unknown)?,
        Operation::Collective(operation) => {
            let known = collective::Algorithm::of(operation);
            match with_name().find(|named| named.is_for(operation) && named.is_called(name)) {
                Some(known) => Algorithm::Collective(known.clone()),
                None if name.contains(':') => {
                    let strategy = Strategy::parse(operation, name).map_err(|cause| cause.to_string())?;
                    Algorithm::Collective(collective::Algorithm::strategy(strategy))
                }
                None if is_other => {
                    let known = known.iter().map(|known| known.name().to_owned()).collect();
                    let (algorithm, kind) = (name.to_owned(), operation.to_string());
                    return Err(PlanError::OtherKind { algorithm, kind, known }.to_string());
                }
                None => return Err(unknown(())),
            }
        }
    };
    Ok(vec![algorithm])
}

/// The algorithms of a group, in the order of the registry; `None` if the name is not that of a group.
fn group(operation: Operation, name: &str) -> Option<Vec<Algorithm>> {
    let beyond = || s_to_p::Algorithm::BEYOND.iter().chain(s_to_p::Algorithm::FOR_SOME).cloned();
    let paper = || s_to_p::Algorithm::PAPER.iter().cloned();
    Some(match (operation, name) {
        (Operation::SToP, "paper") => paper().map(Algorithm::SToP).collect(),
        (Operation::SToP, "beyond") => beyond().map(Algorithm::SToP).collect(),
        (_, name) if name != ALL => return None,
        (Operation::SToP, _) => {
            paper().chain(beyond()).chain([s_to_p::Algorithm::AUTO]).map(Algorithm::SToP).collect()
        }
        (Operation::AllToAll, _) => {
            all_to_all::Algorithm::ALL.iter().cloned().map(Algorithm::AllToAll).collect()
        }
        (Operation::Collective(operation), _) => {
            collective::Algorithm::of(operation).into_iter().map(Algorithm::Collective).collect()
        }
    })
}

/// Checks that a name means an algorithm of at least one of the operations.
///
/// # Errors
///
/// A text that says why it does not.
pub fn check_algorithm(operations: &[Operation], name: &str) -> Result<(), String> {
    let mut refusals = Vec::new();
    for &operation in operations {
        match algorithms_named(operation, name) {
            Ok(_) => return Ok(()),
            Err(cause) => refusals.push(cause),
        }
    }
    match &refusals[..] {
        [cause] => Err(cause.clone()),
        [cause, ..] if name.contains(':') => Err(cause.clone()),
        _ => Err(unknown(operations, name)),
    }
}

/// The error for a name that none of the operations has.
fn unknown(operations: &[Operation], name: &str) -> String {
    let all = operations.iter().filter_map(|&operation| group(operation, ALL)).flatten();
    let mut known: Vec<Algorithm> = Vec::new();
    for algorithm in all {
        if !known.iter().any(|other| other.name() == algorithm.name()) {
            known.push(algorithm);
        }
    }
    let groups = GROUPS.into_iter().filter(|_| operations.contains(&Operation::SToP)).chain([ALL]);
    let spellings: Vec<String> =
        known.iter().flat_map(Algorithm::spellings).chain(groups.clone().map(str::to_owned)).collect();
    let names: Vec<String> = known.iter().map(Algorithm::name).chain(groups.map(str::to_owned)).collect();
    names::unknown(
        "algorithm",
        name,
        names::nearest(name, spellings.iter().map(String::as_str)),
        &names.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_the_algorithms_of_the_operation() {
        let broadcast = Operation::named("broadcast").unwrap();
        let names = read_algorithms("binomial, 2x3:SMC,columns,auto,short");
        assert_eq!(names.len(), 4);
        let found: Vec<String> = of(broadcast, &names).iter().map(Algorithm::name).collect();
        assert_eq!(found.len(), 3, "an alias and its name are one algorithm: {found:?}");
        assert!(of(Operation::SToP, &read_algorithms("all")).len() > 10);
        assert!(check_algorithm(&[broadcast], "binomal").unwrap_err().contains("did you mean"));
        assert!(check_algorithm(&[broadcast, Operation::AllToAll], "pairwise").is_ok());
    }
}
