//! What is kept of the plans and the runs: the figures that are shown.

use multicomputer::{
    Clock, Span,
    exchange::{Algorithm, LowerBound, Plan, PlanError},
    report::RealTimeReport,
};

use super::{
    super::{data::Content, pace, unit::Unit},
    execution::Ran,
    task::Task,
};

/// A plan, and its run if there was one.
#[derive(Debug)]
pub(super) struct Attempt {
    /// The seed of its random choices, if it makes some.
    pub(super) seed: Option<u64>,
    /// The algorithm, in the way that was chosen.
    pub(super) chosen: String,
    /// `None` if only a run can tell.
    pub(super) predicted: Option<Span>,
    /// Iterations and messages of the schedule, if there is one.
    pub(super) planned: Option<(usize, u64)>,
    pub(super) ran: Option<Ran>,
}

/// An algorithm on a task.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) algorithm: Algorithm,
    /// With one seed after the other, at least one; or why it does not work.
    pub(super) attempts: Result<Vec<Attempt>, String>,
}

/// A task, what no algorithm can beat, and all algorithms.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) task: Task,
    pub(super) bound: LowerBound,
    pub(super) lines: Vec<Line>,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) clock: Clock,
    pub(super) content: Content,
    /// So many were tried where there is a choice.
    pub(super) seeds: u64,
    pub(super) solved: Vec<Solved>,
}

/// The times of several attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) least: Span,
    pub(super) mean: Span,
    pub(super) most: Span,
}

impl Attempt {
    /// Of a plan that is not run yet. It fails if nothing is known of it, and will not be.
    pub(super) fn of(algorithm: Algorithm, plan: &Plan, is_run: bool) -> Result<Attempt, String> {
        let predicted = plan.prediction().map(|prediction| prediction.modeled.since_start());
        match (plan.schedule(), predicted) {
            (Some(_), None) => {
                let algorithm = algorithm.to_string();
                return Err(PlanError::TooLong { algorithm }.to_string());
            }
            (None, _) if !is_run => {
                return Err(
                    "only a run can tell what it takes: --run fastest and --run all run it".to_owned()
                );
            }
            _ => {}
        }
        let planned =
            plan.schedule().map(|schedule| (schedule.iterations(), schedule.messages().count() as u64));
        Ok(Attempt { seed: algorithm.seed(), chosen: plan.name().to_owned(), predicted, planned, ran: None })
    }

    /// What it takes, as predicted, or in its run.
    pub(super) fn modeled(&self) -> Option<Span> {
        self.predicted.or(self.ran.map(|ran| ran.modeled))
    }

    /// Messages of all nodes together, active ones and those of barriers included.
    pub(super) fn messages(&self) -> Option<u64> {
        self.ran.map(|ran| ran.messages).or(self.planned.map(|(_, messages)| messages))
    }
}

impl Line {
    /// The attempts; none if it does not work.
    pub(super) fn attempts(&self) -> &[Attempt] {
        self.attempts.as_deref().unwrap_or(&[])
    }

    /// What it takes.
    pub(super) fn times(&self) -> Option<Times> {
        let all: Vec<Span> = self.attempts().iter().filter_map(Attempt::modeled).collect();
        let (&least, &most) = (all.iter().min()?, all.iter().max()?);
        Some(Times { least, mean: mean(&all), most })
    }

    /// The mean of a time of the runs; `None` if there were none.
    pub(super) fn of_runs(&self, figure: impl Fn(Ran) -> Span) -> Option<Span> {
        let all: Vec<Span> = self.attempts().iter().filter_map(|attempt| attempt.ran.map(&figure)).collect();
        if all.is_empty() { None } else { Some(mean(&all)) }
    }

    /// The mean of a figure of the attempts that have it; `None` if none has.
    pub(super) fn of_attempts(&self, figure: impl Fn(&Attempt) -> Option<f64>) -> Option<f64> {
        let all: Vec<f64> = self.attempts().iter().filter_map(figure).collect();
        if all.is_empty() { None } else { Some(all.iter().sum::<f64>() / all.len() as f64) }
    }
}

