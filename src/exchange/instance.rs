//! One exchange to be carried out: the machine, the members, and the matrix.

use std::sync::Arc;

use thiserror::Error;

use super::Matrix;
use crate::{
    comm::MAX_MESSAGE,
    model::{Description, Parameters},
    plan::{MembersError, check_members},
    rank::Rank,
    text::count,
};

/// An exchange: rank `i` of a group has `m(i, j)` bytes for rank `j`.
#[derive(Clone, Debug)]
pub struct Instance {
    machine: Description,
    members: Arc<[Rank]>,
    matrix: Arc<Matrix>,
}

impl Instance {
    /// Creates an exchange among all nodes of a machine.
    ///
    /// # Errors
    ///
    /// [`InstanceError`] if the matrix is not for as many nodes, or a message is too long.
    pub fn new(machine: &Description, matrix: impl Into<Arc<Matrix>>) -> Result<Instance, InstanceError> {
        Instance::among(machine, (0..machine.nodes()).collect::<Vec<Rank>>(), matrix)
    }

    /// Creates an exchange among some nodes of a machine, which are the ranks in the order given.
    ///
    /// # Errors
    ///
    /// [`InstanceError`] if the matrix is not for as many nodes, a node is not one of the machine or is given twice, or
    /// a message is too long.
    pub fn among(
        machine: &Description,
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

    /// The machine.
    pub fn machine(&self) -> &Description {
        &self.machine
    }

    /// Its parameters.
    pub fn parameters(&self) -> &Parameters {
        self.machine.parameters()
    }

    /// The node of the machine that each rank is.
    pub fn members(&self) -> &Arc<[Rank]> {
        &self.members
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// The matrix of the bytes that ranks have for each other.
    pub fn matrix(&self) -> &Arc<Matrix> {
        &self.matrix
    }

    /// The exchange of another matrix among the same nodes. A message that is too long is found out when it is sent.
    pub(super) fn with(&self, matrix: Arc<Matrix>) -> Instance {
        Instance { matrix, ..self.clone() }
    }

    /// The lengths of the shortest and the longest message between different ranks, those of no bytes included.
    pub(super) fn lengths(&self) -> [u64; 2] {
        let others = |from: Rank| self.matrix.row(from).iter().enumerate().filter(move |&(to, _)| to != from);
        let lengths = || (0..self.size()).flat_map(others).map(|(_, &bytes)| bytes);
        [lengths().min().unwrap_or(0), lengths().max().unwrap_or(0)]
    }

    /// Whether the hardware barrier of the machine can be used: it is one of all nodes.
    pub(super) fn has_barrier(&self) -> bool {
        self.parameters().barrier().is_some() && self.size() == self.machine.nodes()
    }
}

/// Reason why an exchange cannot be.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// The matrix is for another number of nodes.
    #[error("the matrix is for {}, and the group has {group}", count(*matrix as u64, "node"))]
    Size {
        /// Nodes of the matrix.
        matrix: usize,
        /// Ranks of the group.
        group: usize,
    },
    /// The members make no group.
    #[error(transparent)]
    Members(#[from] MembersError),
    /// A message is too long.
    #[error("rank {from} has {given} bytes for rank {to}: at most {MAX_MESSAGE} are allowed")]
    TooLong {
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
        /// Its length.
        given: u64,
    },
}

crate::text::debug_as_text!(InstanceError);
