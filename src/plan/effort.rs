//! Search effort: the step budget of a search, and the observer of its progress.

use std::{
    cell::Cell,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Search effort of *Auto*: a budget of steps of schedules. Because the budget is not in seconds, every host finds the
/// same plan. For exchanges with more than ten thousand messages, *Auto* tries all candidates only with
/// [`Thorough`](Effort::Thorough).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// No search: only the tunings of the schedule with the smallest closed-form time are compared, and algorithms without closed forms.
    /// The schedules of related problems are left out. Exchanges, which have few candidates, are planned as with [`Quick`](Effort::Quick).
    Estimate,
    /// One tenth of the steps of [`Normal`](Effort::Normal).
    Quick,
    /// Up to 2^24 steps: at most some 15 s of processor time on a thousand nodes. On tens of thousands of nodes a
    /// single schedule may take minutes, and one is always tried.
    #[default]
    Normal,
    /// No limit: all candidates are tried.
    Thorough,
}

impl Effort {
    /// All efforts, in ascending order.
    pub const ALL: [Effort; 4] = [Effort::Estimate, Effort::Quick, Effort::Normal, Effort::Thorough];

    /// Returns the name: `estimate`, `quick`, `normal` or `thorough`.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Estimate => "estimate",
            Effort::Quick => "quick",
            Effort::Normal => "normal",
            Effort::Thorough => "thorough",
        }
    }

    /// Returns a search of this effort that calls `observer` with its progress after every schedule variant, on the thread that tried the
    /// variant.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
    /// use multicomputer::{plan::Effort, s_to_p::{Algorithm, Instance}};
    ///
    /// let instance = Instance::new(&"paragon:4x4".parse()?, &[0, 5], &[4096, 4096])?;
    /// let tried = Arc::new(AtomicU64::new(0));
    /// let count = tried.clone();
    /// let search = Effort::Quick.observed(move |progress| {
    ///     count.fetch_max(progress.tried, Ordering::Relaxed);
    /// });
    /// Algorithm::AUTO.plan_with(&instance, search)?;
    /// assert!(tried.load(Ordering::Relaxed) >= 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observed(self, observer: impl Fn(Progress) + Send + Sync + 'static) -> Search {
        Search { effort: self, observer: Some(Arc::new(observer)) }
    }

    /// Returns the maximum number of steps of all schedules that are made and predicted.
    fn steps(self) -> u64 {
        match self {
            Effort::Estimate | Effort::Quick => NORMAL / 10,
            Effort::Normal => NORMAL,
            Effort::Thorough => u64::MAX,
        }
    }
}

/// Steps of a search with [`Effort::Normal`]. Making and predicting a step takes 0.1 to 1 us of processor time: 1.7
/// million steps took 1.8 s on `paragon:32x32`.
const NORMAL: u64 = 1 << 24;

/// The progress of a search, in schedule variants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of variants listed so far. A search may list more later, and may prune variants without trying them.
    pub listed: u64,
    /// The number of variants tried so far.
    pub tried: u64,
}

type Observer = Arc<dyn Fn(Progress) + Send + Sync>;

/// The settings of a search: its effort, and an [observer](Effort::observed) of its progress if there is one.
#[derive(Clone, Default)]
pub struct Search {
    effort: Effort,
    observer: Option<Observer>,
}

impl From<Effort> for Search {
    fn from(effort: Effort) -> Search {
        Search { effort, observer: None }
    }
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_observed = self.observer.is_some();
        f.debug_struct("Search").field("effort", &self.effort).field("is_observed", &is_observed).finish()
    }
}

/// The numbers of variants that a search and its nested searches have listed and tried, if the search is observed.
#[derive(Clone, Default)]
pub(super) struct Counts(Option<Arc<(AtomicU64, AtomicU64, Observer)>>);

impl Counts {
    /// Counts variants that are listed.
    pub(super) fn list(&self, variants: usize) {
        if let Some((listed, ..)) = self.0.as_deref() {
            listed.fetch_add(variants as u64, Ordering::Relaxed);
        }
    }

