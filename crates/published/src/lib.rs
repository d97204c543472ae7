//! Reproduction of published results. Each job computes a figure, a table or a section of a paper in virtual time and
//! compares the result with the publication.
//!
//! A [`Job`] is an item of a [`Paper`]: a figure, a table, or the claims of a section. Its [`Outcome`] has:
//!
//! * [`Value`]s: every published number with its modeled counterpart, unit, certainty and relative error;
//! * [`Claim`]s: statements of the paper, each with a [`Verdict`] and [`Check`]s of detailed results. The expected
//!   values of checks are current results of the model (regression checks);
//! * [`Chart`]s: the lines of a figure, with published points if the paper has numbers.
//!
//! All parameters are those of the [presets](multicomputer::model::presets), one set per machine; no job adjusts them. [`Job::sensitivity`]
//! changes one fitted parameter at a time. The
//! tests of published claims and `multicomputer reproduce` call these jobs.
//!
//! ```
//! use multicomputer_published::Job;
//!
//! let job = Job::named("S1-T1").expect("the times of figure 6, once more");
//! assert_eq!((job.id(), job.place()), ("S0-F6", "Figure 6"));
//! let outcome = job.work().expect("it can be worked out");
//! assert_eq!(outcome.values[1].published, 7.3);
//! assert!(outcome.values[1].error().abs() < 0.2);
//! assert!(outcome.claims.iter().all(|claim| claim.is_as_expected()));
//! ```

mod all_to_all;
mod chart;
mod claim;
mod intercom;
mod job;
mod list;
mod missing;
mod s_to_p;
mod summary;
mod textbook;
mod timed;
mod value;
mod variation;

use self::{chart::Series, timed::Timed};
pub use self::{
    claim::{Check, Claim, Verdict},
    job::{Job, JobError, NotYet, Outcome, Paper},
    summary::{Summary, median},
    value::{Kind, Sure, Value},
    variation::{Sensitivity, Variation},
};
use multicomputer::model::MachineSpec;
use multicomputer_picture::{Axis, Chart};

/// Returns a preset machine, under the variation of the current job; panics if it does not exist.
fn machine(name: &str) -> MachineSpec {
    variation::varied(name.parse().expect("the machine of a published result exists"))
}

/// Returns a Paragon with this mesh.
fn paragon(mesh: &str) -> MachineSpec {
    machine(&format!("paragon:{mesh}"))
}

fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Formats a ratio as a difference in percent: 1.21 is `+21 %`.
fn percent(ratio: f64) -> String {
    // Rounding first avoids a negative zero.
    format!("{:+} %", (100.0 * (ratio - 1.0)).round() + 0.0)
}
