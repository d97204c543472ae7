//! Schedule variants of an algorithm: candidate schedules that are made on demand.

use std::{
    fmt,
    sync::{Arc, LazyLock},
};

use super::{
    super::{
        PlanError, Problem,
        effort::{Budget, Effort},
        predict::Prediction,
        problem::Planned,
    },
    Algorithm,
};
use crate::time::{Span, Time};

/// Makes the draft of a variant for the problem that the variant was listed for. A nested search gets the incumbent's
/// time and a budget.
type Make<P> = Box<dyn Fn(&P, Time, &Budget) -> Result<<P as Planned>::Draft, PlanError> + Send + Sync>;

/// A lower bound on a variant's time, computed when it is first asked for.
type CostlyFloor = LazyLock<Span, Box<dyn FnOnce() -> Span + Send>>;

/// Converts a draft for a problem `P` into one for a related problem `Q`.
pub(crate) type Convert<P, Q> = fn(&Q, &P, <P as Planned>::Draft) -> <Q as Planned>::Draft;

/// A candidate schedule of an algorithm. The schedule is made only if the variant could be the fastest.
pub(crate) struct Variant<P: Problem> {
    /// The algorithm that the variant belongs to.
    pub(super) of: Option<Algorithm<P>>,
    name: String,
    floor: Span,
    costly_floor: Option<CostlyFloor>,
    estimate: Span,
    messages: u64,
    identity: Option<String>,
    is_searched: bool,
    make: Make<P>,
}

impl<P: Problem> Variant<P> {
    /// Creates a variant of this name. The name may be empty if the algorithm has only one variant.
    pub(crate) fn new(
        name: impl Into<String>,
        make: impl Fn(&P) -> Result<P::Draft, PlanError> + Send + Sync + 'static,
    ) -> Variant<P> {
        Variant::with(name.into(), false, Box::new(move |problem, _, _| make(problem)))
    }

    /// Creates a variant whose draft is found by a nested search. The search gets the incumbent's time and a budget,
    /// and fails if it finds nothing faster.
    pub(crate) fn searched(
        name: impl Into<String>,
        search: impl Fn(&P, Time, &Budget) -> Result<P::Draft, PlanError> + Send + Sync + 'static,
    ) -> Variant<P> {
        Variant::with(name.into(), true, Box::new(search))
    }

    fn with(name: String, is_searched: bool, make: Make<P>) -> Variant<P> {
        let (floor, estimate) = (Span::ZERO, Span::ZERO);
        Variant {
            of: None,
            name,
            floor,
            costly_floor: None,
            estimate,
            messages: 0,
            identity: None,
            is_searched,
            make,
        }
    }

    /// Converts the variant, listed for a problem `P`, into one of this name for a related problem `Q`.
    pub(in super::super) fn converted<Q: Problem>(
        self,
        name: String,
        problem: Arc<P>,
        convert: Convert<P, Q>,
    ) -> Variant<Q> {
        let Variant { floor, costly_floor, estimate, messages, is_searched, make, .. } = self;
        let make = move |wanted: &Q, limit: Time, budget: &Budget| {
            Ok(convert(wanted, &problem, make(&problem, limit, budget)?))
        };
        Variant {
            floor,
            costly_floor,
            estimate,
            messages,
            ..Variant::with(name, is_searched, Box::new(make))
        }
    }

    /// Raises the lower bound on the variant's time to at least `floor`.
    pub(crate) fn at_least(self, floor: Span) -> Variant<P> {
        Variant { floor: self.floor.max(floor), ..self }
    }

    /// Adds a lower bound on the variant's time that is costly to compute.
    pub(crate) fn at_least_as(self, floor: impl FnOnce() -> Span + Send + 'static) -> Variant<P> {
        Variant { costly_floor: Some(LazyLock::new(Box::new(floor))), ..self }
    }

    /// Sets the closed-form estimate of the time.
    pub(crate) fn estimated(self, estimate: Span) -> Variant<P> {
        Variant { estimate, ..self }
    }

    /// Sets the approximate number of messages of the schedule.
    pub(crate) fn of_messages(self, messages: u64) -> Variant<P> {
        Variant { messages, ..self }
    }

    /// Sets an identity text, which is equal for all variants, of any algorithm, that make the same schedule.
    pub(crate) fn identified(self, identity: String) -> Variant<P> {
        Variant { identity: Some(identity), ..self }
    }

    /// Returns the variant's algorithm; `None` before the variant is listed.
    pub(crate) fn algorithm(&self) -> Option<&Algorithm<P>> {
        self.of.as_ref()
    }

    /// Assigns the variant to this algorithm. By default it belongs to the algorithm that lists it.
    pub(crate) fn by(self, algorithm: Algorithm<P>) -> Variant<P> {
        Variant { of: Some(algorithm), ..self }
    }

    /// Returns the name, which is unique among the variants of the algorithm.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns a lower bound on the time, known before the schedule is made.
    pub(crate) fn floor(&self) -> Span {
        self.costly_floor.as_ref().map_or(self.floor, |floor| self.floor.max(**floor))
    }

    /// Returns the closed-form time; 0 if there is none.
    pub(crate) fn estimate(&self) -> Span {
        self.estimate
    }

    /// Returns the approximate number of messages of the schedule; 0 if unknown.
    pub(crate) fn messages(&self) -> u64 {
        self.messages
    }

    /// Returns the text shared by all variants that make the same schedule.
    pub(crate) fn identity(&self) -> Option<&str> {
        self.identity.as_deref()
    }

    /// Returns whether the draft is found by a nested search.
    pub(crate) fn is_searched(&self) -> bool {
        self.is_searched
    }

    /// Makes the schedule without an incumbent.
    pub(crate) fn draft(&self, problem: &P) -> Result<P::Draft, PlanError> {
        self.draft_within(problem, Time::MAX, &Budget::of(Effort::default()))
    }

    /// Makes the schedule. The incumbent's time and the budget bound a nested search.
    pub(crate) fn draft_within(
        &self,
        problem: &P,
        limit: Time,
        budget: &Budget,
    ) -> Result<P::Draft, PlanError> {
        (self.make)(problem, limit, budget)
    }
}

/// A variant's draft with its prediction.
pub(crate) struct Predicted<P: Problem> {
    pub(crate) draft: P::Draft,
    pub(crate) prediction: Prediction,
}

impl<P: Problem> fmt::Debug for Variant<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variant({:?}, at least {})", self.name, self.floor())
    }
}
