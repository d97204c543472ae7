//! Planning, the same for all libraries: problems, algorithms with their schedule variants, the choice of the fastest
//! variant, and lower bounds.
//!
//! A [`Problem`] states which data move among which members of a machine: an s-to-p broadcast
//! ([`s_to_p::Instance`](crate::s_to_p::Instance)), a collective operation ([`collective::Task`](crate::collective::Task)),
//! or a many-to-many exchange ([`all_to_all::Instance`](crate::all_to_all::Instance)). An [`Algorithm`] has one or several
//! schedule variants for a problem. The variant [predicted](predict()) to be the fastest becomes the [`Plan`], which
//! all members carry out. The plan depends only on the problem, so all members make the same plan without
//! communication. [`LowerBound`] is a time below which no algorithm can finish, with the limiting resource.
//!
//! ```
//! use multicomputer::{collective::{Algorithm, Operation, Task}, plan::Reason};
//!
//! let task = Task::builder(&"paragon:4x4".parse()?, Operation::Broadcast).elements(1 << 20).build()?;
//! let plan = Algorithm::AUTO.plan(&task)?;
//! let modeled = plan.prediction().modeled.since_start();
//! println!("{} by {}: {modeled}", task.operation(), plan.name());
//! let bound = task.lower_bound();
//! assert!(modeled >= bound.time() && bound.time() >= bound.of(Reason::Intake));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All libraries choose an algorithm in the same way: `group.using(Algorithm::SHORT).broadcast(..)`. A custom algorithm
//! has the same type, [`Algorithm::custom`], and is used by itself or as an alternative: `group.using(Algorithm::AUTO.or(&custom))`.

pub(crate) mod bound;
mod cache;
mod concurrent;
mod effort;
mod error;
pub(crate) mod forest;
mod layout;
mod members;
mod parse;
pub(crate) mod pipeline;
#[allow(clippy::module_inception)]
mod plan;
pub(crate) mod predict;
mod problem;
mod registry;
mod related;
pub(crate) mod resources;
pub(crate) mod rings;
pub(crate) mod search;
mod shape;
pub(crate) mod split;

pub use self::{
    bound::{LowerBound, Reason},
    effort::{Effort, Progress, Search},
    error::PlanError,
    members::MembersError,
    parse::ParseAlgorithmError,
    plan::Plan,
    predict::{Prediction, predict},
    problem::Problem,
    registry::{Algorithm, Registered},
};
pub(crate) use self::{
    cache::Cache,
    concurrent::{concurrent_round_time, max_concurrent_messages},
    effort::Budget,
    layout::Layout,
    members::{check_members, mean_in_elements},
    problem::{Draft, Planned, Scheduled, by_rules, check_blocks},
    registry::{Convert, Entry, Planning, Predicted, Restriction, Variant},
    related::{Related, converted},
};
