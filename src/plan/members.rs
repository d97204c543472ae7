//! The members of a problem: distinct nodes of a machine.

use std::borrow::Cow;

use thiserror::Error;

use crate::{model::MachineSpec, rank::Rank, topology::TopologyError};

/// Checks that the topology is valid and that the members are distinct nodes of the machine, at least one.
pub(crate) fn check_members(machine: &MachineSpec, members: &[Rank]) -> Result<(), MembersError> {
    machine.check()?;
    let mut sorted = Cow::Borrowed(members);
    if !members.is_sorted() {
        sorted.to_mut().sort_unstable();
    }
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(MembersError::Twice { node: pair[0] });
    }
    match sorted.last() {
        None => Err(MembersError::None),
        Some(&node) if node >= machine.nodes() => {
            Err(MembersError::NoSuchNode { node, nodes: machine.nodes() })
        }
        Some(_) => Ok(()),
    }
}

/// Returns the mean number of bytes per member, rounded up to whole elements.
pub(crate) fn mean_in_elements(bytes: u64, members: usize, element: u64) -> u64 {
    bytes.div_ceil(element).div_ceil(members as u64) * element
}

/// The error for nodes that do not form a group.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MembersError {
    /// The topology of the machine is invalid.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// No member is given.
    #[error("no member is given: a group needs at least one")]
    None,
    /// A node is given as a member twice.
    #[error("node {node} is given twice: give each member once")]
    Twice {
        /// The node.
        node: Rank,
    },
    /// The machine does not have a node that is given as a member.
    #[error("node {node} does not exist: the machine has nodes 0 to {}", nodes - 1)]
    NoSuchNode {
        /// The node.
        node: Rank,
        /// The number of nodes of the machine.
        nodes: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_is_a_member_once() {
        let error = |members: &[Rank]| check_members(&"line:4".parse().unwrap(), members).unwrap_err();
        assert_eq!(error(&[]), MembersError::None);
        assert_eq!(error(&[3, 0, 3]).to_string(), "node 3 is given twice: give each member once");
        assert_eq!(error(&[1, 4]).to_string(), "node 4 does not exist: the machine has nodes 0 to 3");
        assert_eq!(check_members(&"line:4".parse().unwrap(), &[3, 1]), Ok(()));
    }
}
