//! Items that cannot be reproduced yet, with the reasons.

use super::{
    Job, Paper,
    job::Work::{self, NotYet},
};

const fn missing(
    id: &'static str,
    paper: Paper,
    place: &'static str,
    title: &'static str,
    setup: &'static str,
    reason: &'static str,
) -> Job {
    let work: Work = NotYet(reason);
    Job { id, also: &[], paper, place, title, setup, seconds: 0.0, threads: 0, work }
}

pub(super) const JOBS: &[Job] = &[missing(
    "S4-F2",
    Paper::ManyToMany,
    "Figure 2",
    "an example of many-to-many communication",
    "8 nodes",
    "its matrix is lost; the text has definitions only",
)];
