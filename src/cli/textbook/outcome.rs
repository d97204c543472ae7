//! What is kept of a case: the figures that are shown.

use multicomputer::{
    Span,
    model::Parameters,
    report::{LinkReport, RealTimeReport, RunReport},
    textbook::{Busiest, Figure},
    topology::Link,
};

use super::case::Case;

/// A case and what came of it.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) case: Case,
    /// Or why it cannot be.
    pub(super) figures: Result<Figures, String>,
}

/// What is known of a case that can be.
#[derive(Debug)]
pub(super) struct Figures {
    /// The steps as text; of several cases none is kept.
    pub(super) drawing: String,
    pub(super) steps: usize,
    /// What the equation says.
    pub(super) equation: Span,
    /// What it takes if all nodes keep in step, with conflicts on links and without.
    pub(super) in_step: Span,
    pub(super) without_conflicts: Span,
    /// What it takes in virtual time.
    pub(super) modeled: Span,
    /// The step in which most messages share a link that is the busiest of the step, if any do.
    pub(super) sharing: Option<Sharing>,
    pub(super) ran: Ran,
    /// Why modeled time is not what the equation says, as far as was looked for.
    pub(super) causes: Causes,
}

/// Messages of a step that share a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sharing {
    /// Counted from 1.
    pub(super) step: usize,
    pub(super) link: Link,
    pub(super) busiest: Busiest,
    /// What the step takes, and what it would take without conflicts.
    pub(super) time: Span,
    pub(super) alone: Span,
}

/// How the run went.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ran {
    pub(super) modeled: Span,
    pub(super) real_time: Option<RealTimeReport>,
    /// The link that most messages shared at once; of several the one that most bytes went over, then the first.
    pub(super) link: Option<LinkReport>,
}

/// What the machine has that the equation leaves out, found by taking it away.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Causes {
    /// In words.
    pub(super) costs: Vec<String>,
    /// The modeled time if a send occupies its sender until the message is there.
    pub(super) strict: Option<Span>,
}

impl Ran {
    pub(super) fn of(report: &RunReport) -> Ran {
        let most = |one: &&LinkReport| (one.load.most_flows, one.load.bytes);
        let link = report.links.iter().rev().max_by_key(most).cloned();
        Ran { modeled: report.modeled.since_start(), real_time: report.real_time, link }
    }
}

impl Figures {
    /// By how much modeled time is more than the equation; none if that says nothing.
    pub(super) fn slow_down(&self) -> Option<f64> {
        (!self.equation.is_zero()).then(|| self.modeled.as_secs_f64() / self.equation.as_secs_f64())
    }
}

/// Where most messages of a step share a link: the step that this costs most, of equal ones the one with most messages.
pub(super) fn sharing(
    figure: &Figure,
    parameters: &Parameters,
    link: impl Fn(usize) -> Link,
) -> Option<Sharing> {
    let steps = figure.steps().iter().zip(1..).filter_map(|(step, number)| {
        let busiest = step.busiest().filter(|busiest| busiest.messages > 1)?;
        let (time, alone) = (step.time(parameters), step.time_without_conflicts(parameters));
        Some(Sharing { step: number, link: link(busiest.link), busiest, time, alone })
    });
    // The first of equal ones.
    steps.reduce(|most, next| {
        let weight = |sharing: &Sharing| (sharing.time - sharing.alone, sharing.busiest.messages);
        if weight(&next) > weight(&most) { next } else { most }
    })
}
