//! What is to be broadcast where: an [`Instance`] of the problem.

use thiserror::Error;

use crate::{
    comm::MAX_MESSAGE,
    model::{Description, Parameters},
    rank::Rank,
    text::{are, count},
    topology::Grid,
    units::format_bytes,
};

/// A machine, the nodes of it that hold a message, and how long each message is: all that every node knows.
///
/// ```
/// use multicomputer::stop::{Algorithm, Instance};
/// let instance = Instance::new(&"paragon:3x3".parse()?, &[1, 5, 6], &[2048; 3])?;
/// let plan = Algorithm::BrLin.plan(&instance)?;
/// println!("{} takes {}", plan.algorithm(), plan.prediction().modeled);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Instance {
    machine: Description,
    grid: Grid,
    sources: Vec<Rank>,
    lengths: Vec<u64>,
}

/// The same broadcast on machines that are the same: by their topologies' names, and their parameters.
impl PartialEq for Instance {
    fn eq(&self, other: &Instance) -> bool {
        let machine = |instance: &Instance| instance.machine.topology().name();
        self.sources == other.sources
            && self.lengths == other.lengths
            && self.parameters() == other.parameters()
            && machine(self) == machine(other)
    }
}

impl Instance {
    /// The broadcast of messages of `lengths[k]` bytes from `sources[k]`, in any order, on a machine. A machine without
    /// rows and columns is taken as one row.
    ///
    /// # Errors
    ///
    /// [`InstanceError`] if there is no source, one outside the machine or one twice, if lengths and sources differ in
    /// number, or if all messages together are longer than one message may be ([`MAX_MESSAGE`]), as they travel
    /// together in the end.
    pub fn new(machine: &Description, sources: &[Rank], lengths: &[u64]) -> Result<Instance, InstanceError> {
        let nodes = machine.nodes();
        if sources.is_empty() {
            return Err(InstanceError::NoSource);
        }
        if lengths.len() != sources.len() {
            return Err(InstanceError::Lengths { given: lengths.len(), sources: sources.len() });
        }
        let mut is_source = vec![false; nodes];
        for &rank in sources {
            let known = is_source.get_mut(rank).ok_or(InstanceError::OutsideMachine { rank, nodes })?;
            if std::mem::replace(known, true) {
                return Err(InstanceError::Twice { rank });
            }
        }
        let bytes = lengths.iter().copied().fold(0, u64::saturating_add);
        if bytes > MAX_MESSAGE {
            return Err(InstanceError::TooLong { bytes });
        }
        let grid = machine.topology().grid().unwrap_or(Grid { rows: 1, columns: nodes });
        Ok(Instance { machine: machine.clone(), grid, sources: sources.to_vec(), lengths: lengths.to_vec() })
    }

    /// The machine.
    pub fn machine(&self) -> &Description {
        &self.machine
    }

    /// Its parameters.
    pub(super) fn parameters(&self) -> &Parameters {
        self.machine.parameters()
    }

    /// Its rows and columns.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Its nodes.
    pub fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    /// The nodes that hold a message, in the order given.
    pub fn sources(&self) -> &[Rank] {
        &self.sources
    }

    /// The length in bytes of each source's message.
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// Each source with the length of its message.
    pub(super) fn holders(&self) -> Vec<(Rank, u64)> {
        self.sources.iter().copied().zip(self.lengths.iter().copied()).collect()
    }

    /// The bytes of all messages together.
    pub fn bytes(&self) -> u64 {
        self.lengths.iter().sum()
    }
}

/// What is no s-to-p broadcast.
#[derive(Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// The list of sources is empty.
    #[error("no source: at least one node must hold a message")]
    NoSource,
    /// A source is not a node.
    #[error("source {rank} is outside the machine: its ranks are below {nodes}")]
    OutsideMachine {
        /// The source.
        rank: Rank,
        /// Nodes of the machine.
        nodes: usize,
    },
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
        "the messages have {bytes} bytes in all, and travel as one in the end: a message has at most {}",
        format_bytes(MAX_MESSAGE)
    )]
    TooLong {
        /// Their bytes.
        bytes: u64,
    },
}

crate::text::debug_as_text!(InstanceError);
