//! What is kept of the plans and the runs: the figures that are shown.

use multicomputer::{
    Clock, Span,
    collective::{LowerBound, Plan},
    report::RealTimeReport,
};

use super::{
    super::{data::Content, pace, unit::Unit},
    execution::Ran,
    task::Task,
};

/// An algorithm on a task.
#[derive(Debug)]
pub(super) struct Line {
    /// As it was asked for.
    pub(super) algorithm: String,
    /// What comes of it, or why it does not work.
    pub(super) figures: Result<Figures, String>,
}

/// What is known of a plan.
#[derive(Debug)]
pub(super) struct Figures {
    /// The algorithm, in the way that was chosen.
    pub(super) chosen: String,
    pub(super) predicted: Span,
    pub(super) estimate: Span,
    pub(super) ran: Option<Ran>,
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
    /// Those of an operation follow each other.
    pub(super) solved: Vec<Solved>,
}

impl Line {
    pub(super) fn of(algorithm: &str, plan: Result<&Plan, &String>) -> Line {
        let figures = |plan: &Plan| Figures {
            chosen: plan.name().to_owned(),
            predicted: plan.prediction().modeled.since_start(),
            estimate: plan.estimate(),
            ran: None,
        };
        Line { algorithm: algorithm.to_owned(), figures: plan.map(figures).map_err(Clone::clone) }
    }

    /// What it takes, as predicted.
    pub(super) fn modeled(&self) -> Option<Span> {
        self.figures.as_ref().ok().map(|figures| figures.predicted)
    }
}

impl Solved {
    /// The fastest algorithm, of equally fast ones the first.
    pub(super) fn fastest(&self) -> Option<(&Line, &Figures)> {
        let works = self.lines.iter().filter_map(|line| Some((line, line.figures.as_ref().ok()?)));
        works.min_by_key(|(_, figures)| figures.predicted)
    }

    /// The modeled time of an algorithm, with a star at the fastest.
    pub(super) fn time_cell(&self, line: &Line, unit: Unit) -> String {
        let fastest = self.fastest().map(|(_, figures)| figures.predicted);
        line.modeled().map_or_else(|| "-  ".to_owned(), |modeled| unit.starred(modeled, fastest))
    }

    /// All times that are shown.
    pub(super) fn times(&self) -> impl Iterator<Item = Span> {
        let figures = self.lines.iter().filter_map(|line| line.figures.as_ref().ok());
        let times = figures.flat_map(|figures| {
            let ran = figures.ran.map(|ran| ran.modeled);
            [Some(figures.predicted), Some(figures.estimate), ran].into_iter().flatten()
        });
        times.chain([self.bound.time()])
    }

    /// How many times the bound something takes.
    pub(super) fn ratio_cell(&self, modeled: Span) -> String {
        self.bound.ratio(modeled).map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
    }
}

impl Results {
    /// The tasks of each operation.
    pub(super) fn by_operation(&self) -> impl Iterator<Item = &[Solved]> {
        self.solved.chunk_by(|one, other| one.task.task.operation() == other.task.task.operation())
    }

    /// What was run and checked, and how well the host kept pace: a line each.
    pub(super) fn notes(&self, solved: &[Solved]) -> Vec<String> {
        let mut notes = Vec::new();
        let lines = solved.iter().flat_map(|solved| &solved.lines);
        let figures: Vec<&Figures> = lines.filter_map(|line| line.figures.as_ref().ok()).collect();
        let ran: Vec<Ran> = figures.iter().filter_map(|figures| figures.ran).collect();
        let has = match self.content {
            Content::Random { .. } => "every member had every byte that it should have",
            Content::Phantom => "every member had a vector of the right length",
        };
        let which = match (ran.len(), figures.len()) {
            (0, _) => String::new(),
            (1, 1) => "It was run".to_owned(),
            (1, _) => "The fastest was run".to_owned(),
            (runs, all) if runs == all => format!("All {runs} were run"),
            (runs, _) => format!("The fastest of each length was run ({runs} runs)"),
        };
        notes.push(match self.clock {
            _ if ran.is_empty() => {
                "Nothing was run: all times are predictions, which are exact in virtual time.".to_owned()
            }
            Clock::Virtual => format!("{which}: that took exactly the modeled time, and {has}."),
            Clock::RealTime { .. } => format!("{which} in real time: {has}."),
            Clock::Host => format!("{which} on the threads of this host: {has}."),
        });
        let real: Vec<RealTimeReport> = ran.iter().filter_map(|ran| ran.real_time).collect();
        notes.extend(pace::notes(real));
        notes
    }
}