    /// Counts a variant that has been tried, and reports the progress.
    pub(super) fn try_one(&self) {
        if let Some((listed, tried, observer)) = self.0.as_deref() {
            let tried = tried.fetch_add(1, Ordering::Relaxed) + 1;
            observer(Progress { listed: listed.load(Ordering::Relaxed), tried });
        }
    }
}

/// The remaining step budget of a search.
pub(crate) struct Budget {
    steps: Cell<u64>,
    is_by_estimate: bool,
    left_out: Cell<usize>,
    counts: Counts,
}

impl Budget {
    /// Returns the budget of a search.
    pub(crate) fn of(search: impl Into<Search>) -> Budget {
        let Search { effort, observer } = search.into();
        let counts = observer.map(|observer| Arc::new((AtomicU64::new(0), AtomicU64::new(0), observer)));
        let is_by_estimate = effort == Effort::Estimate;
        Budget { is_by_estimate, ..Budget::of_steps(effort.steps(), Counts(counts)) }
    }

    /// Creates a budget of this number of steps for a nested search.
    pub(super) fn of_steps(steps: u64, counts: Counts) -> Budget {
        Budget { steps: Cell::new(steps), is_by_estimate: false, left_out: Cell::new(0), counts }
    }

    /// Returns the counts of variants.
    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns the number of steps left.
    pub(super) fn left(&self) -> u64 {
        self.steps.get()
    }

    /// Takes steps from the budget.
    pub(crate) fn spend(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_sub(steps));
    }

    /// Returns whether this is the budget of [`Effort::Thorough`]: more steps than that of [`Effort::Normal`].
    pub(crate) fn is_unlimited(&self) -> bool {
        self.steps.get() > NORMAL
    }

    /// Returns whether closed forms choose, as with [`Effort::Estimate`].
    pub(super) fn is_by_estimate(&self) -> bool {
        self.is_by_estimate
    }

    /// Returns whether no steps are left.
    pub(crate) fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }

    /// Counts variants that are not tried because the budget is spent.
    pub(crate) fn leave(&self, variants: usize) {
        self.left_out.set(self.left_out.get() + variants);
    }

    /// Returns the number of variants that were not tried because the budget was spent.
    pub(crate) fn left_out(&self) -> usize {
        self.left_out.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::{Algorithm, Operation, Task};

    /// Tests that without a search the plan is that of an algorithm for the operation itself, and hardly slower on a regular network.
    #[test]
    fn closed_forms_choose_nearly_the_fastest_schedule() {
        let machine = "hypercube:16".parse().unwrap();
        for operation in Operation::ALL {
            for elements in [1, 100, 10_000] {
                let task =
                    Task::builder(&machine, operation).elements(elements).element_bytes(8).build().unwrap();
                let plan = |effort: Effort| Algorithm::AUTO.plan_with(&task, effort).unwrap();
                let (estimated, searched) = (plan(Effort::Estimate), plan(Effort::Normal));
                assert!(!estimated.is_complete() && searched.is_complete());
                assert!(![&Algorithm::SOURCES, &Algorithm::WIDER].contains(&estimated.algorithm()));
                let [slower, faster] =
                    [estimated, searched].map(|plan| plan.prediction().modeled.since_start());
                assert!(slower <= faster.times(2) && faster <= slower, "{operation}, {elements} elements");
            }
        }
    }

    /// Tests that a schedule whose messages are too long gives way to the next one by estimate.
    #[test]
    fn closed_forms_choose_a_schedule_that_can_be_sent() {
        let machine = "complete:2".parse().unwrap();
        for operation in [Operation::Broadcast, Operation::Reduce, Operation::AllReduce] {
            let task =
                Task::builder(&machine, operation).elements(300_000_000).element_bytes(4).build().unwrap();
            assert!(Algorithm::AUTO.plan_with(&task, Effort::Estimate).is_ok(), "{operation}");
        }
    }
}
