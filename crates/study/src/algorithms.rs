//! The algorithms of a study, which are names, and the algorithms that they mean for an operation.

use multicomputer::{
    all_to_all,
    collective::{self, Strategy},
    names, s_to_p,
};

use crate::Operation;

/// The name that stands for all algorithms of an operation.
pub(crate) const ALL: &str = "all";

/// An algorithm of the library of an operation.
#[derive(Clone, Debug)]
pub(crate) enum Algorithm {
    Collective(collective::Algorithm),
    SToP(s_to_p::Algorithm),
    AllToAll(all_to_all::Algorithm),
}

impl Algorithm {
    /// Whether a seed decides the schedule.
    pub(crate) fn is_random(&self) -> bool {
        matches!(self, Algorithm::AllToAll(algorithm) if algorithm.seed().is_some())
    }

    /// The name of the library, which is the same for all spellings.
    pub(crate) fn name(&self) -> String {
        match self {
            Algorithm::Collective(algorithm) => algorithm.to_string(),
            Algorithm::SToP(algorithm) => algorithm.to_string(),
            Algorithm::AllToAll(algorithm) => algorithm.to_string(),
        }
    }
}

/// Reads a comma-separated list of names. A strategy may contain a comma: `6x5:SMC,columns`.
pub(crate) fn read(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        match names.last_mut() {
            Some(strategy) if strategy.contains(':') && matches!(item, "rows" | "columns") => {
                *strategy = format!("{strategy},{item}");
            }
            _ => names.push(item.to_owned()),
        }
    }
    names
}

/// The algorithms of an operation that `names` mean, each once, in the order given. A name that means none of them is left out.
pub(crate) fn of(operation: Operation, names: &[String]) -> Vec<Algorithm> {
    let mut found: Vec<Algorithm> = Vec::new();
    for name in names {
        for algorithm in named(operation, name) {
            if !found.iter().any(|known| known.name() == algorithm.name()) {
                found.push(algorithm);
            }
        }
    }
    found
}

/// The algorithms of an operation that a name means: one, all, or none.
fn named(operation: Operation, name: &str) -> Vec<Algorithm> {
    let is_all = names::normalized(name) == ALL;
    match operation {
        Operation::SToP if is_all => s_to_p::Algorithm::all().map(Algorithm::SToP).collect(),
        Operation::SToP => name.parse().map(Algorithm::SToP).into_iter().collect(),
        Operation::AllToAll if is_all => {
            all_to_all::Algorithm::ALL.iter().cloned().map(Algorithm::AllToAll).collect()
        }
        Operation::AllToAll => name.parse().map(Algorithm::AllToAll).into_iter().collect(),
        Operation::Collective(operation) => {
            let known = collective::Algorithm::of(operation);
            if is_all {
                return known.into_iter().map(Algorithm::Collective).collect();
            }
            let strategy = || Strategy::parse(operation, name).ok().map(collective::Algorithm::strategy);
            let named = known.into_iter().find(|known| known.is_called(name)).or_else(strategy);
            named.map(Algorithm::Collective).into_iter().collect()
        }
    }
}

/// The error for a name that means no algorithm of any of the operations.
pub(crate) fn check(operations: &[Operation], name: &str) -> Result<(), String> {
    if operations.iter().any(|&operation| !named(operation, name).is_empty()) {
        return Ok(());
    }
    if let (true, [Operation::Collective(operation)]) = (name.contains(':'), operations) {
        return Err(Strategy::parse(*operation, name)
            .err()
            .map_or_else(String::new, |cause| cause.to_string()));
    }
    let known = operations.iter().flat_map(|&operation| named(operation, ALL));
    let mut known: Vec<String> = known.map(|algorithm| algorithm.name()).collect();
    known.sort();
    known.dedup();
    let spellings: Vec<String> = operations.iter().flat_map(|&operation| spellings(operation)).collect();
    let nearest = names::nearest(name, spellings.iter().map(String::as_str).chain([ALL]));
    Err(names::unknown("algorithm", name, nearest, &format!("{}, {ALL}", known.join(", "))))
}

/// All names and aliases of the algorithms of an operation.
fn spellings(operation: Operation) -> Vec<String> {
    let of = |algorithm: Algorithm| -> Vec<String> {
        match algorithm {
            Algorithm::Collective(algorithm) => algorithm.spellings().map(str::to_owned).collect(),
            Algorithm::SToP(algorithm) => algorithm.spellings().map(str::to_owned).collect(),
            Algorithm::AllToAll(algorithm) => algorithm.spellings().map(str::to_owned).collect(),
        }
    };
    named(operation, ALL).into_iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_the_algorithms_of_the_operation() {
        let broadcast = Operation::named("broadcast").unwrap();
        let names = read("binomial, 2x3:SMC,columns,auto,short");
        assert_eq!(names.len(), 4);
        let found: Vec<String> = of(broadcast, &names).iter().map(Algorithm::name).collect();
        assert_eq!(found.len(), 3, "an alias and its name are one algorithm: {found:?}");
        assert!(of(Operation::SToP, &read("all")).len() > 10);
        assert!(check(&[broadcast], "binomal").unwrap_err().contains("did you mean"));
        assert!(check(&[broadcast, Operation::AllToAll], "pairwise").is_ok());
    }
}
