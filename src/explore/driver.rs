//! Runs the prefixes that are left, several at once, until there are none or the budget is spent.

use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use super::{
    Budget, ExploreError,
    log::{RankLog, RankScript},
    search::{Prefix, alternatives},
};

/// The largest number of events of all prefixes that are left, each of some 20 bytes.
const MAX_EVENTS: usize = 1 << 25;

/// Makes one run with the given decisions.
pub(super) type RunWith<'r> = dyn Fn(&[RankScript]) -> Result<Vec<RankLog>, ExploreError> + Sync + 'r;

/// What an exploration has covered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) runs: u64,
    /// The estimated fraction of all executions; 1 if none is left.
    pub(super) covered: f64,
    pub(super) is_complete: bool,
}

/// A prefix to be run, with its estimated fraction of all executions.
struct Work {
    prefix: Prefix,
    share: f64,
}

struct Progress {
    left: Vec<Work>,
    /// The number of events of these.
    events: usize,
    /// Whether alternatives were dropped.
    is_partial: bool,
    running: usize,
    runs: u64,
    covered: f64,
    error: Option<ExploreError>,
}

/// Explores all executions.
pub(super) fn explore(budget: &Budget, run: &RunWith<'_>) -> Result<Extent, ExploreError> {
    let progress = Mutex::new(Progress {
        left: vec![Work { prefix: Prefix::default(), share: 1.0 }],
        events: 0,
        is_partial: false,
        running: 0,
        runs: 0,
        covered: 0.0,
        error: None,
    });
    let changed = Condvar::new();
    let until = budget.host_time.and_then(|time| Instant::now().checked_add(time));
    let is_late = || until.is_some_and(|until| Instant::now() >= until);
    let next = || {
        let mut progress = progress.lock();
        loop {
            if progress.error.is_some() || progress.runs >= budget.runs || is_late() {
                return None;
            }
            if let Some(work) = progress.left.pop() {
                progress.runs += 1;
                progress.running += 1;
                progress.events -= work.prefix.events();
                return Some(work);
            }
            if progress.running == 0 {
                return None;
            }
            changed.wait(&mut progress);
        }
    };
    let work = || {
        while let Some(Work { prefix, share }) = next() {
            let ran = run(&prefix.script).and_then(|logs| {
                let room = {
                    let progress = progress.lock();
                    // Without runs that are left, they need no memory.
                    if progress.runs < budget.runs { MAX_EVENTS.saturating_sub(progress.events) } else { 0 }
                };
                alternatives(&logs, &prefix, room)
                    .map_err(|differs| ExploreError::Differs { rank: differs.rank })
            });
            let mut progress = progress.lock();
            progress.running -= 1;
            match ran {
                Ok(others) => {
                    let share = share / (others.prefixes.len() as u64 + others.dropped + 1) as f64;
                    progress.covered += share;
                    progress.is_partial |= others.dropped > 0;
                    progress.events += others.prefixes.iter().map(Prefix::events).sum::<usize>();
                    progress.left.extend(others.prefixes.into_iter().map(|prefix| Work { prefix, share }));
                }
                Err(error) => drop(progress.error.get_or_insert(error)),
            }
            changed.notify_all();
        }
        changed.notify_all();
    };
    std::thread::scope(|scope| {
        for _ in 1..budget.threads {
            scope.spawn(work);
        }
        work();
    });
    let Progress { left, is_partial, runs, covered, error, .. } = progress.into_inner();
    let is_complete = left.is_empty() && !is_partial;
    match error {
        Some(error) => Err(error),
        None => Ok(Extent { runs, covered: if is_complete { 1.0 } else { covered.min(1.0) }, is_complete }),
    }
}
