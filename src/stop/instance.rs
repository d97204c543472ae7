//! The problem: an [`Instance`] of s-to-p broadcasting.

use std::sync::Arc;

use thiserror::Error;

use crate::{
    model::{Description, Parameters},
    plan::{Layout, MembersError, check_members},
    rank::Rank,
    text::{are, count},
    topology::Grid,
    units::format_with_limit,
    wire::MAX_MESSAGE,
};

/// An s-to-p broadcast: a machine, the members of a group, those of them that hold a message, and the length of each
/// message. All members know it in full.
///
/// ```
/// use multicomputer::stop::{Algorithm, Instance};
/// let instance = Instance::new(&"paragon:3x3".parse()?, &[1, 5, 6], &[2048; 3])?;
/// let plan = Algorithm::BR_LIN.plan(&instance)?;
/// println!("{} takes {}", plan.algorithm(), plan.prediction().modeled);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Instance {
    machine: Description,
    members: Arc<[Rank]>,
    grid: Grid,
    sources: Arc<[Rank]>,
    lengths: Arc<[u64]>,
    /// Bytes of what is never cut.
    element: u64,
}

/// Members, sources, lengths, and the bytes of an element.
pub(super) type Identity = (Arc<[Rank]>, Arc<[Rank]>, Arc<[u64]>, u64);

/// The same broadcast on machines that are the same: by their topologies' names, and their parameters.
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
    /// The broadcast of messages of `lengths[k]` bytes from `sources[k]`, in any order, to all nodes of a machine. A
    /// machine without rows and columns is taken as one row.
    ///
    /// # Errors
    ///
    /// [`InstanceError`] if there is no source, one outside the group or one twice, if lengths and sources differ in
    /// number, or if all messages together are longer than one message may be ([`MAX_MESSAGE`](crate::comm::MAX_MESSAGE)), as they travel
    /// together in the end.
    pub fn new(machine: &Description, sources: &[Rank], lengths: &[u64]) -> Result<Instance, InstanceError> {
        Instance::among(machine, (0..machine.nodes()).collect::<Vec<Rank>>(), sources, lengths)
    }

    /// The same among some nodes of a machine, which are the ranks in the order given. Where they are a rectangle of the
    /// machine, row by row, its rows and columns are theirs; others are taken as one row.
    ///
    /// # Errors
    ///
    /// As those of [`Instance::new`], and if a node is not one of the machine or is given twice.
    pub fn among(
        machine: &Description,
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

    /// The same with messages of elements of so many bytes, at least 1, which are not cut.
    pub(crate) fn with_elements_of(self, bytes: u64) -> Instance {
        Instance { element: bytes.max(1), ..self }
    }

    /// Bytes of what is never cut.
    pub(crate) fn element_bytes(&self) -> u64 {
        self.element
    }

    /// The machine.
    pub fn machine(&self) -> &Description {
        &self.machine
    }

    /// Its parameters.
    pub(super) fn parameters(&self) -> &Parameters {
        self.machine.parameters()
    }

    /// The node of the machine that each rank is.
    pub fn members(&self) -> &Arc<[Rank]> {
        &self.members
    }

    /// The rows and columns of the members.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The number of ranks.
    pub fn nodes(&self) -> usize {
        self.members.len()
    }

    /// The ranks that hold a message, in the order given.
    pub fn sources(&self) -> &[Rank] {
        &self.sources
    }

    /// The length in bytes of each source's message.
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// Each source with the length of its message.
    pub(crate) fn holders(&self) -> Vec<(Rank, u64)> {
        self.sources.iter().copied().zip(self.lengths.iter().copied()).collect()
    }

    /// Returns each source with its length, where lengths that differ by at most one element all count as the longest. Layouts that sort
    /// sources by length use it: a vector that is no multiple of the number of nodes must not get another layout than one that is.
    pub(super) fn holders_evened(&self) -> Vec<(Rank, u64)> {
        let (least, most) = (self.lengths.iter().min(), self.lengths.iter().max());
        let (least, most) = (least.copied().unwrap_or(0), most.copied().unwrap_or(0));
        let evened = |length| if most - least <= self.element { most } else { length };
        self.holders().into_iter().map(|(rank, length)| (rank, evened(length))).collect()
    }

    /// The identity without the members.
    pub(super) fn identity_without_members(&self) -> Identity {
        (Arc::default(), self.sources.clone(), self.lengths.clone(), self.element)
    }

    /// The parts that tell it from others on the same machine.
    pub(super) fn identity(&self) -> Identity {
        (self.members.clone(), self.sources.clone(), self.lengths.clone(), self.element)
    }

    /// The same broadcast of some of the messages alone.
    pub(super) fn part(&self, is_in: &[bool]) -> Instance {
        let holders = self.holders().into_iter().zip(is_in).filter(|&(_, &is_in)| is_in);
        let (sources, lengths): (Vec<Rank>, Vec<u64>) = holders.map(|(holder, _)| holder).unzip();
        Instance { sources: sources.into(), lengths: lengths.into(), ..self.clone() }
    }

    /// The same broadcast with the members in the order of their nodes, and the ranks of these here; nothing if they are in that
    /// order already. The members may be a rectangle then, and those that lie side by side have ranks that do so.
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

    /// The bytes of all messages together.
    pub fn bytes(&self) -> u64 {
        self.lengths.iter().sum()
    }
}

/// The error of arguments that are no s-to-p broadcast.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// The list of sources is empty.
    #[error("no source: at least one node must hold a message")]
    NoSource,
    /// A source is not a rank.
    #[error("source {rank} is outside the group: its ranks are 0 to {}", nodes - 1)]
    OutsideGroup {
        /// The source.
        rank: Rank,
        /// Ranks of the group.
        nodes: usize,
    },
    /// The members make no group.
    #[error(transparent)]
    Members(#[from] MembersError),
    /// A node is named as a source twice.
    #[error("rank {rank} is a source twice: each node holds at most one message")]
    Twice {
        /// The source.
        rank: Rank,
    },
    /// There is not one length for each source.
    #[error("{} given for {}: one is needed for each", are(*given, "length"), count(*sources as u64, "source"))]
    Lengths {
        /// Lengths given.
        given: usize,
        /// Sources.
        sources: usize,
    },
    /// The messages do not fit into one.
    #[error(
        "the messages have {}{} in all, and travel as one in the end: a message has at most {}",
        format_with_limit(*bytes, MAX_MESSAGE)[0],
        if *bytes == u64::MAX { " or more" } else { "" },
        format_with_limit(*bytes, MAX_MESSAGE)[1]
    )]
    TooLong {
        /// Their bytes, or the largest number if there are more.
        bytes: u64,
    },
}

crate::text::debug_as_text!(InstanceError);
