//! The figures of the cases of a comparison, and the columns that all comparisons have.

use std::slice;

use multicomputer::{
    Clock, Span,
    report::{RealTimeReport, Verdict},
    topology::Grid,
};

use super::{super::clock, Case, Column, Comparison, Figure, Ran, decides};

/// A case and its algorithms.
pub(in crate::cli) struct Solved<C: Comparison> {
    /// The case.
    pub(in crate::cli) case: Case<C>,
    /// The algorithms, in their order.
    pub(in crate::cli) lines: Vec<Line<C>>,
}

/// An algorithm on a case.
pub(in crate::cli) struct Line<C: Comparison> {
    /// The algorithm of the first attempt.
    pub(in crate::cli) algorithm: C::Algorithm,
    /// One or several attempts; or why it does not work.
    pub(in crate::cli) attempts: Result<Vec<Attempt<C>>, String>,
}

/// A plan, and its run if there was one.
pub(in crate::cli) struct Attempt<C: Comparison> {
    /// The algorithm with all of its choices.
    pub(in crate::cli) algorithm: C::Algorithm,
    /// The way that it has chosen.
    pub(in crate::cli) chosen: String,
    /// The predicted time; `None` if only a run can tell.
    pub(in crate::cli) predicted: Option<Span>,
    /// The figures that no other comparison has.
    pub(in crate::cli) facts: C::Facts,
    /// The run.
    pub(in crate::cli) ran: Option<Ran>,
}

/// A row of a table: one algorithm on one case, in one or all of its attempts.
pub(in crate::cli) struct Row<'a, C: Comparison> {
    /// The comparison.
    pub(in crate::cli) of: &'a C,
    /// The case.
    pub(in crate::cli) solved: &'a Solved<C>,
    /// The algorithm.
    pub(in crate::cli) line: &'a Line<C>,
    /// The attempts: none if the algorithm does not work.
    pub(in crate::cli) attempts: &'a [Attempt<C>],
}

impl<C: Comparison> Solved<C> {
    /// The row of a line.
    pub(in crate::cli) fn row<'a>(&'a self, of: &'a C, line: usize) -> Row<'a, C> {
        let line = &self.lines[line];
        Row { of, solved: self, line, attempts: line.attempts.as_deref().unwrap_or(&[]) }
    }

    /// The rows of all lines.
    pub(in crate::cli) fn rows<'a>(&'a self, of: &'a C) -> Vec<Row<'a, C>> {
        (0..self.lines.len()).map(|line| self.row(of, line)).collect()
    }

    /// The fastest algorithm on average, of equally fast ones the first, and its mean time.
    pub(in crate::cli) fn fastest<'a>(&'a self, of: &'a C) -> Option<(Row<'a, C>, Span)> {
        let rows = self.rows(of).into_iter();
        rows.filter_map(|row| row.time().map(|time| (row, time))).min_by_key(|&(_, time)| time)
    }
}

impl<'a, C: Comparison> Row<'a, C> {
    /// The problem.
    pub(in crate::cli) fn problem(&self) -> &'a C::Problem {
        &self.solved.case.problem
    }

    /// The name of the algorithm.
    pub(in crate::cli) fn name(&self) -> String {
        self.of.name(&self.line.algorithm)
    }

    /// The figures of the first attempt, if there is one.
    pub(in crate::cli) fn facts(&self) -> Option<&'a C::Facts> {
        self.attempts.first().map(|attempt| &attempt.facts)
    }

    /// The first run, if there is one.
    pub(in crate::cli) fn ran(&self) -> Option<&'a Ran> {
        self.runs().next()
    }

    /// All runs.
    pub(in crate::cli) fn runs(&self) -> impl Iterator<Item = &'a Ran> + use<'a, C> {
        self.attempts.iter().filter_map(|attempt| attempt.ran.as_ref())
    }

    /// The times of all attempts.
    pub(in crate::cli) fn times(&self) -> impl Iterator<Item = Span> {
        self.attempts.iter().filter_map(|attempt| self.of.time(attempt))
    }

    /// The mean time of all attempts.
    pub(in crate::cli) fn time(&self) -> Option<Span> {
        mean(self.times())
    }

    /// The ratio of the mean time to the lower bound; none for times that are not modeled.
    pub(in crate::cli) fn ratio(&self) -> Option<f64> {
        let is_modeled = |attempt: &Attempt<C>| attempt.ran.as_ref().is_none_or(|ran| ran.is_modeled);
        let is_comparable = self
            .attempts
            .iter()
            .all(|attempt| is_modeled(attempt) || self.of.time(attempt) == attempt.predicted);
        self.solved.case.bound.ratio(self.time().filter(|_| is_comparable)?)
    }

    /// The mean of a count of those attempts that have it.
    pub(in crate::cli) fn mean_count(&self, count: impl Fn(&Attempt<C>) -> Option<u64>) -> Figure {
        let all: Vec<f64> = self.attempts.iter().filter_map(count).map(|count| count as f64).collect();
        if all.is_empty() { Figure::None } else { Figure::Mean(all.iter().sum::<f64>() / all.len() as f64) }
    }

    /// The ways that were chosen, each once.
    pub(in crate::cli) fn chosen(&self) -> String {
        let mut chosen: Vec<&str> = self.attempts.iter().map(|attempt| attempt.chosen.as_str()).collect();
        chosen.dedup();
        chosen.join(" / ")
    }

    /// A row for each attempt, or one that says why there is none.
    pub(super) fn one_by_one(&self) -> Vec<Row<'a, C>> {
        let row = |attempts| Row { of: self.of, solved: self.solved, line: self.line, attempts };
        match self.attempts {
            [] => vec![row(&[])],
            several => several.iter().map(|attempt| row(slice::from_ref(attempt))).collect(),
        }
    }

    /// The pace of the host in all runs in real time.
    fn real(&self) -> impl Iterator<Item = RealTimeReport> {
        self.runs().filter_map(|ran| ran.real_time)
    }
}

