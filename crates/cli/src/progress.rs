//! Progress bar of a command, on standard error.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use multicomputer::plan::{Effort, Search};
use tracing::level_filters::LevelFilter;

/// A bar that advances by one for every run. It is drawn on a terminal only, not into logs. It does not move during a
/// run, so that it takes no time from a run in real time.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Creates an empty bar for a number of runs.
    pub(super) fn new(runs: usize) -> Progress {
        let target = match LevelFilter::current() {
            LevelFilter::OFF => ProgressDrawTarget::stderr(),
            _ => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("{bar:24} {pos} of {len}  {msg}");
        let bar = ProgressBar::with_draw_target(Some(runs as u64), target);
        Progress(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// Creates a hidden bar.
    pub(super) fn hidden() -> Progress {
        Progress(ProgressBar::hidden())
    }

    /// Creates an empty bar that shows the time left, for work whose estimated total time is `millis` milliseconds.
    pub(super) fn timed(millis: u64) -> Progress {
        let progress = Progress::new(0);
        progress.0.set_length(millis);
        let style = ProgressStyle::with_template("{bar:24} {percent} %, {eta} left  {msg}");
        progress.0.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        progress
    }

    /// A bar for a number of cases, of which some are finished, that shows the time left.
    pub(super) fn of_cases(cases: u64, finished: u64) -> Progress {
        let progress = Progress::new(0);
        progress.0.set_length(cases);
        progress.0.set_position(finished);
        let style = ProgressStyle::with_template("{bar:24} {pos} of {len} cases, {eta} left");
        progress.0.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        progress
    }

    /// Advances a [timed](Self::timed) bar by a finished part of the work, whose estimated time is `millis` milliseconds.
    pub(super) fn advance(&self, millis: u64) {
        self.0.inc(millis);
    }

    /// Shows the name of the next run.
    pub(super) fn begin(&self, run: &str) {
        self.0.set_message(run.to_owned());
        self.0.tick();
    }

    /// Returns the search for the plan of a run; the bar shows the number of schedule variants tried, because a search
    /// takes long on large machines.
    pub(super) fn search(&self, run: &str, effort: Effort) -> Search {
        if self.0.is_hidden() { effort.into() } else { observed(self.0.clone(), run, effort) }
    }

    /// Prints a line that stays above the bar.
    pub(super) fn say(&self, text: &str) {
        // If standard error is closed, the message is lost.
        self.0.suspend(|| drop(writeln!(io::stderr(), "{text}")));
    }

    /// Calls `print` while the bar is hidden.
    pub(super) fn shown<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    /// Advances the bar by a finished run.
    pub(super) fn end(&self) {
        self.0.inc(1);
    }
}

/// Returns a search that shows its progress in the message of a bar.
fn observed(bar: ProgressBar, run: &str, effort: Effort) -> Search {
    let run = run.to_owned();
    effort.observed(move |progress| {
        bar.set_message(format!("{run}: {} of at most {} variants tried", progress.tried, progress.listed));
    })
}

/// Clears the bar.
impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use multicomputer::s_to_p::{Algorithm, Instance};

    use super::*;

    #[test]
    fn variants_are_counted_on_all_threads() {
        let instance = Instance::new(&"paragon:4x4".parse().unwrap(), &[0, 5], &[4096, 4096]).unwrap();
        let bar = ProgressBar::hidden();
        Algorithm::AUTO.plan_with(&instance, observed(bar.clone(), "auto", Effort::Normal)).unwrap();
        let message = bar.message();
        let numbers: Vec<u64> = message.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [tried, listed] = numbers[..] else { panic!("{message}") };
        assert!(message.starts_with("auto: ") && (20..=listed).contains(&tried), "{message}");
    }
}
