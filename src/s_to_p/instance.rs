//! The s-to-p broadcast to carry out: machine, members, sources and message lengths.

use std::sync::Arc;

use thiserror::Error;

use crate::{
    model::{MachineSpec, Parameters},
    plan::{Layout, MembersError, check_members},
    rank::Rank,
    text::{are, count},
    topology::Grid,
    units::format_with_limit,
    wire::MAX_MESSAGE,
};

/// An s-to-p broadcast: a machine, the members of a group, the members that hold a message (the sources), and the length of each message.
/// All members have the complete instance.
///
/// ```
/// use multicomputer::s_to_p::{Algorithm, Instance};
/// let instance = Instance::new(&"paragon:3x3".parse()?, &[1, 5, 6], &[2048; 3])?;
/// let plan = Algorithm::BR_LIN.plan(&instance)?;
/// println!("{} takes {}", plan.algorithm(), plan.prediction().modeled);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Instance {
    machine: MachineSpec,
    members: Arc<[Rank]>,
    grid: Grid,
    sources: Arc<[Rank]>,
    lengths: Arc<[u64]>,
    /// Size of an element in bytes; messages are cut only between elements.
    element: u64,
}

/// Identity of an instance on a machine: members, sources, lengths, and the size of an element in bytes.
pub(super) type Identity = (Arc<[Rank]>, Arc<[Rank]>, Arc<[u64]>, u64);

/// Two instances are equal if they describe the same broadcast on machines with the same topology name and the same parameters.
impl PartialEq for Instance {
    fn eq(&self, other: &Instance) -> bool {
        let machine = |instance: &Instance| instance.machine.topology().name();
        self.members == other.members
            && self.sources == other.sources
            && self.lengths == other.lengths
            && self.element == other.element
            && self.parameters() == other.parameters()
            && machine(self) == machine(other)
    }
}

impl Instance {
    /// Creates the broadcast in which each node `sources[k]` sends a message of `lengths[k]` bytes to all nodes of a machine. The sources
    /// may be listed in any order. A machine without rows and columns is treated as one row.
    ///
    /// # Errors
    ///
    /// Returns [`InstanceError`] if there is no source, if a source is outside the group or listed twice, if the numbers of lengths and
    /// sources differ, or if the messages together exceed the maximum length of one message ([`MAX_MESSAGE`](crate::comm::MAX_MESSAGE)): a
    /// node may forward all of them as one message.
    pub fn new(machine: &MachineSpec, sources: &[Rank], lengths: &[u64]) -> Result<Instance, InstanceError> {
        Instance::among(machine, (0..machine.nodes()).collect::<Vec<Rank>>(), sources, lengths)
    }

    /// Creates a broadcast among some nodes of a machine, which become the ranks in the order given. If these nodes form a rectangle of the
    /// machine in row-major order, the grid of the instance is this rectangle; otherwise it is one row.
    ///
    /// # Errors
    ///
    /// The errors of [`Instance::new`], and an error if a node is not one of the machine or is listed twice.
    pub fn among(
        machine: &MachineSpec,
        members: impl Into<Arc<[Rank]>>,
        sources: &[Rank],
        lengths: &[u64],
    ) -> Result<Instance, InstanceError> {
        let members = members.into();
        let nodes = members.len();
        check_members(machine, &members)?;
        if sources.is_empty() {
            return Err(InstanceError::NoSource);
        }
        if lengths.len() != sources.len() {
            return Err(InstanceError::Lengths { given: lengths.len(), sources: sources.len() });
        }
        let mut is_source = vec![false; nodes];
        for &rank in sources {
            let known = is_source.get_mut(rank).ok_or(InstanceError::OutsideGroup { rank, nodes })?;
            if std::mem::replace(known, true) {
                return Err(InstanceError::Twice { rank });
            }
        }
        let bytes = lengths.iter().copied().fold(0, u64::saturating_add);
        if bytes > MAX_MESSAGE {
            return Err(InstanceError::TooLong { bytes });
        }
        let layout = Layout::of(machine, &members, false);
        let is_row_by_row = layout.ranks.is_sorted();
        let grid = if is_row_by_row { layout.grid } else { Grid { rows: 1, columns: nodes } };
        Ok(Instance {
            machine: machine.clone(),
            members,
            grid,
            sources: sources.into(),
            lengths: lengths.into(),
            element: 1,
        })
    }

    /// Sets the size of an element in bytes, at least 1. Messages are not cut inside an element.
    pub(crate) fn with_elements_of(self, bytes: u64) -> Instance {
        Instance { element: bytes.max(1), ..self }
    }

    /// Returns the size of an element in bytes.
    pub(crate) fn element_bytes(&self) -> u64 {
        self.element
    }

