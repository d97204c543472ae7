//! Algorithm *Br_Lin*: recursive halving on the nodes of the mesh in snake-like order.
//!
//! **What it does.** The nodes form a line, the rows of the mesh from left to right and from right to left in turn. Each
//! node is paired with the one half the line away; if both hold data they exchange it, if one does it sends. Then the
//! same happens in each half. A node sends everything that it holds, as one message, and puts what it receives behind it.
//!
//! **Restrictions.** None: any mesh shape, odd ones included, any number of sources from 1 to `p`, messages of any
//! lengths, which may differ and may be 0, as long as no message on the way is longer than
//! [`MAX_MESSAGE`](crate::comm::MAX_MESSAGE). Every node has to know the sources and the lengths.
//!
//! **Cost.** `ceil(log2 p)` iterations. With messages of `n` bytes and `m_i` =
//! [`longest_after(i)`](super::Schedule::longest_after), without conflicts on the links, at most
//!
//! ```text
//! sum over i of (alpha + m_i n beta)
//! ```
//!
//! plus, for an exchange, `o_x` and `2 / d` times the time of each byte, and once more the same in an iteration that
//! splits segments of odd length, where a node may have a second message. No byte is copied: a receive places its data
//! behind what is held, so `copy` is not paid.
//!
//! **Source.** Hambrusch, Khokhar, Liu, "S-to-P Broadcasting on Coarse-Grained Machines", CSD-TR-95-060, section 2.

use thiserror::Error;

use super::{Action, Schedule};
use crate::{
    comm::{Payload, PayloadError, PointToPoint},
    error::CommError,
    rank::{Rank, Tag},
};

/// Keeps the messages of a broadcast apart from others that the program has on the way.
const TAG: Tag = Tag(u32::from_be_bytes(*b"BrLi"));

/// Broadcasts the message of every source to every node of the group; all of them call it. Returns the messages in the
/// order of [`Schedule::sources`].
///
/// `schedule` is that of [`Schedule::br_lin`], the same on all nodes; `lengths[k]` is the length in bytes of the message
/// of source `k`, known to all; `mine` is this node's own message, and `None` where it is no source. Messages are
/// forwarded, chained and cut by reference, so the data of all nodes is that of the sources. Phantom messages work as
/// real ones do.
///
/// ```
/// use multicomputer::{Machine, prelude::*, stop::{Schedule, br_lin}, topology::Grid};
///
/// let words = ["to ", "every ", "node"];
/// let lengths = words.map(|word| word.len() as u64);
/// let schedule = Schedule::br_lin(Grid { rows: 3, columns: 3 }, &[1, 5, 6])?;
/// let run = Machine::paragon(3, 3).build()?.run(|node| {
///     let source = schedule.sources().iter().position(|&source| source == node.rank());
///     let mine = source.map(|source| Payload::from(words[source]));
///     let messages = br_lin(node.world(), &schedule, &lengths, mine)?;
///     Ok(Payload::concat(messages).to_bytes()?)
/// })?;
/// assert!(run.outputs.iter().all(|text| text == "to every node"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`BroadcastError`] if the arguments do not fit together, if another node's do not fit these, or if a message cannot
/// be sent or received.
pub fn br_lin<G: PointToPoint>(
    group: &G,
    schedule: &Schedule,
    lengths: &[u64],
    mine: Option<Payload>,
) -> Result<Vec<Payload>, BroadcastError> {
    let mut held = own_message(group, schedule, lengths, mine)?;
    for step in schedule.steps(group.rank()) {
        let message = match step.action {
            Action::Send { to, .. } => {
                group.send((to, TAG), held.clone())?;
                continue;
            }
            Action::Recv { from, .. } => group.recv((from, TAG))?,
            Action::Exchange { with, .. } => group.sendrecv((with, TAG), held.clone(), (with, TAG))?,
        };
        let blocks = step.action.received().into_iter().flat_map(|blocks| blocks.iter());
        let expected = blocks.map(|&block| lengths[block as usize]).fold(0, u64::saturating_add);
        if message.len() != expected {
            return Err(BroadcastError::Received { from: message.source, given: message.len(), expected });
        }
        held.append(message.payload);
    }
    Ok(cut(held, &schedule.order(group.rank()), lengths)?)
}

/// What this node holds in the beginning, once the arguments are found to fit together.
fn own_message(
    group: &impl PointToPoint,
    schedule: &Schedule,
    lengths: &[u64],
    mine: Option<Payload>,
) -> Result<Payload, BroadcastError> {
    let (rank, nodes, sources) = (group.rank(), schedule.nodes(), schedule.sources());
    if nodes != group.size() {
        return Err(BroadcastError::Nodes { schedule: nodes, group: group.size() });
    }
    if lengths.len() != sources.len() {
        return Err(BroadcastError::Lengths { given: lengths.len(), sources: sources.len() });
    }
    let expected =
        sources.iter().zip(lengths).find(|&(&source, _)| source == rank).map(|(_, &length)| length);
    match (mine, expected) {
        (None, None) => Ok(Payload::empty()),
        (Some(_), None) => Err(BroadcastError::NoSource { rank }),
        (None, Some(expected)) => Err(BroadcastError::NoMessage { rank, expected }),
        (Some(mine), Some(expected)) if mine.len() != expected => {
            Err(BroadcastError::Length { rank, given: mine.len(), expected })
        }
        (Some(mine), Some(_)) => Ok(mine),
    }
}

/// Takes apart what lies in the given order, from its end, where a cut is cheap.
fn cut(mut held: Payload, order: &[u32], lengths: &[u64]) -> Result<Vec<Payload>, PayloadError> {
    let mut messages = vec![Payload::empty(); lengths.len()];
    for &block in order.iter().rev() {
        let block = block as usize;
        messages[block] = held.split_off(held.len().saturating_sub(lengths[block]))?;
    }
    Ok(messages)
}

/// Why an s-to-p broadcast fails on a node.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BroadcastError {
    /// The schedule is one for another machine.
    #[error("the schedule is for {schedule} nodes, and the group has {group}")]
    Nodes {
        /// Nodes of the schedule.
        schedule: usize,
        /// Nodes of the group.
        group: usize,
    },
    /// There is not one length for each source.
    #[error("{given} lengths are given for {sources} sources: one is needed for each")]
    Lengths {
        /// Lengths given.
        given: usize,
        /// Sources of the schedule.
        sources: usize,
    },
    /// A source has nothing to send.
    #[error("rank {rank} is a source and gave no message: one of {expected} bytes is expected")]
    NoMessage {
        /// The source.
        rank: Rank,
        /// The length that its message should have.
        expected: u64,
    },
    /// A node that is no source gave a message.
    #[error("rank {rank} gave a message and is not among the sources")]
    NoSource {
        /// The node.
        rank: Rank,
    },
    /// The message of a source has another length than all nodes know.
    #[error("the message of rank {rank} has {given} bytes: {expected} are expected")]
    Length {
        /// The source.
        rank: Rank,
        /// The length of its message.
        given: u64,
        /// The length that it should have.
        expected: u64,
    },
    /// Another node sent more or less than these lengths tell: it was called with others.
    #[error(
        "rank {from} sent {given} bytes where {expected} are expected: all nodes must know the same lengths"
    )]
    Received {
        /// The sender.
        from: Rank,
        /// The length of its message.
        given: u64,
        /// The length that it should have.
        expected: u64,
    },
    /// A message cannot be sent or received.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// What was received cannot be taken apart.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}
