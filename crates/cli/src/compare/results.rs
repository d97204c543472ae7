//! Results as text: tables, and notes under them.

use std::collections::BTreeMap;

use multicomputer::{Span, plan::LowerBound};
use multicomputer_study::checked::TIMED_CALLS;

use super::{
    super::{
        pace,
        setting::{self, Setting},
        table::Table,
        unit::Unit,
    },
    Column, Comparison, Figure, Line, Ran, Row, Solved,
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

/// Note if all times are predictions.
pub(crate) const NOT_RUN: &str =
    "Nothing was run: all times are predictions, which are exact in virtual time.";

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

    /// Returns a table with a row for each case: the columns `keys`, the times of `algorithms` with a star at the
    /// fastest, and the columns `ends`.
    pub(crate) fn times(&self, [keys, ends]: [&str; 2], algorithms: &[String], unit: Unit) -> Table {
        let titled: Vec<String> = algorithms.iter().map(|algorithm| format!("{algorithm}  ")).collect();
        let figure = |row: Option<&Row<'a, C>>| row.map_or(Figure::Starred(None, None), Row::starred);
        self.by_algorithm([keys, ends], algorithms.iter().zip(&titled), unit, figure)
    }

    /// Returns a table of the times of runs, like [`times`](Self::times), if they are wall-clock times of the host;
    /// otherwise an empty text.
    pub(crate) fn wall_times(&self, key: &str, algorithms: &[String], unit: Unit) -> String {
        if self.rows().iter().flat_map(Row::runs).all(|ran| ran.is_modeled) {
            return String::new();
        }
        let figure = |row: Option<&Row<'a, C>>| row.and_then(Row::run_time).into();
        let table = self.by_algorithm([key, ""], algorithms.iter().zip(algorithms), unit, figure);
        format!("Run times on the threads of this host, in {}:\n\n{table}\n", unit.name())
    }

    /// Returns a table with a row for each case: the columns `keys`, a figure of each algorithm, and the columns
    /// `ends`. `algorithms` are pairs of name and title.
    pub(crate) fn by_algorithm<'n>(
        &self,
        [keys, ends]: [&str; 2],
        algorithms: impl Iterator<Item = (&'n String, &'n String)>,
        unit: Unit,
        figure: impl Fn(Option<&Row<'a, C>>) -> Figure + Copy + 'a,
    ) -> Table {
        let mut columns = columns(self.of);
        let mut names = keys.to_owned();
        for (nth, (algorithm, title)) in algorithms.enumerate() {
            let (name, algorithm) = (format!("#{nth}"), algorithm.clone());
            names += &format!(" {name}");
            let of_case = move |first: &Row<'a, C>| {
                figure(first.solved.rows(first.of).iter().find(|row| row.name() == algorithm))
            };
            columns.push(Column::new(name, of_case).titled(title));
        }
        let first = self.solved.iter().filter_map(|solved| solved.rows(self.of).into_iter().next());
        table(&columns, &format!("{names} {ends}"), &first.collect::<Vec<_>>(), unit)
    }

    /// Returns a table with a row for each case: its key and its fastest algorithm.
    pub(crate) fn choices(&self, key: &str, unit: Unit) -> Table {
        let mut columns = columns(self.of);
        columns.extend([
            Column::new("fastest", Row::time).titled("fastest {unit}"),
            Column::new("first", |row: &Row<'a, C>| {
                row.attempts.first().map(|attempt| attempt.chosen.clone())
            })
            .titled("chosen")
            .left(),
        ]);
        let fastest = self.solved.iter().filter_map(|solved| Some(solved.fastest(self.of)?.0));
        let names = format!("{key} fastest bound_us ratio decided_by algorithm first");
        table(&columns, &names, &fastest.collect::<Vec<_>>(), unit)
    }

    /// Returns a line with the fastest algorithm for the first case and its time, and a line with the lower bound.
    pub(crate) fn fastest_and_bound(&self, unit: Unit) -> String {
        let (bound, fastest) = (&self.solved[0].case.bound, self.solved[0].fastest(self.of));
        let fastest = fastest.map_or_else(String::new, |(row, time)| {
            let ratio = bound.ratio(time);
            let of_bound =
                ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} times the lower bound"));
            let how = match (row.name(), row.chosen()) {
                (name, chosen) if name == chosen => name,
                (name, chosen) => format!("{chosen}, chosen by {name}"),
            };
            format!("Fastest: {how}: {}{of_bound}.\n", unit.text(time))
        });
        fastest + &bound_line(bound, unit)
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

    /// Returns the reasons why algorithms do not apply, one for each case. The text of an algorithm's first case stands
    /// for all of its cases, as numbers in the texts may differ.
    pub(crate) fn refusals(&self, words: impl Fn(&C::Algorithm, &str) -> String) -> Vec<String> {
        let lines = self.solved.iter().flat_map(|solved| solved.lines.iter().enumerate());
        let mut by_line: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (line, Line { algorithm, attempts }) in lines {
            if let Err(cause) = attempts {
                let causes = by_line.entry(line).or_default();
                causes.push(causes.first().cloned().unwrap_or_else(|| words(algorithm, cause)));
            }
        }
        by_line.into_values().flatten().collect()
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

/// Returns a line for each distinct reason for skipping algorithms. `of` converts the number of cases to a text before
/// the colon.
pub(crate) fn left_out(
    causes: impl IntoIterator<Item = impl ToString>,
    of: impl Fn(usize) -> String,
) -> Vec<String> {
    let mut times: Vec<(String, usize)> = Vec::new();
    for cause in causes.into_iter().map(|cause| cause.to_string()) {
        match times.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, times)) => *times += 1,
            None => times.push((cause, 1)),
        }
    }
    times.into_iter().map(|(cause, times)| format!("Skipped{}: {cause}.", of(times))).collect()
}
