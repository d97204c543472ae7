//! The error type for texts and files that do not describe a topology.

use thiserror::Error;

use super::{Defect, MAX_LINKS, MAX_NESTING, MAX_NODES, NetworkProblem, known_names, spellings};
use crate::names;

/// The reason why a text, a file or a set of numbers does not describe a topology.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// The text is not the name of a topology, a colon and a shape.
    #[error(
        "unknown topology `{given}`; {} are {}{}",
        names::allowed(given, known_names()),
        spellings(),
        hint(given)
    )]
    Unknown {
        /// The text that was given.
        given: String,
    },
    /// The text is the name of a topology or machine without its shape.
    #[error("`{name}` is incomplete: write `{name}:{shape}`")]
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
    #[error("invalid placement `{given}`: {why}")]
    NoPlacement {
        /// The text that was given.
        given: String,
        /// The reason.
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

crate::text::debug_as_text!(TopologyError);

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

/// A hint for a text that looks like the name of a network file; empty for other texts.
fn hint(given: &str) -> String {
    if given.ends_with(".toml") { format!(". Write a network file as `file:{given}`") } else { String::new() }
}