/// The mean of several times; `None` if there are none.
pub(in crate::cli) fn mean(times: impl Iterator<Item = Span>) -> Option<Span> {
    let (mut sum, mut count) = (0, 0);
    for time in times {
        sum += u128::from(time.as_picos());
        count += 1;
    }
    (count > 0).then(|| Span::from_picos((sum / count) as u64))
}

/// The time of an algorithm; in tables with a star at the fastest, which is looked for only there.
pub(in crate::cli) fn time_columns<'a, C: Comparison>(title: &str) -> [Column<Row<'a, C>>; 2] {
    [
        Column::new("modeled_us", |row: &Row<'a, C>| row.time().into()),
        Column::shown("time", |row: &Row<'a, C>| {
            Figure::Starred(row.time(), row.solved.fastest(row.of).map(|(_, time)| time))
        })
        // The star of the fastest stands behind it.
        .titled(format!("{title} {{unit}}  ")),
    ]
}

/// The clock of the runs.
pub(in crate::cli) fn clock_column<'a, C: Comparison>() -> Column<Row<'a, C>> {
    let clock = |row: &Row<'a, C>| row.ran().map(|_| clock::name(row.solved.case.clock).to_owned()).into();
    Column::new("clock", clock).left()
}

/// The times of runs beside predictions: in tables, unless they are the same.
pub(in crate::cli) fn run_columns<'a, C: Comparison>() -> [Column<Row<'a, C>>; 2] {
    [
        Column::new("run_us", |row: &Row<'a, C>| mean(row.runs().map(|ran| ran.time)).into()),
        Column::shown("run", |row: &Row<'a, C>| match row.solved.case.clock {
            Clock::Virtual => Figure::None,
            _ => mean(row.runs().map(|ran| ran.time)).into(),
        })
        .titled("run {unit}")
        .optional(),
    ]
}

/// The pace of the host in real time; the wall clock's time also where that is all there is.
pub(in crate::cli) fn pace_columns<'a, C: Comparison>() -> [Column<Row<'a, C>>; 7] {
    [
        Column::new("wall_us", |row: &Row<'a, C>| {
            let wall = |ran: &Ran| match ran.real_time {
                Some(real) => Some(Span::from(real.wall)),
                None => (!ran.is_modeled).then_some(ran.time),
            };
            row.ran().and_then(wall).into()
        }),
        Column::new("dilation", |row: &Row<'a, C>| row.real().next().map(|real| real.dilation).into())
            .optional(),
        Column::new("error", |row: &Row<'a, C>| {
            let errors: Vec<f64> = row.real().map(|real| real.error).collect();
            match errors.len() {
                0 => Figure::None,
                several => Figure::Percent(errors.iter().sum::<f64>() / several as f64),
            }
        })
        .titled("error %")
        .optional(),
        Column::new("answers", |row: &Row<'a, C>| {
            row.real().next().map(|real| real.answers.to_string()).into()
        }),
        Column::new("late_answers", |row: &Row<'a, C>| {
            row.real().next().map(|real| real.late_answers.to_string()).into()
        }),
        Column::new("slip_us", |row: &Row<'a, C>| {
            row.real().next().map(|real| Span::from(real.slip.by)).into()
        }),
        // Of several runs one that slipped.
        Column::new("pace", |row: &Row<'a, C>| {
            let slipped = row.real().find(|real| real.verdict == Verdict::Slipped);
            slipped.or(row.real().next()).map(|real| real.verdict.to_string()).into()
        })
        .optional(),
    ]
}

/// The machine, and its rows and columns if it has such.
pub(in crate::cli) fn machine_columns<'a, C: Comparison>() -> [Column<Row<'a, C>>; 3] {
    fn grid<C: Comparison>(row: &Row<'_, C>) -> Option<Grid> {
        row.solved.case.description.topology().grid()
    }
    [
        Column::new("machine", |row: &Row<'a, C>| Figure::text(row.solved.case.description.name())).left(),
        Column::new("rows", |row: &Row<'a, C>| grid(row).map(|grid| grid.rows.to_string()).into()),
        Column::new("columns", |row: &Row<'a, C>| grid(row).map(|grid| grid.columns.to_string()).into()),
    ]
}

/// The reason why an algorithm does not work.
pub(in crate::cli) fn restriction_column<'a, C: Comparison>() -> Column<Row<'a, C>> {
    Column::new("restriction", |row: &Row<'a, C>| row.line.attempts.as_ref().err().cloned().into())
}

/// The lower bound, the reason for it, and the ratio of a time to it.
pub(in crate::cli) fn bound_columns<'a, C: Comparison>() -> [Column<Row<'a, C>>; 3] {
    [
        Column::new("bound_us", |row: &Row<'a, C>| row.solved.case.bound.time().into()).titled("bound"),
        Column::new("decided_by", |row: &Row<'a, C>| Figure::text(decides(&row.solved.case.bound)))
            .titled("decided by")
            .left(),
        Column::new("ratio", |row: &Row<'a, C>| row.ratio().into()).titled("/ bound"),
    ]
}