/// At least one.
fn mean(spans: &[Span]) -> Span {
    let sum: u128 = spans.iter().map(|span| u128::from(span.as_picos())).sum();
    Span::from_picos((sum / spans.len().max(1) as u128) as u64)
}

impl Solved {
    /// The fastest algorithm on average, of equally fast ones the first, and its mean time.
    pub(super) fn fastest(&self) -> Option<(&Line, Span)> {
        let works = self.lines.iter().filter_map(|line| Some((line, line.times()?.mean)));
        works.min_by_key(|&(_, mean)| mean)
    }

    /// The modeled time of an algorithm, with a star at the fastest.
    pub(super) fn time_cell(&self, line: &Line, unit: Unit) -> String {
        let fastest = self.fastest().map(|(_, mean)| mean);
        line.times().map_or_else(|| "-  ".to_owned(), |times| unit.starred(times.mean, fastest))
    }

    /// All times that are shown, but for those of waiting.
    pub(super) fn times(&self) -> impl Iterator<Item = Span> {
        let times = self.lines.iter().filter_map(|line| Some(line.times()?.least));
        let ran = self.lines.iter().filter_map(|line| line.of_runs(|ran| ran.modeled));
        times.chain(ran).chain([self.bound.time()])
    }

    /// How many times the bound something takes.
    pub(super) fn ratio_cell(&self, modeled: Span) -> String {
        self.bound.ratio(modeled).map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
    }
}

impl Results {
    /// What was run and checked, and how well the host kept pace: a line each.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let attempts: Vec<&Attempt> =
            self.solved.iter().flat_map(|solved| &solved.lines).flat_map(Line::attempts).collect();
        let ran: Vec<Ran> = attempts.iter().filter_map(|attempt| attempt.ran).collect();
        let got = match self.content {
            Content::Random { .. } => "every node got every byte that was for it",
            Content::Phantom => "every node got messages of the right lengths",
        };
        let which = match (ran.len(), attempts.len()) {
            (1, 1) => "It was run".to_owned(),
            (runs, all) if runs == all => format!("All {runs} plans were run"),
            (1, all) => format!("1 of {all} plans was run"),
            (runs, all) => format!("{runs} of {all} plans were run"),
        };
        notes.push(match self.clock {
            _ if ran.is_empty() => {
                "Nothing was run: all times are predictions, which are exact in virtual time.".to_owned()
            }
            Clock::Virtual => format!("{which}: {got}, and what was predicted was exact."),
            Clock::RealTime { .. } => format!("{which} in real time: {got}."),
            Clock::Host => format!("{which} on the threads of this host: {got}."),
        });
        if !ran.is_empty() && ran.len() < attempts.len() {
            let others = if attempts.len() - ran.len() == 1 { "other is" } else { "others are" };
            notes.push(format!("The {others} predicted, which is exact in virtual time."));
        }
        let is_sorted = |line: &Line| line.algorithm == Algorithm::SORTING && line.attempts.is_ok();
        if self.content == Content::Phantom
            && self.solved.iter().flat_map(|solved| &solved.lines).any(is_sorted)
        {
            notes.push("Sorting was not run: what has no data cannot be sorted.".to_owned());
        }
        let real: Vec<RealTimeReport> = ran.iter().filter_map(|ran| ran.real_time).collect();
        notes.extend(pace::notes(real));
        notes.extend(self.left_out());
        notes
    }

    /// Which algorithms do not work, how often and why.
    fn left_out(&self) -> Vec<String> {
        let all = self.solved.len();
        let mut notes = Vec::new();
        for (index, first) in self.solved.iter().take(1).flat_map(|solved| &solved.lines).enumerate() {
            let causes: Vec<&String> =
                self.solved.iter().filter_map(|solved| solved.lines[index].attempts.as_ref().err()).collect();
            let Some(cause) = causes.first() else { continue };
            notes.push(match causes.len() {
                times if times == all => format!("Left out: {}, since {cause}.", first.algorithm),
                times => {
                    format!("Left out for {times} of {all} matrices: {}, since {cause}.", first.algorithm)
                }
            });
        }
        notes
    }
}
