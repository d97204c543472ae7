//! *Coloring*: edge colouring of the bipartite graph of messages, with colors as rounds ([`coloring`](super::super::rounds::coloring)).
//!
//! **What it does.** Vertices are the senders on one side and the receivers on the other, and messages are edges. The edges of a
//! bipartite graph can be colored with as many colors as the maximum degree (König). So `h` rounds suffice in which no node sends or
//! receives twice, and no schedule has fewer. *Colored* makes these rounds. *Sliced* first cuts long messages into slices of `q` bytes.
//! All rounds are then about equally long, and `t / q + h` rounds suffice.
//!
//! **Restrictions.** None.
//!
//! **Cost.** *Colored*: `h` rounds, each as long as its longest message; at most `h (alpha + s beta)` with messages of up to `s` bytes.
//! *Sliced*: `(t / q + h) (alpha + q beta)`, with the minimum `t beta + h alpha + 2 sqrt(h t alpha beta)` at
//! `q = sqrt(t alpha / (h beta))`.
//!
//! **Source.** D. König, "Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre", Math. Annalen 77, 1916; for
//! schedules with preemption T. Gonzalez, S. Sahni, "Open shop scheduling to minimize finish time", JACM 23(4), 1976.

use std::sync::Arc;

use super::{
    super::{
        PlanError,
        planner::{Planner, Variant},
        rounds::{coloring, parts},
    },
    Algorithm, Entry, Planning, of,
};

static COLORED: Entry = Entry::new("colored", |planning| Ok(colored(planning.workspace)))
    .aliases(&["edge-coloring"])
    .about("the minimum number of rounds, by edge colouring of the message graph")
    .source("König 1916")
    .cost("up to `h (alpha + s beta)`");

static SLICED: Entry = Entry::new("sliced", sliced)
    .about("`colored`, with messages cut into slices so that all rounds have the same length")
    .source("Gonzalez, Sahni 1976")
    .cost("`t beta + h alpha + 2 sqrt(h t alpha beta)`");

impl Algorithm {
    /// Rounds of whole messages, as few as possible, by edge colouring.
    pub const COLORED: Algorithm = of(&COLORED);
    /// Rounds of slices of messages, as few as possible, by edge colouring.
    pub const SLICED: Algorithm = of(&SLICED);
}

/// Returns the rounds of whole messages in every style.
pub(super) fn colored(planner: &Planner) -> Vec<Variant> {
    planner.in_styles("colored", |planner| Ok(planner.colored()))
}

fn sliced(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let planner = planning.workspace;
    let longest = parts(planner.matrix()).map(|part| part.bytes).max().unwrap_or(0);
    let sliced = |slice| {
        let rounds = move |planner: &Planner| Ok(Arc::new(coloring::sliced(planner.matrix(), slice)));
        let name = format!("sliced ({slice} B)");
        // If slices are whole messages, the rounds are those of *colored*.
        let same = if slice >= longest { "colored" } else { &name };
        planner.in_styles_as(&name, same, rounds)
    };
    Ok(planner.slice_lengths(&[0.5, 1.0, 2.0], true).into_iter().flat_map(sliced).collect())
}
