//! The results that papers publish, as jobs: each works out a figure, a table or a section in virtual time and says how far it comes out.
//!
//! A [`Job`] is an item of a [`Paper`]: figure 2, table 3, what section 4 says. Working it out gives an [`Outcome`]:
//!
//! * [`Value`]s: every published number beside the modeled one, with its unit, how sure it is, and the relative error;
//! * [`Claim`]s: what is said in words, with a [`Verdict`] that follows from what was worked out, and the [`Check`]s behind
//!   it, which pin down what the model gives today;
//! * [`Chart`]s: the lines of a figure, with published points where there are any.
//!
//! The parameters are those of the [presets](crate::model::presets), one set for each machine; nothing is adjusted for a job.
//! The tests of published claims call these jobs, and so does `multicomputer reproduce`.
//!
//! ```
//! use multicomputer::published::Job;
//!
//! let job = Job::named("S1-T1").expect("the times of figure 6, once more");
//! assert_eq!((job.id(), job.place()), ("S0-F6", "Figure 6"));
//! let outcome = job.work().expect("it can be worked out");
//! assert_eq!(outcome.values[1].published, 7.3);
//! assert!(outcome.values[1].error().abs() < 0.2);
//! assert!(outcome.claims.iter().all(|claim| claim.is_as_expected()));
//! ```

mod chart;
mod claim;
mod exchange;
mod intercom;
mod job;
mod list;
mod missing;
mod stop;
mod summary;
mod textbook;
mod timed;
mod value;

use self::{chart::Series, timed::Timed};
pub use self::{
    claim::{Check, Claim, Verdict},
    job::{Job, JobError, NotYet, Outcome, Paper},
    summary::Summary,
    value::{Kind, Sure, Value},
};
use crate::{
    model::Description,
    picture::{Axis, Chart},
};

/// A machine of a preset. That all those of the jobs exist is known.
fn machine(name: &str) -> Description {
    name.parse().expect("the machine of a published result exists")
}

/// A Paragon of this shape.
fn paragon(mesh: &str) -> Description {
    machine(&format!("paragon:{mesh}"))
}

fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// A ratio as a difference in percent: 1.21 is `+21 %`.
fn percent(ratio: f64) -> String {
    // Rounded first, for no negative zero.
    format!("{:+} %", (100.0 * (ratio - 1.0)).round() + 0.0)
}
