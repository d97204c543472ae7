//! Figures of the cases of a comparison.

use std::slice;

use multicomputer::{Span, report::RealTimeReport};

use super::{super::setting::Setting, Case, Comparison, Figure, Ran};

/// A case, with the results of its algorithms.
pub(crate) struct Solved<C: Comparison> {
    pub(crate) case: Case<C>,
    /// Machine of the runs, and seed.
    pub(crate) setting: Setting,
    pub(crate) lines: Vec<Line<C>>,
}

/// An algorithm on a case.
pub(crate) struct Line<C: Comparison> {
    /// Algorithm of the first attempt.
    pub(crate) algorithm: C::Algorithm,
    /// One or several attempts, or the reason why the algorithm does not apply.
    pub(crate) attempts: Result<Vec<Attempt<C>>, String>,
}

/// A plan, and its run, if any.
pub(crate) struct Attempt<C: Comparison> {
    /// Algorithm with all of its choices.
    pub(crate) algorithm: C::Algorithm,
    pub(crate) chosen: String,
    /// Predicted time; `None` if only a run shows the time.
    pub(crate) predicted: Option<Span>,
    pub(crate) facts: C::Facts,
    pub(crate) ran: Option<Ran>,
}

/// A table row: one algorithm on one case, with one or all of its attempts.
pub(crate) struct Row<'a, C: Comparison> {
    pub(crate) of: &'a C,
    pub(crate) solved: &'a Solved<C>,
    pub(crate) line: &'a Line<C>,
    /// Attempts; empty if the algorithm does not apply.
    pub(crate) attempts: &'a [Attempt<C>],
}

impl<C: Comparison> Solved<C> {
    /// Returns the row of a line.
    pub(crate) fn row<'a>(&'a self, of: &'a C, line: usize) -> Row<'a, C> {
        let line = &self.lines[line];
        Row { of, solved: self, line, attempts: line.attempts.as_deref().unwrap_or(&[]) }
    }

    /// Returns the rows of all lines.
    pub(crate) fn rows<'a>(&'a self, of: &'a C) -> Vec<Row<'a, C>> {
        (0..self.lines.len()).map(|line| self.row(of, line)).collect()
    }

    /// Returns the mean time of the fastest algorithm.
    pub(super) fn least(&self, of: &C) -> Option<Span> {
        self.rows(of).iter().filter_map(Row::time).min()
    }

    /// Returns the algorithm with the shortest mean time, and that time; of equally fast algorithms, the first.
    pub(crate) fn fastest<'a>(&'a self, of: &'a C) -> Option<(Row<'a, C>, Span)> {
        let rows = self.rows(of).into_iter();
        rows.filter_map(|row| row.time().map(|time| (row, time))).min_by_key(|&(_, time)| time)
    }
}

impl<'a, C: Comparison> Row<'a, C> {
    pub(crate) fn problem(&self) -> &'a C::Problem {
        &self.solved.case.problem
    }

    pub(crate) fn name(&self) -> String {
        self.line.algorithm.to_string()
    }

    /// Returns the figures of the first attempt, if there is one.
    pub(crate) fn facts(&self) -> Option<&'a C::Facts> {
        self.attempts.first().map(|attempt| &attempt.facts)
    }

    /// Returns the first run, if there is one.
    pub(crate) fn ran(&self) -> Option<&'a Ran> {
        self.runs().next()
    }

    /// Returns all runs.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &'a Ran> + use<'a, C> {
        self.attempts.iter().filter_map(|attempt| attempt.ran.as_ref())
    }

    /// Returns the times of all attempts.
    pub(crate) fn times(&self) -> impl Iterator<Item = Span> {
        self.attempts.iter().filter_map(|attempt| self.of.time(attempt))
    }

    /// Returns the mean time of all runs.
    pub(crate) fn run_time(&self) -> Option<Span> {
        mean(self.runs().map(|ran| ran.time))
    }

    /// Returns the mean modeled time of all attempts: that of the run, or, under the host's clock, of the prediction.
    pub(crate) fn modeled(&self) -> Option<Span> {
        let of_run = |attempt: &Attempt<C>| {
            attempt.ran.as_ref().filter(|ran| ran.is_modeled).map(|ran| ran.time).or(attempt.predicted)
        };
        mean(self.attempts.iter().filter_map(of_run))
    }

    /// Returns the mean time of all attempts.
    pub(crate) fn time(&self) -> Option<Span> {
        mean(self.times())
    }

    /// Returns the mean time, marked if it is the fastest of the case.
    pub(crate) fn starred(&self) -> Figure {
        Figure::Starred(self.time(), self.solved.least(self.of))
    }

    /// Returns the ratio of the mean time to the lower bound; `None` if the time is not modeled.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let is_modeled = |attempt: &Attempt<C>| attempt.ran.as_ref().is_none_or(|ran| ran.is_modeled);
        let is_comparable = self
            .attempts
            .iter()
            .all(|attempt| is_modeled(attempt) || self.of.time(attempt) == attempt.predicted);
        self.solved.case.bound.ratio(self.time().filter(|_| is_comparable)?)
    }

    /// Returns the mean of `count` over the attempts that have it.
    pub(crate) fn mean_count(&self, count: impl Fn(&Attempt<C>) -> Option<u64>) -> Option<String> {
        let all: Vec<f64> = self.attempts.iter().filter_map(count).map(|count| count as f64).collect();
        (!all.is_empty()).then(|| format!("{:.0}", all.iter().sum::<f64>() / all.len() as f64))
    }

    /// Returns the names of the chosen variants, without consecutive duplicates.
    pub(crate) fn chosen(&self) -> String {
        let mut chosen: Vec<&str> = self.attempts.iter().map(|attempt| attempt.chosen.as_str()).collect();
        chosen.dedup();
        chosen.join(" / ")
    }

    /// Returns a row for each attempt, or one row with the reason why there is none.
    pub(super) fn one_by_one(&self) -> Vec<Row<'a, C>> {
        let row = |attempts| Row { of: self.of, solved: self.solved, line: self.line, attempts };
        match self.attempts {
            [] => vec![row(&[])],
            several => several.iter().map(|attempt| row(slice::from_ref(attempt))).collect(),
        }
    }

    /// Returns the pace of the host in all runs in real time.
    pub(super) fn real(&self) -> impl Iterator<Item = RealTimeReport> {
        self.runs().filter_map(|ran| ran.real_time)
    }
}

/// Returns the mean of several times; `None` if there are none.
pub(crate) fn mean(times: impl Iterator<Item = Span>) -> Option<Span> {
    let (mut sum, mut count) = (0, 0);
    for time in times {
        sum += u128::from(time.as_picos());
        count += 1;
    }
    (count > 0).then(|| Span::from_picos((sum / count) as u64))
}
