//! The errors of NX calls.

use thiserror::Error;

use super::{MAX_TYPE, info::Info};
use crate::{
    collective::CollectiveError,
    error::CommError,
    payload::PayloadError,
    rank::Rank,
    text::{are, count},
};

/// The error of a failed call of [`Nx`](super::Nx). On the real machine a failed call ended the program with a message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NxError {
    /// [`Nx::new`](super::Nx::new) was called twice on a node. A node can have only one [`Nx`](super::Nx), which
    /// receives all NX messages.
    #[error("this node already has an `Nx`: make one for the whole program")]
    Second,
    /// The message type is not allowed in a send.
    #[error("message type {given} is out of range: types are 0 to {MAX_TYPE}")]
    Type {
        /// The type given.
        given: i32,
    },
    /// The type selector is neither a type nor negative.
    #[error(
        "invalid type selector {given}: use a type, 0 to {MAX_TYPE}, -1 for any type, or a mask of types"
    )]
    TypeSelector {
        /// The selector given.
        given: i32,
    },
    /// The machine has no such node.
    #[error("node {given} does not exist: nodes are 0 to {}, and -1 means all other nodes", nodes - 1)]
    Node {
        /// The node given.
        given: i32,
        /// The number of nodes of the machine.
        nodes: usize,
    },
    /// The node selector is neither a node nor -1.
    #[error("invalid node selector {given}: use a node, 0 to {}, or -1 for any node", nodes - 1)]
    NodeSelector {
        /// The selector given.
        given: i32,
        /// The number of nodes of the machine.
        nodes: usize,
    },
    /// The process type is not 0, the type of the only process on a node.
    #[error(
        "process type {given} does not exist: each node has one process, of type 0; a selector may be -1"
    )]
    ProcessType {
        /// The process type given.
        given: i32,
    },
    /// The message does not fit into the buffer. The message is lost.
    #[error("the message of {} bytes from node {} (type {}) does not fit into a buffer of {buffer} bytes",
        info.count, info.node, info.mtype)]
    BufferTooShort {
        /// The message.
        info: Info,
        /// The length of the buffer in bytes.
        buffer: usize,
    },
    /// No message has been received or found by a probe yet.
    #[error("no message has been received or probed yet: receive or probe first")]
    NoMessage,
    /// The nodes called a global operation with vectors of different lengths.
    #[error(
        "a global operation has {there} bytes on node {node} but {here} bytes on this node: all nodes must give the same length"
    )]
    Lengths {
        /// The other node.
        node: Rank,
        /// The length of its vector in bytes.
        there: u64,
        /// The length of this node's vector in bytes.
        here: u64,
    },
    /// InterCom's algorithm for a global operation failed.
    #[error(transparent)]
    Collective(CollectiveError),
    /// `gcolx` was not given one length for each node.
    #[error("{} given for {}: give one for each node", are(*given, "length"), count(*nodes as u64, "node"))]
    Parts {
        /// The number of lengths given.
        given: usize,
        /// The number of nodes of the machine.
        nodes: usize,
    },
    /// The part of a node in `gcolx` does not have the announced length.
    #[error("node {node} gave {}: its announced length is {expected}", count(*given, "byte"))]
    Part {
        /// The node.
        node: Rank,
        /// The length of its part in bytes.
        given: u64,
        /// The announced length in bytes.
        expected: u64,
    },
    /// The collected vector does not fit into the buffer.
    #[error("the gathered vector has {needed} elements, but the buffer has room for {given}")]
    ResultTooShort {
        /// The number of elements of all parts.
        needed: usize,
        /// The number of elements of the buffer.
        given: usize,
    },
    /// The data does not have the form that the program requests.
    #[error(transparent)]
    Data(#[from] PayloadError),
    /// A message cannot be sent or received.
    #[error(transparent)]
    Comm(#[from] CommError),
}

/// An error of communication inside a global operation stays [`NxError::Comm`].
impl From<CollectiveError> for NxError {
    fn from(error: CollectiveError) -> NxError {
        match error {
            CollectiveError::Comm(error) => NxError::Comm(error),
            error => NxError::Collective(error),
        }
    }
}
