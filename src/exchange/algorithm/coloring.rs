//! *Coloring*: the messages as the edges of a bipartite graph, its colors as rounds ([`coloring`](super::super::rounds::coloring)).
//!
//! **What it does.** Senders are on one side, receivers on the other, and a message is an edge. The edges of a
//! bipartite graph can be colored with as many colors as the most edges that meet in a vertex (König): so there are
//! `h` rounds in which nobody sends or receives twice, and no schedule has fewer. *Colored* makes these. *Sliced* first
//! cuts long messages into slices of `q` bytes: then all rounds are about equally long, and `t / q + h` rounds do.
//!
//! **Restrictions.** None.
//!
//! **Cost.** *Colored*: `h` rounds, each as long as its longest message; at most `h (alpha + s beta)` with messages of
//! up to `s` bytes. *Sliced*: `(t / q + h) (alpha + q beta)`, which is least for `q = sqrt(t alpha / (h beta))`: `t
//! beta + h alpha + 2 sqrt(h t alpha beta)`.
//!
//! **Source.** D. König, "Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre", Math. Annalen 77,
//! 1916; for schedules with preemption T. Gonzalez, S. Sahni, "Open shop scheduling to minimize finish time", JACM
//! 23(4), 1976.

use std::sync::Arc;

use super::super::{
    PlanError,
    planner::{Planner, Variant},
    rounds::coloring,
};

/// *Colored*: whole messages.
pub(super) fn colored(planner: &Planner) -> Result<Vec<Variant>, PlanError> {
    let rounds = planner.clone();
    Ok(planner.in_styles("colored", move || Ok(rounds.colored())))
}

/// *Sliced*: slices of messages.
pub(super) fn sliced(planner: &Planner) -> Result<Vec<Variant>, PlanError> {
    let slices = planner.slices(&[0.5, 1.0, 2.0], true).into_iter();
    let sliced = |slice| {
        let matrix = planner.matrix().clone();
        planner
            .in_styles(&format!("sliced ({slice} B)"), move || Ok(Arc::new(coloring::sliced(&matrix, slice))))
    };
    Ok(slices.flat_map(sliced).collect())
}
