//! Collective communication: broadcast, scatter, gather, all-gather, the combines and scan, for vectors of any length and in any group.
//!
//! The trait [`Collective`], which every group implements, has the calls:
//!
//! ```
//! use multicomputer::{collective::{Max, Sum}, prelude::*};
//!
//! let machine = Machine::paragon(4, 4).build()?;
//! let run = machine.run(|node| {
//!     let world = node.world();
//!     let mut x = vec![0.0; 1000];
//!     if world.rank() == 5 {
//!         x.fill(1.5);
//!     }
//!     world.broadcast(5, &mut x)?;
//!     world.all_reduce(&mut x, Sum)?;
//!     let mut largest = world.rank() as u32;
//!     node.row()?.all_reduce(&mut largest, Max)?;
//!     let all = node.row()?.all_gather(&largest, 4)?;
//!     Ok((x[999], all))
//! })?;
//! assert_eq!(run.outputs[6], (24.0, vec![7; 4]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A call becomes a [`Task`]: the operation, the members, the root and all lengths. An [`Algorithm`] turns a task into a [`Plan`], whose
//! schedule all members carry out. *Auto* ranks the variants by closed forms, predicts the cheapest ones and takes the fastest. Plans are
//! cached, so that only the first of several equal calls computes a plan. [`LowerBound`] is a time that no algorithm can beat.
//!
//! The building blocks, the short and long forms and the hybrids are from InterCom: Barnett, Gupta, Payne, Shuler, van de Geijn, Watts,
//! "Building a High-Performance Collective Communication Library", Supercomputing 1994. A [`Strategy`] describes a hybrid in one line in
//! the notation of this paper, such as `2x3x5:SSMCC`; *short*, *long*, *hybrid*, *alternating*, *mixed*, *tree* and *circulant* choose
//! among strategies.

mod algorithm;
mod bound;
mod calls;
mod candidate;
mod cost;
mod delivery;
mod draft;
mod edge;
mod job;
mod logical_mesh;
mod msccl;
mod operation;
mod operator;
mod plan;
mod planned_call;
mod problem;
mod split;
mod started;
mod strategy;
mod task;
mod wrong_length;

pub use algorithm::Algorithm;
pub(crate) use algorithm::{composed::hub, families};
pub(crate) use calls::perform;
pub use calls::{Collective, CollectiveError};
pub use cost::Cost;
pub use draft::{Draft, Piece, Role};
pub use job::{Job, Lengths};
pub use operation::Operation;
pub(crate) use operator::Named;
pub use operator::{
    BitAnd, BitOr, BitXor, Function, LogicalAnd, LogicalOr, LogicalXor, Max, MaxLoc, Min, MinLoc, Operator,
    Product, Sum, Truth, associative, commutative,
};
pub use plan::Plan;
pub use started::{OperatorProperties, Started};
pub use strategy::{Strategy, StrategyError};
pub use task::{Task, TaskBuilder, TaskError};
pub use wrong_length::WrongLength;

use crate::plan::{LowerBound, PlanError};