    /// Returns the machine.
    pub fn machine(&self) -> &MachineSpec {
        &self.machine
    }

    /// Returns the parameters of the machine.
    pub(super) fn parameters(&self) -> &Parameters {
        self.machine.parameters()
    }

    /// Returns the machine's node for each rank.
    pub fn members(&self) -> &Arc<[Rank]> {
        &self.members
    }

    /// Returns the grid (rows and columns) of the members.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// Returns the ranks that hold a message, in the order given.
    pub fn sources(&self) -> &[Rank] {
        &self.sources
    }

    /// Returns the length in bytes of each source's message.
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// Returns each source with the length of its message.
    pub(crate) fn holders(&self) -> Vec<(Rank, u64)> {
        self.sources.iter().copied().zip(self.lengths.iter().copied()).collect()
    }

    /// Returns each source with the length of its message. If all lengths differ by at most one element, every source gets the longest
    /// length. Layouts that sort sources by length use this method, so that a vector whose length is not a multiple of the number of nodes
    /// gets the same layout as one whose length is.
    pub(super) fn holders_evened(&self) -> Vec<(Rank, u64)> {
        let (shortest, longest) = (self.lengths.iter().min(), self.lengths.iter().max());
        let (shortest, longest) = (shortest.copied().unwrap_or(0), longest.copied().unwrap_or(0));
        let evened = |length| if longest - shortest <= self.element { longest } else { length };
        self.holders().into_iter().map(|(rank, length)| (rank, evened(length))).collect()
    }

    /// Returns the identity without the members.
    pub(super) fn identity_without_members(&self) -> Identity {
        (Arc::default(), self.sources.clone(), self.lengths.clone(), self.element)
    }

    /// Returns the fields that distinguish this instance from others on the same machine.
    pub(super) fn identity(&self) -> Identity {
        (self.members.clone(), self.sources.clone(), self.lengths.clone(), self.element)
    }

    /// Returns the broadcast of only the messages selected by `is_in`.
    pub(super) fn part(&self, is_in: &[bool]) -> Instance {
        let holders = self.holders().into_iter().zip(is_in).filter(|&(_, &is_in)| is_in);
        let (sources, lengths): (Vec<Rank>, Vec<u64>) = holders.map(|(holder, _)| holder).unzip();
        Instance { sources: sources.into(), lengths: lengths.into(), ..self.clone() }
    }

    /// Returns the same broadcast with the members sorted by node, and for each new rank the rank in this instance; `None` if the members
    /// are already sorted. The sorted members may form a rectangle, in which neighbouring nodes have neighbouring ranks.
    pub(super) fn in_node_order(&self) -> Option<(Instance, Vec<Rank>)> {
        let Layout { grid, ranks } = Layout::of(&self.machine, &self.members, false);
        if ranks.is_sorted() {
            return None;
        }
        let mut places = vec![0; ranks.len()];
        ranks.iter().enumerate().for_each(|(place, &rank)| places[rank] = place);
        let members = ranks.iter().map(|&rank| self.members[rank]).collect();
        let sources = self.sources.iter().map(|&rank| places[rank]).collect();
        Some((Instance { members, grid, sources, ..self.clone() }, ranks))
    }

    /// Returns the total length of all messages in bytes.
    pub fn bytes(&self) -> u64 {
        self.lengths.iter().sum()
    }
}

/// Reason why arguments do not describe an s-to-p broadcast.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// The list of sources is empty.
    #[error("no source is given: at least one node must hold a message")]
    NoSource,
    /// A source is not a rank of the group.
    #[error("source {rank} is outside the group: its ranks are 0 to {}", nodes - 1)]
    OutsideGroup {
        /// The source.
        rank: Rank,
        /// Number of ranks of the group.
        nodes: usize,
    },
    /// The members do not form a valid group.
    #[error(transparent)]
    Members(#[from] MembersError),
    /// A node is listed as a source twice.
    #[error("rank {rank} is a source twice: each node holds at most one message")]
    Twice {
        /// The source.
        rank: Rank,
    },
    /// The number of lengths differs from the number of sources.
    #[error("{} given for {}: give one for each", are(*given, "length"), count(*sources as u64, "source"))]
    Lengths {
        /// Number of lengths given.
        given: usize,
        /// Number of sources.
        sources: usize,
    },
    /// The messages together exceed the maximum message length.
    #[error(
        "the messages have {}{} in total and are combined into one message: the maximum is {}",
        format_with_limit(*bytes, MAX_MESSAGE)[0],
        if *bytes == u64::MAX { " or more" } else { "" },
        format_with_limit(*bytes, MAX_MESSAGE)[1]
    )]
    TooLong {
        /// Total length in bytes, or `u64::MAX` if it overflows.
        bytes: u64,
    },
}
