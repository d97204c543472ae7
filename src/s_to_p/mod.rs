//! S-to-p broadcasting: each of `s` of the `p` members of a group holds one message, and every member must receive all `s` messages.
//!
//! Every member has the list of sources and message lengths, so each computes locally which blocks every member holds in every iteration.
//! A member waits only for the messages that it receives.
//!
//! The entry point is [`BroadcastFrom::broadcast_from`], which every group implements:
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
//! * [`Distribution`] places the sources on a mesh: by a pattern of the papers, at random, or as an explicit list; [`picture`] draws a
//!   placement;
//! * an [`Instance`] consists of a machine, the members, the sources among them, and the message lengths; [`Instance::lower_bound`] is a
//!   lower bound on the time of any algorithm;
//! * an [`Algorithm`] makes a [`Plan`] for an instance; the plan holds its predicted time before it is run, and [`Plan::broadcast`]
//!   executes it.
//!
//! Source: Hambrusch, Khokhar, Liu, "S-to-P Broadcasting on Coarse-Grained Machines", technical report CSD-TR-95-060 (Purdue University,
//! 1995), called *the report* here, and its later conference version. Where they differ, this module follows the conference version and
//! states the difference.

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

/// A plan for an s-to-p broadcast.
pub type Plan = crate::plan::Plan<Instance>;
