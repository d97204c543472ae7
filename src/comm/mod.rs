//! The programmer's view of a machine: a [`Node`], [groups](Group) of nodes, messages and requests.
//!
//! This module uses a machine only through the endpoint of a node, so the same program runs on every machine and under every
//! [clock](crate::Clock).

mod active;
mod barrier;
mod group;
mod message;
mod node;
mod request;
mod status;
mod stepwise;
pub mod transport;
mod using;
mod walk;

pub(crate) use active::Waited;
pub use active::{Active, ActiveMessage, Handling, Reactions};
pub use group::{Cartesian, Group, Shift};
pub(crate) use group::{LIBRARY_CALLS, Private};
pub use message::Message;
pub use node::{Node, Phase};
pub use request::{AnyRequest, Completion, RecvRequest, Request, SendRequest, Tested};
pub use status::Status;
pub use stepwise::Stepwise;
pub use using::{Caller, Using};
pub(crate) use walk::{Cargo, Phantoms, follow, walk_with};
pub use walk::{Combine, WalkError, walk, walk_combining};

pub(crate) use crate::endpoint::Call;
pub use crate::{
    model::parameters::ACTIVE_BYTES,
    payload::{MAX_MESSAGE, Segment},
};
