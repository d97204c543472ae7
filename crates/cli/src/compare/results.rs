//! Results as text: tables, and notes under them.

use multicomputer::{Span, plan::LowerBound};
use multicomputer_study::checked::TIMED_CALLS;

use super::{
    super::{
        pace,
        setting::{self, Setting},
        table::Table,
        unit::Unit,
    },
    Column, Comparison, Ran, Row, Solved,
    column::table,
    common::columns,
};

/// Returns the note on times under the host's clock.
pub(crate) fn on_the_host() -> String {
    format!(
        "Run times are wall-clock times of this host, medians of {TIMED_CALLS} calls after one warm-up \
         call; they vary from run to run. Predictions and lower bounds are modeled."
    )
}

/// Results of a comparison.
pub(crate) struct Results<'a, C: Comparison> {
    pub(crate) of: &'a C,
    /// Solved cases, at least one.
    pub(crate) solved: &'a [Solved<C>],
}

impl<'a, C: Comparison> Results<'a, C> {
    pub(crate) fn rows(&self) -> Vec<Row<'a, C>> {
        self.solved.iter().flat_map(|solved| solved.rows(self.of)).collect()
    }

    pub(crate) fn first(&self) -> &'a C::Problem {
        &self.solved[0].case.problem
    }

    /// Returns the unit for these times and the lower bounds.
    pub(crate) fn unit<T>(&self, times: impl Fn(&Row<'a, C>) -> T) -> Unit
    where
        T: IntoIterator<Item = Option<Span>>,
    {
        let bounds = self.solved.iter().map(|solved| solved.case.bound.time());
        Unit::of(self.rows().iter().flat_map(times).flatten().chain(bounds))
    }

    /// Returns the settings of the machines and the seed, for titles.
    pub(crate) fn setting(&self) -> String {
        Setting::common_title(&self.settings())
    }

    /// Returns the names of the columns in which machines differ in addition to their names, separated by blanks.
    pub(crate) fn setting_columns(&self) -> String {
        setting::differing(&self.settings()).join(" ")
    }

    fn settings(&self) -> Vec<&'a Setting> {
        self.solved.iter().map(|solved| &solved.setting).collect()
    }

    /// Returns a table with a row for each algorithm on each case.
    pub(crate) fn table(&self, names: &str, unit: Unit) -> Table {
        table(&columns(self.of), names, &self.rows(), unit)
    }

    /// Returns all columns.
    pub(crate) fn columns(&self) -> Vec<Column<'a, Row<'a, C>>> {
        columns(self.of)
    }

    /// Returns whether the runs were over MPI.
    pub(crate) fn is_over_mpi(&self) -> bool {
        self.solved.iter().any(|solved| solved.case.is_over_mpi())
    }

    /// Returns the number of attempts, and the number of attempts that were run.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let rows = self.rows();
        (rows.iter().map(|row| row.attempts.len()).sum(), rows.iter().map(|row| row.runs().count()).sum())
    }

    /// Returns whether any time was predicted.
    pub(crate) fn has_predictions(&self) -> bool {
        self.rows().iter().any(|row| row.attempts.iter().any(|attempt| attempt.predicted.is_some()))
    }

    /// Returns notes on the pace of the host, and on wall-clock times.
    pub(crate) fn notes(&self) -> Vec<String> {
        let runs: Vec<&Ran> = self.rows().iter().flat_map(|row| row.runs().collect::<Vec<_>>()).collect();
        let mut notes = pace::notes(runs.iter().filter_map(|ran| ran.real_time));
        if runs.iter().any(|ran| !ran.is_modeled) {
            notes.push(on_the_host());
        }
        notes
    }
}

/// Returns the name of the tightest bound.
pub(super) fn decides(bound: &LowerBound) -> &'static str {
    bound.decisive().map_or("nothing", |reason| reason.name())
}

/// Returns a line with the lower bound and its parts that are not 0.
pub(crate) fn bound_line(bound: &LowerBound, unit: Unit) -> String {
    let time = bound.time();
    if time.is_zero() {
        return format!("Lower bound: 0 {}: nothing has to be sent.", unit.name());
    }
    let parts = bound.reasons().iter().filter(|(_, part)| !part.is_zero());
    let parts: Vec<String> =
        parts.map(|(reason, part)| format!("{} {}", reason.name(), unit.cell(*part))).collect();
    format!(
        "Lower bound: {}; tightest: {} (all, {}: {}).",
        unit.text(time),
        decides(bound),
        unit.name(),
        parts.join(", ")
    )
}
