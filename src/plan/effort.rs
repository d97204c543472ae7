//! Search effort: the step budget of a search.

use std::cell::Cell;

/// Search effort of *Auto*: a budget of steps of schedules. Because the budget is not in seconds, every host finds the
/// same plan. For exchanges with more than ten thousand messages, *Auto* tries all candidates only with
/// [`Thorough`](Effort::Thorough).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
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
    pub const ALL: [Effort; 3] = [Effort::Quick, Effort::Normal, Effort::Thorough];

    /// Returns the name: `quick`, `normal` or `thorough`.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Quick => "quick",
            Effort::Normal => "normal",
            Effort::Thorough => "thorough",
        }
    }

    /// Returns the maximum number of steps of all schedules that are made and predicted.
    fn steps(self) -> u64 {
        match self {
            Effort::Quick => NORMAL / 10,
            Effort::Normal => NORMAL,
            Effort::Thorough => u64::MAX,
        }
    }
}

/// Steps of a search with [`Effort::Normal`]. Making and predicting a step takes 0.1 to 1 us of processor time: 1.7
/// million steps took 1.8 s on `paragon:32x32`.
const NORMAL: u64 = 1 << 24;

/// The remaining step budget of a search.
pub(crate) struct Budget {
    steps: Cell<u64>,
    left_out: Cell<usize>,
}

impl Budget {
    /// Returns the budget of an effort.
    pub(crate) fn of(effort: Effort) -> Budget {
        Budget::of_steps(effort.steps())
    }

    /// Creates a budget of this number of steps.
    pub(super) fn of_steps(steps: u64) -> Budget {
        Budget { steps: Cell::new(steps), left_out: Cell::new(0) }
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
