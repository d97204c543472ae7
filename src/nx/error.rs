//! What can go wrong in a call of NX.

use thiserror::Error;

use super::{MOST_TYPE, info::Info};
use crate::{collective::CollectiveError, comm::PayloadError, error::CommError, rank::Rank};

/// A call of [`Nx`](super::Nx) fails. On the real machine such a call ended the program with a message.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NxError {
    /// [`Nx::new`](super::Nx::new) was called twice on a node: the first one takes in all messages.
    #[error("this node has its NX already: make one for the whole program")]
    Second,
    /// A message cannot be sent under this type.
    #[error("a message of type {given} cannot be sent: types are 0 to {MOST_TYPE}")]
    Type {
        /// The type given.
        given: i32,
    },
    /// No message has a type that this selects.
    #[error("type selector {given} selects nothing: it is a type, 0 to {MOST_TYPE}, or -1 for any")]
    TypeSelector {
        /// The selector given.
        given: i32,
    },
    /// There is no such node.
    #[error("there is no node {given}: nodes are 0 to {}, and -1 stands for all others", nodes - 1)]
    Node {
        /// The node given.
        given: i32,
        /// Nodes of the machine.
        nodes: usize,
    },
    /// No message comes from such a node.
    #[error("node selector {given} selects nothing: it is a node, 0 to {}, or -1 for any", nodes - 1)]
    NodeSelector {
        /// The selector given.
        given: i32,
        /// Nodes of the machine.
        nodes: usize,
    },
    /// There is one process on a node, and its type is 0.
    #[error(
        "there is no process of type {given}: there is one on each node, of type 0, and a selector may be -1"
    )]
    ProcessType {
        /// The process type given.
        given: i32,
    },
    /// The message does not fit into the buffer. It is lost.
    #[error("the message of {} bytes from node {} (type {}) does not fit into a buffer of {buffer} bytes",
        info.count, info.node, info.mtype)]
    BufferTooShort {
        /// The message.
        info: Info,
        /// Bytes of the buffer.
        buffer: usize,
    },
    /// Nothing has been received or probed yet.
    #[error("nothing has been received or found by a probe yet, so nothing is known of it")]
    NoMessage,
    /// The nodes called a global operation with vectors of different lengths.
    #[error("a global operation was called with {there} bytes on node {node} and {here} bytes here")]
    Lengths {
        /// The other node.
        node: Rank,
        /// Bytes of its vector.
        there: u64,
        /// Bytes of this node's.
        here: u64,
    },
    /// InterCom's algorithm for a global operation fails.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// `gcolx` was not given one length for each node.
    #[error("{given} lengths are given for the parts of {nodes} nodes")]
    Parts {
        /// Lengths given.
        given: usize,
        /// Nodes of the machine.
        nodes: usize,
    },
    /// What a node contributes to `gcolx` is not as long as was said.
    #[error("the part of node {node} has {given} bytes: {expected} were announced")]
    Part {
        /// The node.
        node: Rank,
        /// Bytes of its part.
        given: u64,
        /// Bytes that it should have.
        expected: u64,
    },
    /// What is collected does not fit into the buffer.
    #[error("the collected vector has {needed} elements: the buffer has room for {given}")]
    ResultTooShort {
        /// Elements of all parts.
        needed: usize,
        /// Elements of the buffer.
        given: usize,
    },
    /// The data is not what the program asks for.
    #[error(transparent)]
    Data(#[from] PayloadError),
    /// A message cannot be sent or received.
    #[error(transparent)]
    Comm(#[from] CommError),
}

crate::text::debug_as_text!(NxError);
