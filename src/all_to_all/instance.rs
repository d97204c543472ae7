//! An all-to-all instance: machine, members and message-length matrix.

use std::sync::Arc;

use thiserror::Error;

use super::Matrix;
use crate::{
    comm::MAX_MESSAGE,
    model::{MachineSpec, Parameters},
    plan::{MembersError, check_members},
    rank::Rank,
    text::count,
};

/// An exchange: rank `i` of a group sends `m(i, j)` bytes to rank `j`.
#[derive(Clone, Debug)]
pub struct Instance {
    machine: MachineSpec,
    members: Arc<[Rank]>,
    matrix: Arc<Matrix>,
}

impl Instance {
    /// Creates an exchange among all nodes of a machine.
    ///
    /// # Errors
    ///
    /// [`InstanceError`] if the size of the matrix is not the number of nodes, or a message is too long.
    pub fn new(machine: &MachineSpec, matrix: impl Into<Arc<Matrix>>) -> Result<Instance, InstanceError> {
        Instance::among(machine, (0..machine.nodes()).collect::<Vec<Rank>>(), matrix)
    }

    /// Creates an exchange among some nodes of a machine. The order of `members` gives the ranks.
    ///
    /// # Errors
    ///
    /// [`InstanceError`] if the size of the matrix is not the number of members, a member is not a node of the machine or occurs twice,
    /// or a message is too long.
    pub fn among(
        machine: &MachineSpec,
        members: impl Into<Arc<[Rank]>>,
        matrix: impl Into<Arc<Matrix>>,
    ) -> Result<Instance, InstanceError> {
        let (members, matrix) = (members.into(), matrix.into());
        if members.len() != matrix.nodes() {
            return Err(InstanceError::Size { matrix: matrix.nodes(), group: members.len() });
        }
        check_members(machine, &members)?;
        let is_too_long = |&(from, to, bytes): &(Rank, Rank, u64)| from != to && bytes > MAX_MESSAGE;
        if matrix.longest() > MAX_MESSAGE
            && let Some((from, to, given)) = matrix.messages().find(is_too_long)
        {
            return Err(InstanceError::TooLong { from, to, given });
        }
        Ok(Instance { machine: machine.clone(), members, matrix })
    }

    /// Returns the machine.
    pub fn machine(&self) -> &MachineSpec {
        &self.machine
    }

    /// Returns the parameters of the machine.
    pub fn parameters(&self) -> &Parameters {
        self.machine.parameters()
    }

    /// Returns the machine node of each rank.
    pub fn members(&self) -> &Arc<[Rank]> {
        &self.members
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// Returns the matrix of the bytes that each rank sends to each rank.
    pub fn matrix(&self) -> &Arc<Matrix> {
        &self.matrix
    }

    /// Returns the exchange of another matrix among the same members. Message lengths are checked only when messages are sent.
    pub(super) fn with(&self, matrix: Arc<Matrix>) -> Instance {
        Instance { matrix, ..self.clone() }
    }

    /// Returns the shortest and the longest message length between different ranks. Pairs without a message count as 0 bytes.
    pub(super) fn lengths(&self) -> [u64; 2] {
        let others = |from: Rank| self.matrix.row(from).iter().enumerate().filter(move |&(to, _)| to != from);
        let lengths = || (0..self.size()).flat_map(others).map(|(_, &bytes)| bytes);
        [lengths().min().unwrap_or(0), lengths().max().unwrap_or(0)]
    }

    /// Returns whether the exchange can use the hardware barrier: the machine has one, and all nodes of the machine are members.
    pub(super) fn has_barrier(&self) -> bool {
        self.parameters().barrier().is_some() && self.size() == self.machine.nodes()
    }
}

/// Reason why an exchange is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// The size of the matrix differs from the number of members.
    #[error("the matrix is for {}, but the group has {group}", count(*matrix as u64, "node"))]
    Size {
        /// Number of nodes of the matrix.
        matrix: usize,
        /// Number of ranks in the group.
        group: usize,
    },
    /// The list of members is invalid.
    #[error(transparent)]
    Members(#[from] MembersError),
    /// A message is too long.
    #[error("rank {from} has {given} bytes for rank {to}: the maximum is {MAX_MESSAGE}")]
    TooLong {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
        /// Length of the message in bytes.
        given: u64,
    },
}
