//! Runs over MPI: spread of their times, ratio to MPI's native operation, and prediction errors.

use std::fmt::{self, Write};

use multicomputer::{Span, report::RunReport};
use multicomputer_published::median;

use super::{Column, Comparison, Figure, Ran, Results, Row, left_out, mean, title};

/// The times of several calls: minimum, first quartile, third quartile, maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spread {
    least: Span,
    lower: Span,
    upper: Span,
    most: Span,
    repetitions: usize,
}

impl Ran {
    /// Returns the figures of repeated calls, at least one; the time is the median, and the report is that of one call.
    #[cfg_attr(
        not(feature = "mpi"),
        expect(dead_code, reason = "only over MPI are calls repeated like that")
    )]
    pub(super) fn measured((report, mut times): (RunReport, Vec<Span>)) -> Ran {
        times.sort_unstable();
        let at = |part: usize| times[(times.len() - 1) * part / 4];
        let spread =
            Spread { least: at(0), lower: at(1), upper: at(3), most: at(4), repetitions: times.len() };
        let time = at(2);
        let wall = std::time::Duration::from_nanos(time.as_picos() / 1000);
        Ran { spread: Some(spread), ..Ran::of(&report, time, wall) }
    }
}

/// Returns the columns of runs over MPI.
pub(super) fn columns<'a, C: Comparison>() -> [Column<'a, Row<'a, C>>; 9] {
    fn spread<C: Comparison>(row: &Row<'_, C>, of: impl Fn(Spread) -> Span) -> Option<Span> {
        mean(row.runs().filter_map(|ran| ran.spread).map(of))
    }
    [
        Column::new("wall", Row::starred).titled(title("wall")),
        Column::new("least_us", |row: &Row<'a, C>| spread(row, |spread| spread.least)).titled("min"),
        Column::new("lower_us", |row: &Row<'a, C>| spread(row, |spread| spread.lower)).titled("1st quartile"),
        Column::new("upper_us", |row: &Row<'a, C>| spread(row, |spread| spread.upper)).titled("3rd quartile"),
        Column::new("most_us", |row: &Row<'a, C>| spread(row, |spread| spread.most)).titled("max"),
        Column::new("repetitions", |row: &Row<'a, C>| row.ran()?.spread.map(|spread| spread.repetitions)),
        Column::new("mpi_ratio", Row::over_mpi).titled("/ mpi"),
        Column::new("predicted_us", |row: &Row<'a, C>| row.predicted()).titled("predicted"),
        Column::new("prediction_error", |row: &Row<'a, C>| {
            row.prediction_error().map_or(Figure::None, Figure::Percent)
        })
        .titled("error %"),
    ]
}

impl<C: Comparison> Row<'_, C> {
    /// Returns the mean prediction of all attempts.
    fn predicted(&self) -> Option<Span> {
        mean(self.attempts.iter().filter_map(|attempt| attempt.predicted))
    }

    /// Returns the ratio of the time to the time of MPI's native operation.
    fn over_mpi(&self) -> Option<f64> {
        let native = self.solved.lines.iter().position(|line| self.of.is_mpi(&line.algorithm))?;
        let native = self.solved.row(self.of, native).run_time().filter(|time| !time.is_zero())?;
        let is_ours = !self.of.is_mpi(&self.line.algorithm);
        self.run_time().filter(|_| is_ours).map(|time| time.as_secs_f64() / native.as_secs_f64())
    }

    /// Returns the relative error of the prediction: predicted time over measured time, minus 1.
    fn prediction_error(&self) -> Option<f64> {
        let (predicted, time) = (self.predicted()?, self.run_time()?);
        (!time.is_zero()).then(|| predicted.as_secs_f64() / time.as_secs_f64() - 1.0)
    }
}

impl<'a, C: Comparison> Results<'a, C> {
    /// Returns whether the runs were over MPI.
    pub(crate) fn is_over_mpi(&self) -> bool {
        self.solved.iter().any(|solved| solved.case.is_over_mpi())
    }

    /// Writes the results of runs over MPI. One case has a table with all figures, of which `choice` is the last
    /// column. Several cases, which differ in the columns `keys`, have tables of times, ratios to MPI's native
    /// operation, and prediction errors.
    pub(crate) fn show_measured(
        &self,
        heading: &str,
        keys: &str,
        choice: &str,
        text: &mut String,
    ) -> fmt::Result {
        let unit = self.unit(|row| [row.time(), row.predicted()]);
        if self.solved.len() == 1 {
            let names = format!(
                "algorithm wall least_us lower_us upper_us most_us mpi_ratio? predicted_us prediction_error messages \
                 bytes_sent {choice}"
            );
            writeln!(text, "{heading}\n\n{}", self.table(&names, unit))?;
        } else {
            let mut names: Vec<String> = Vec::new();
            for name in
                self.solved.iter().flat_map(|solved| &solved.lines).map(|line| line.algorithm.to_string())
            {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let of_all = |figure: fn(&Row<'a, C>) -> Figure| {
                let figure = move |row: Option<&Row<'a, C>>| row.map_or(Figure::None, figure);
                self.by_algorithm([keys, ""], names.iter().zip(&names), unit, figure)
            };
            writeln!(text, "{heading}; wall times in {}\n", unit.name())?;
            writeln!(text, "{}", self.times([keys, ""], &names, unit))?;
            if self.rows().iter().any(|row| row.over_mpi().is_some()) {
                let ratios = of_all(|row| row.over_mpi().into());
                writeln!(text, "Times divided by that of MPI's operation:\n\n{ratios}")?;
            }
            let errors = of_all(|row| row.prediction_error().map_or(Figure::None, Figure::Percent));
            writeln!(text, "Prediction errors, percent of the measured time:\n\n{errors}")?;
        }
        writeln!(text, "{}", self.measured_notes())?;
        let causes = self.refusals(|_, cause| cause.to_owned());
        let left_out = left_out(causes, |times| match self.solved.len() {
            all if all == times => String::new(),
            all => format!(" in {times} of {all} cases"),
        });
        left_out.iter().try_for_each(|note| writeln!(text, "{note}"))
    }

    /// Returns notes: how times were measured, the median prediction error, and the median ratio to MPI's native
    /// operation.
    fn measured_notes(&self) -> String {
        let rows = self.rows();
        let repetitions =
            rows.iter().filter_map(|row| row.ran()?.spread).map(|spread| spread.repetitions).max();
        let mut notes = vec![format!(
            "* is the fastest. Times are medians of {} calls after one warm-up call. Every call begins after \
             a barrier, and its time is that of the slowest rank, by its own clock.",
            repetitions.unwrap_or(0)
        )];
        notes
            .push("Every rank checked every byte that it received in the first and in the last call.".into());
        if let Some(error) = median(rows.iter().filter_map(Row::prediction_error).map(f64::abs).collect()) {
            let machine = self.solved[0].case.spec.name();
            notes.push(format!(
                "Predictions are for the machine {machine}; their median error is {:.0} %.",
                100.0 * error
            ));
        }
        let least = |solved: &'a super::Solved<C>| {
            solved.rows(self.of).iter().filter_map(Row::over_mpi).min_by(f64::total_cmp)
        };
        let least: Vec<f64> = self.solved.iter().filter_map(least).collect();
        if let Some(median) = median(least.clone()) {
            let fast = least.iter().filter(|ratio| **ratio <= 1.0).count();
            notes.push(match least[..] {
                [ratio] => format!("The fastest algorithm takes {ratio:.2} times as long as MPI's operation."),
                _ => format!(
                    "The fastest algorithm takes {median:.2} times as long as MPI's operation (median), and is at \
                     least as fast in {fast} of {} cases.",
                    least.len()
                ),
            });
        }
        notes.join("\n")
    }
}
