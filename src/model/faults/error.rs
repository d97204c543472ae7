//! The error of faults that a machine cannot have.

use thiserror::Error;

use crate::{names, topology::Link, units::UnitError};

/// The accepted forms, for error messages.
const KNOWN: &str = "slow:A-B:FACTOR@TIME, dead:A-B@TIME, node:RANK@TIME, such as slow:3-4:0.5@2ms, where A->B is one direction of a \
                     link, and s2 is switch 2";

/// The reason why a machine cannot have a fault.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FaultError {
    /// The text is not a fault.
    #[error(
        "{}",
        names::unknown("fault", .0, names::nearest(.0, ["slow", "dead", "node"]), KNOWN)
    )]
    Text(String),
    /// The instant is not a time.
    #[error("the instant of a fault: {0}")]
    Unit(UnitError),
    /// The machine has no such link.
    #[error("there is no link {given} in {topology}; allowed are the ends of its links")]
    Link {
        /// The link given.
        given: Link,
        /// The name of the topology.
        topology: String,
    },
    /// The machine has no such node.
    #[error("there is no node {given} to die; allowed are nodes 0 to {}", nodes - 1)]
    Node {
        /// The rank given.
        given: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// The factor of a slow link is not above 0 and at most 1.
    #[error("a link cannot be slowed to {0} of its capacity; allowed are numbers above 0, at most 1")]
    Factor(f64),
    /// The table of a fault in a machine file has a wrong combination of keys.
    #[error("a fault must have one of the keys `slow`, `dead` and `node`, and `factor` with `slow` alone")]
    Keys,
}
