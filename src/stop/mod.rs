//! S-to-p broadcasting: `s` of the `p` members of a group hold a message each, and all `p` must end with all `s`.
//!
//! Every member knows where the sources are and how long the messages are, so each can work out on its own who holds
//! what in every iteration, and no member waits for more than its own messages.
//!
//! The call is [`BroadcastFrom::broadcast_from`], which every group has:
//!
//! ```
//! use multicomputer::prelude::*;
//!
//! let machine = Machine::paragon(3, 3).build()?;
//! let run = machine.run(|node| {
//!     // Ranks 1, 5 and 6 have two numbers each, for everybody.
//!     let mine = vec![node.rank() as u32; 2];
//!     let sources = [(1, 2), (5, 2), (6, 2)];
//!     let is_source = sources.iter().any(|&(rank, _)| rank == node.rank());
//!     Ok(node.world().broadcast_from(&sources, if is_source { &mine } else { &[] })?)
//! })?;
//! assert_eq!(run.outputs[8], [[1, 1], [5, 5], [6, 6]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`Distribution`] places the sources on a mesh, by the rules of the papers, at random or as listed; [`picture`]
//!   draws them;
//! * an [`Instance`] is a machine, the members, the sources among them, and the lengths of their messages;
//!   [`Instance::lower_bound`] is what no algorithm can beat on it;
//! * an [`Algorithm`] makes a [`Plan`] for it, which knows what it takes before it is run, and [`Plan::broadcast`] carries
//!   it out.
//!
//! Source: Hambrusch, Khokhar, Liu, "S-to-P Broadcasting on Coarse-Grained Machines", technical report CSD-TR-95-060
//! (Purdue University, 1995), called *the report* here, and its later conference version. Where they differ the
//! conference version counts, and the place says so.

mod algorithm;
mod bound;
mod calls;
mod distribution;
mod draft;
mod instance;
mod problem;

pub use self::{
    algorithm::{Algorithm, ideal_places},
    calls::{BroadcastError, BroadcastFrom},
    distribution::{Distribution, DistributionError, ParseDistributionError, picture},
    draft::{Draft, Piece},
    instance::{Instance, InstanceError},
};

pub(crate) use self::algorithm::{families, reversible};
use crate::plan::{LowerBound, PlanError};
/// An algorithm of one's own for s-to-p broadcasting.
pub type Own = crate::plan::Own<Instance>;

/// A plan for an s-to-p broadcast.
pub type Plan = crate::plan::Plan<Instance>;
