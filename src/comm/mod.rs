//! What a node program works with: its [`Node`], [groups](Group) of nodes, messages and requests.
//!
//! [`PointToPoint`] is what a collective needs from a machine, and all it may use; a [`Group`] of emulated nodes is
//! one implementation of it.

mod active;
mod barrier;
mod call;
mod element;
mod group;
mod memo;
mod message;
mod node;
mod payload;
mod point_to_point;
mod request;
mod walk;

pub(crate) use active::Waited;
pub use active::{Active, ActiveMessage, Handling, Reactions};
pub use call::Call;
pub use element::{Element, ElementType};
pub use group::Group;
pub(crate) use group::Hidden;
pub use memo::Memo;
pub use message::Message;
pub use node::{Node, Phase};
pub use payload::{MAX_MESSAGE, Payload, PayloadError, Segment};
pub use point_to_point::PointToPoint;
pub use request::{Request, Tested};
pub(crate) use walk::{Cargo, Phantoms, follow};
pub use walk::{WalkError, walk, walk_combining};

pub use crate::model::ACTIVE_BYTES;
