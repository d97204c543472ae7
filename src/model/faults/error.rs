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
    #[error("{topology} has no link {given}: name the two ends of a link")]
    Link {
        /// The link given.
        given: Link,
        /// The name of the topology.
        topology: String,
    },
    /// The machine has no such node.
    #[error("node {given} does not exist: the nodes are 0 to {}", nodes - 1)]
    Node {
        /// The rank given.
        given: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// The factor of a slow link is not above 0 and at most 1.
    #[error("factor {0} of a slow link is out of range; allowed are numbers above 0 and at most 1")]
    Factor(f64),
    /// The table of a fault in a machine file has a wrong combination of keys.
    #[error(
        "a fault needs exactly one of the keys `slow`, `dead` and `node`; `factor` is required with `slow` and not allowed otherwise"
    )]
    Keys,
}
