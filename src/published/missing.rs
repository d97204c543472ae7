//! What cannot be worked out yet, with the reason.

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
    Job { id, also: &[], paper, place, title, setup, seconds: 0.0, work }
}

pub(super) const JOBS: &[Job] = &[
    missing(
        "S1-Q2",
        Paper::StopConference,
        "section 6",
        "2 to 5 % are lost when the programs run over MPI instead of NX",
        "Paragon",
        "there is no MPI on the modeled machine, and the paper does not say what its calls cost",
    ),
    missing(
        "S2-7.1",
        Paper::InterCom,
        "section 7.1",
        "alternating directions in bidirectional rings and lines",
        "mesh",
        "no algorithm here goes in alternating directions",
    ),
    missing(
        "S2-Q2",
        Paper::InterCom,
        "section 8",
        "EDST broadcasts are twice as fast as scatter and collect on hypercubes",
        "hypercube, long vectors",
        "there is no broadcast along edge-disjoint spanning trees here",
    ),
    missing(
        "S4-6.1",
        Paper::ManyToMany,
        "section 6.1",
        "the first of the two stages by distributed scheduling",
        "CM-5, 32 nodes",
        "the first stage is a linear permutation here",
    ),
    missing(
        "S4-F2",
        Paper::ManyToMany,
        "Figure 2",
        "an example of many-to-many communication",
        "8 nodes",
        "its matrix is lost; the text has definitions only",
    ),
];
