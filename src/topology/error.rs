//! The error type for texts and files that do not describe a topology.

use thiserror::Error;

use super::{Defect, MAX_LINKS, MAX_NESTING, MAX_NODES, NetworkProblem, known_names, spellings};
use crate::names;

/// The reason why a text, a file or a set of numbers does not describe a topology.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// The text is not the name of a topology, a colon and a shape.
    #[error(
        "{}{}",
        names::unknown("topology", given, names::nearest_with_shape(given, known_names()), &spellings()),
        hint(given)
    )]
    Unknown {
        /// The text that was given.
        given: String,
    },
    /// The text is the name of a topology or machine without its shape.
    #[error("`{name}` needs {}: write `{name}:{}`", shape_in_words(shape).0, shape_in_words(shape).1)]
    NoShape {
        /// The name that was given.
        name: &'static str,
        /// The form of its shape.
        shape: &'static str,
    },
    /// The shape cannot be read.
    #[error("invalid shape `{given}`; allowed is {allowed}")]
    Shape {
        /// The shape that was given.
        given: String,
        /// The form that can be read.
        allowed: &'static str,
    },
    /// A number of rows, columns or nodes is zero.
    #[error("`{given}` has no nodes; every extent must be at least 1")]
    Empty {
        /// The shape that was given.
        given: String,
    },
    /// More than [`MAX_NODES`] nodes.
    #[error("`{given}` has too many nodes; allowed are at most {MAX_NODES}")]
    TooLarge {
        /// The shape that was given.
        given: String,
    },
    /// More than [`MAX_LINKS`] links.
    #[error("`{given}` has too many links; allowed are at most {MAX_LINKS}")]
    TooManyLinks {
        /// The shape that was given.
        given: String,
    },
    /// A number of nodes that this topology cannot have.
    #[error("a {topology} cannot have {given} nodes; allowed are {allowed}")]
    Nodes {
        /// The name of the topology.
        topology: &'static str,
        /// The number that was given.
        given: usize,
        /// The numbers that are allowed.
        allowed: &'static str,
    },
    /// A tree of arity 0 or 1, which would not branch.
    #[error("a tree cannot have arity {given}; allowed are 2 or more children per switch")]
    Arity {
        /// The number that was given.
        given: usize,
    },
    /// A bandwidth that is not positive and finite.
    #[error("invalid bandwidth `{given}`; allowed is a finite number above 0")]
    Bandwidth {
        /// The bandwidth that was given.
        given: String,
    },
    /// A whole number that this topology cannot have.
    #[error("invalid {what}: {given}; allowed are {allowed}")]
    OutOfRange {
        /// The meaning of the number, such as `radix of a switch`.
        what: &'static str,
        /// The number that was given.
        given: usize,
        /// The numbers that are allowed.
        allowed: String,
    },
    /// Networks are nested too deeply in a name.
    #[error("`{given}` is nested too deeply in other networks; the maximum is {MAX_NESTING} levels")]
    TooDeep {
        /// The name of the network that is too deep.
        given: String,
    },
    /// A placement that does not fit the number of nodes.
    #[error("placement `{given}` does not fit {nodes} nodes: {why}")]
    Placement {
        /// The placement that was given.
        given: String,
        /// The number of nodes.
        nodes: usize,
        /// The reason.
        why: String,
    },
    /// A placement that cannot be read.
    #[error("{why}")]
    NoPlacement {
        /// The text that was given.
        given: String,
        /// The text of the error: what was given, what is wrong with it, and what to write.
        why: String,
    },
    /// An empty list of bandwidths.
    #[error("no bandwidth is given: give at least one")]
    NoBandwidth,
    /// A topology of another crate is invalid.
    #[error("invalid topology `{name}`: {defect}")]
    Invalid {
        /// The name of the topology.
        name: String,
        /// The defect.
        defect: Box<Defect>,
    },
    /// A file that does not describe a network.
    #[error("`{name}` is not a network: {problem}")]
    Network {
        /// The name of the network: `file:` and the path of its file, if it has one.
        name: String,
        /// The error in the file.
        problem: Box<NetworkProblem>,
    },
}

impl TopologyError {
    /// Returns the same error with the shape as it was spelled, if the error is about the size of the whole shape: a
    /// number that is too large to be stored differs from the number that was typed.
    pub(crate) fn of_shape(self, shape: &str) -> TopologyError {
        let given = shape.to_owned();
        match self {
            TopologyError::Empty { .. } => TopologyError::Empty { given },
            TopologyError::TooLarge { .. } => TopologyError::TooLarge { given },
            TopologyError::TooManyLinks { .. } => TopologyError::TooManyLinks { given },
            other => other,
        }
    }
}

/// Returns a shape in words, and an example of it.
pub(crate) fn shape_in_words(shape: &'static str) -> (&'static str, &'static str) {
    match shape {
        "NODES" => ("a number of nodes", "16"),
        "SERVERS" => ("a number of servers", "4"),
        "ROWSxCOLUMNS" => ("rows and columns", "4x4"),
        "[PLANESx]ROWSxCOLUMNS" => ("rows and columns, or planes, rows and columns", "4x4"),
        "PLANESxROWSxCOLUMNS" => ("planes, rows and columns", "4x4x4"),
        "GROUPSxROUTERS" => ("groups and routers", "4x16"),
        "NODES[:ARITY:MB/S,..]" => ("a number of nodes", "32"),
        "NODES:RADIX[:OVERSUBSCRIPTION]" => ("a number of nodes and the radix of a switch", "128:16"),
        "GROUPSxROUTERSxNODES[:MB/S,MB/S][:valiant]" => ("groups, routers and nodes", "9x4x2"),
        "NODES+NODES+..:MB/S[,MB/S]" => ("the nodes of every host and bandwidths", "8+8:8000,1250"),
        "PROCESSORSxADAPTERS:MB/S,MB/S:TOPOLOGY" => {
            ("processors, adapters, bandwidths and a network", "8x4:450000,50000:clos:32:16")
        }
        "PLACEMENT:TOPOLOGY" => ("a placement and a network", "random:7:torus:4x4"),
        "PATH" => ("the path of a network file", "network.toml"),
        other => (other, other),
    }
}

/// A hint for a text that looks like the name of a network file; empty for other texts.
fn hint(given: &str) -> String {
    if given.ends_with(".toml") { format!(". Write a network file as `file:{given}`") } else { String::new() }
}
