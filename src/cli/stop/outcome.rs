//! What is kept of the runs: the figures that are shown.

use multicomputer::{
    Clock, Span,
    report::{LinkReport, RealTimeReport, RunReport},
    stop::{Algorithm, LowerBound, Plan},
};

use super::{
    super::{data::Content, pace, unit::Unit},
    growth::Growth,
    task::Task,
};

/// One run.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) algorithm: Algorithm,
    /// Which of its variants, or which algorithm in which variant; empty if it has only one.
    pub(super) variant: String,
    pub(super) modeled: Span,
    pub(super) messages: u64,
    pub(super) bytes: u64,
    /// The link that carried the most bytes, if any carried one.
    pub(super) link: Option<LinkReport>,
    pub(super) real_time: Option<RealTimeReport>,
    pub(super) growth: Growth,
}

/// A problem, what no algorithm can beat, and the runs of all algorithms.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) task: Task,
    pub(super) bound: LowerBound,
    pub(super) outcomes: Vec<Outcome>,
}

/// All runs.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) clock: Clock,
    pub(super) content: Content,
    pub(super) solved: Vec<Solved>,
}

impl Outcome {
    pub(super) fn of(algorithm: Algorithm, plan: &Plan, report: &RunReport) -> Outcome {
        let variant = match (plan.algorithm(), plan.variant()) {
            (taken, variant) if *taken == algorithm => variant.to_owned(),
            (taken, "") => taken.to_string(),
            (taken, variant) => format!("{taken}: {variant}"),
        };
        // The first of several that carried as much.
        let link = report.links.iter().rev().max_by_key(|link| link.load.bytes);
        Outcome {
            algorithm,
            variant,
            modeled: report.modeled.since_start(),
            messages: report.messages,
            bytes: report.bytes,
            link: link.cloned(),
            real_time: report.real_time,
            growth: Growth::of(plan.growth()),
        }
    }
}

impl Solved {
    /// The modeled time of a run, with a star at the fastest.
    pub(super) fn time_cell(&self, outcome: &Outcome, unit: Unit) -> String {
        unit.starred(outcome.modeled, self.outcomes.iter().map(|outcome| outcome.modeled).min())
    }
}

impl Results {
    /// The unit of all times that are shown.
    pub(super) fn unit(&self) -> Unit {
        Unit::of(self.solved.iter().flat_map(|solved| {
            solved.outcomes.iter().map(|outcome| outcome.modeled).chain([solved.bound.time()])
        }))
    }

    /// What the marks mean, what was checked, what was left out, and how well the host kept pace: a line each.
    pub(super) fn notes(&self) -> Vec<String> {
        let checked = match self.content {
            Content::Random { .. } => "After every run every node held every byte of every source.",
            Content::Phantom => {
                "After every run every node held a message of the right length from every source."
            }
        };
        let star = format!("* is the fastest, to the {}.", self.unit().precision());
        let mut notes = vec![star, checked.to_owned()];
        let runs = self.solved.iter().flat_map(|solved| &solved.outcomes);
        let real: Vec<RealTimeReport> = runs.filter_map(|outcome| outcome.real_time).collect();
        notes.extend(pace::notes(real));
        notes.extend(self.left_out());
        notes
    }

    /// Which algorithms were left out, how often and why.
    fn left_out(&self) -> Vec<String> {
        let all = || self.solved.iter().flat_map(|solved| &solved.task.left_out);
        let mut notes = Vec::new();
        for (index, cause) in all().enumerate() {
            if all().take(index).any(|earlier| earlier == cause) {
                continue;
            }
            let times = all().filter(|other| *other == cause).count();
            notes.push(match self.solved.len() {
                1 => format!("Left out: {cause}."),
                problems => format!("Left out of {times} of {problems} problems: {cause}."),
            });
        }
        notes
    }
}
