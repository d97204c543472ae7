//! S-to-p broadcasting: `s` of the `p` nodes hold a message each, and all `p` nodes must end with all `s`.
//!
//! Every node knows where the sources are and how long the messages are, so each can work out on its own who holds
//! what in every iteration; nothing needs to be agreed on and no node waits for more than its own messages.
//!
//! * [`Distribution`] places the sources on a mesh, by the rules of the papers, at random or as listed; [`picture`]
//!   draws them;
//! * an [`Instance`] is a machine, the sources on it, and the lengths of their messages; [`Instance::lower_bound`] is
//!   what no algorithm can beat on it;
//! * an [`Algorithm`] makes a [`Plan`] for it, which knows what it takes before it is run;
//! * [`Plan::broadcast`] carries it out on a node, on any machine that can send and receive; [`Plans`] are plans shared
//!   by nodes that come to know the instance only while they run.
//!
//! Source: Hambrusch, Khokhar, Liu, "S-to-P Broadcasting on Coarse-Grained Machines", technical report CSD-TR-95-060
//! (Purdue University, 1995), called *the report* here, and its later conference version. Where they differ the
//! conference version counts, and the place says so.

mod algorithm;
mod bound;
mod distribution;
mod instance;
mod plan;
mod plans;

pub use self::{
    algorithm::{Algorithm, Base, ParseAlgorithmError, PlanError, ideal_places},
    bound::LowerBound,
    distribution::{Distribution, DistributionError, ParseDistributionError, picture},
    instance::{Instance, InstanceError},
    plan::{BroadcastError, Plan},
    plans::Plans,
};
