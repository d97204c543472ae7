//! Operations of studies: the collective operations, s-to-p broadcasts and all-to-alls.

use std::fmt;

use multicomputer::{collective, names};

/// The operation of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// A collective operation on one vector.
    Collective(collective::Operation),
    /// A broadcast from several sources to all nodes.
    SToP,
    /// Messages from every node to several others.
    AllToAll,
}

/// Names of s-to-p broadcasting: the name, then aliases.
const S_TO_P: [&str; 2] = ["s-to-p", "s-to-p-broadcast"];
/// Names of all-to-all communication: the name, then aliases.
const ALL_TO_ALL: [&str; 5] = ["all-to-all", "alltoallv", "alltoallw", "many-to-many", "total-exchange"];

impl Operation {
    /// Returns all operations.
    pub fn all() -> impl Iterator<Item = Operation> {
        let collective = collective::Operation::ALL.into_iter().map(Operation::Collective);
        collective.chain([Operation::SToP, Operation::AllToAll])
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Collective(operation) => operation.name(),
            Operation::SToP => S_TO_P[0],
            Operation::AllToAll => ALL_TO_ALL[0],
        }
    }

    /// Reads a name or an alias, in any usual spelling.
    ///
    /// # Errors
    ///
    /// A text with the nearest name and all names.
    pub fn named(text: &str) -> Result<Operation, String> {
        let plain = names::normalized(text);
        let plain = plain.strip_prefix("mpi").unwrap_or(&plain);
        let is = |known: &[&str]| known.iter().any(|name| names::normalized(name) == plain);
        match collective::Operation::named(text) {
            Some(operation) => Ok(Operation::Collective(operation)),
            None if is(&S_TO_P) => Ok(Operation::SToP),
            None if is(&ALL_TO_ALL) => Ok(Operation::AllToAll),
            None => {
                let known: Vec<&str> = Operation::all().map(Operation::name).collect();
                let aliases =
                    collective::Operation::ALL.iter().flat_map(|operation| operation.aliases()).copied();
                let spellings = aliases.chain(S_TO_P).chain(ALL_TO_ALL).chain(known.iter().copied());
                Err(names::unknown("operation", text, names::nearest(text, spellings), &known.join(", ")))
            }
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read_in_any_spelling() {
        for (text, name) in [
            ("AllReduce", "all-reduce"),
            ("bcast", "broadcast"),
            ("s_to_p", "s-to-p"),
            ("alltoall", "all-to-all"),
        ] {
            assert_eq!(Operation::named(text).unwrap().name(), name);
        }
        let refusal = Operation::named("brodcast").unwrap_err();
        assert!(refusal.contains("did you mean `broadcast`"), "{refusal}");
    }
}
