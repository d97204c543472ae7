//! One plan for all libraries: what is asked for, the ways to do it, which of them is the fastest, and what nothing can
//! beat.
//!
//! A [`Problem`] says what is to be moved among which members of a machine: an s-to-p broadcast
//! ([`stop::Instance`](crate::stop::Instance)), a collective operation ([`collective::Task`](crate::collective::Task)), a
//! many-to-many exchange ([`exchange::Instance`](crate::exchange::Instance)). An [`Algorithm`] has one or several variants
//! for it, of which the one is taken that is [predicted](predict()) to be the fastest. That is the [`Plan`], which all
//! members carry out. All members make the same one without a message, because it follows from the problem alone.
//! [`LowerBound`] says what no algorithm can beat, and why.
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
//! An algorithm is chosen by the same word in all libraries: `group.using(Algorithm::SHORT).broadcast(..)`. One of one's own is an
//! [`Own`], alone or beside those of the library: `group.using(Algorithm::AUTO.or(&own))`.

mod at_once;
pub(crate) mod bound;
mod cache;
mod choice;
mod effort;
mod error;
pub(crate) mod forest;
mod layout;
mod members;
mod own;
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

pub(crate) use self::{
    at_once::{at_once, most_at_once},
    cache::Cache,
    effort::Budget,
    layout::Layout,
    members::{check_members, mean_in_elements},
    problem::{Draft, Planned, Scheduled, by_rules, check_blocks},
    registry::{Convert, Entry, Planning, Predicted, Restriction, Variant},
    related::{Related, converted},
};
pub use self::{
    bound::{LowerBound, Reason},
    choice::{Choice, IntoChoice},
    effort::Effort,
    error::PlanError,
    members::MembersError,
    own::Own,
    plan::Plan,
    predict::{Prediction, predict},
    problem::Problem,
    registry::{Algorithm, IntoAlgorithm, ParseAlgorithmError, Registered},
};

/// The seal of traits that no other crate can implement: no path to it leads out of the crate.
pub(crate) mod sealed {
    pub trait Sealed {}
}
