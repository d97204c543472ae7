//! The progress of a command, on standard error.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicU64, Ordering},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span::{Attributes, Id},
};
use tracing_subscriber::{
    Layer, Registry,
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
};

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

    /// Plans a run, and says meanwhile how many ways have been tried: on large machines there are many, and they take long.
    pub(super) fn planning<T>(&self, run: &str, plan: impl FnOnce() -> T) -> T {
        if self.0.is_hidden() {
            return plan();
        }
        let tried = Tried::new(self.0.clone(), run);
        tracing::subscriber::with_default(Registry::default().with(tried), plan)
    }

    /// Says something that stays, on a line of its own.
    pub(super) fn say(&self, text: &str) {
        // If standard error is closed, the message is lost.
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

/// Counts the ways that are tried for a plan, by the spans of the choice among them.
struct Tried {
    bar: ProgressBar,
    run: String,
    listed: AtomicU64,
    tried: AtomicU64,
}

impl Tried {
    fn new(bar: ProgressBar, run: &str) -> Tried {
        Tried { bar, run: run.to_owned(), listed: AtomicU64::new(0), tried: AtomicU64::new(0) }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Tried {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        if attributes.metadata().name() == "search" {
            attributes.record(&mut Listed(&self.listed));
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if context.metadata(&id).is_some_and(|span| span.name() == "variant") {
            let tried = self.tried.fetch_add(1, Ordering::Relaxed) + 1;
            let listed = self.listed.load(Ordering::Relaxed);
            self.bar.set_message(format!("{}: {tried} of at most {listed} variants tried", self.run));
        }
    }
}

/// Adds up the numbers of variants.
struct Listed<'a>(&'a AtomicU64);

impl Visit for Listed<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "variants" {
            self.0.fetch_add(value, Ordering::Relaxed);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use multicomputer::s_to_p::{Algorithm, Instance};

    use super::*;

    #[test]
    fn the_ways_that_are_tried_are_counted_on_all_threads() {
        let instance = Instance::new(&"paragon:4x4".parse().unwrap(), &[0, 5], &[4096, 4096]).unwrap();
        let bar = ProgressBar::hidden();
        let tried = Tried::new(bar.clone(), "auto");
        tracing::subscriber::with_default(Registry::default().with(tried), || {
            Algorithm::AUTO.plan(&instance).map(drop).unwrap();
        });
        let message = bar.message();
        let numbers: Vec<u64> = message.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [tried, listed] = numbers[..] else { panic!("{message}") };
        assert!(message.starts_with("auto: ") && (20..=listed).contains(&tried), "{message}");
    }
}
