//! The progress of a command, on standard error.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tracing::level_filters::LevelFilter;

/// A bar that grows by one for every run. It is drawn on a terminal only, and not into logs. Nothing moves it while a
/// run is under way, so that it takes no time from one in real time.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// An empty bar for so many runs.
    pub(super) fn new(runs: usize) -> Progress {
        let target = match LevelFilter::current() {
            LevelFilter::OFF => ProgressDrawTarget::stderr(),
            _ => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("{bar:24} {pos} of {len}  {msg}");
        let bar = ProgressBar::with_draw_target(Some(runs as u64), target);
        Progress(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// A bar that nobody sees.
    pub(super) fn hidden() -> Progress {
        Progress(ProgressBar::hidden())
    }

    /// An empty bar for work that takes about so many milliseconds together, which says how much time is left.
    pub(super) fn timed(millis: u64) -> Progress {
        let progress = Progress::new(0);
        progress.0.set_length(millis);
        let style = ProgressStyle::with_template("{bar:24} {percent} %, {eta} left  {msg}");
        progress.0.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        progress
    }

    /// Counts a part of the work that was to take about so many milliseconds.
    pub(super) fn advance(&self, millis: u64) {
        self.0.inc(millis);
    }

    /// Says what is run next.
    pub(super) fn begin(&self, run: &str) {
        self.0.set_message(run.to_owned());
        self.0.tick();
    }

    /// Says something that stays, on a line of its own.
    pub(super) fn say(&self, text: &str) {
        // Nobody is there to be told if standard error is closed.
        self.0.suspend(|| drop(writeln!(io::stderr(), "{text}")));
    }

    /// Does something that prints, without the bar.
    pub(super) fn shown<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    /// Counts a run that has ended.
    pub(super) fn end(&self) {
        self.0.inc(1);
    }
}

/// The bar leaves no trace behind.
impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
