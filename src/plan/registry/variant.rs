//! The ways in which an algorithm can go about a problem: schedules that have not been made yet.

use std::fmt;

use super::{
    super::{PlanError, Problem, predict::Prediction, problem::Planned},
    Algorithm,
};
use crate::time::Span;

/// Makes the draft of a variant for the problem that it was listed for.
type Make<P> = Box<dyn Fn(&P) -> Result<<P as Planned>::Draft, PlanError> + Send + Sync>;

/// One way to do it, made only when it could be the fastest.
pub(crate) struct Variant<P: Problem> {
    /// The algorithm that it is of.
    pub(super) of: Option<Algorithm<P>>,
    name: String,
    floor: Span,
    estimate: Span,
    messages: u64,
    identity: Option<String>,
    make: Make<P>,
}

impl<P: Problem> Variant<P> {
    /// A variant of this name, which may be empty if it is the only one of its algorithm.
    pub(crate) fn new(
        name: impl Into<String>,
        make: impl Fn(&P) -> Result<P::Draft, PlanError> + Send + Sync + 'static,
    ) -> Variant<P> {
        Variant {
            of: None,
            name: name.into(),
            floor: Span::ZERO,
            estimate: Span::ZERO,
            messages: 0,
            identity: None,
            make: Box::new(make),
        }
    }

    /// The same, known to take at least this long.
    pub(crate) fn at_least(self, floor: Span) -> Variant<P> {
        Variant { floor, ..self }
    }

    /// The same with the time that a closed form gives it.
    pub(crate) fn estimated(self, estimate: Span) -> Variant<P> {
        Variant { estimate, ..self }
    }

    /// The same with about as many messages as its schedule has.
    pub(crate) fn of_messages(self, messages: u64) -> Variant<P> {
        Variant { messages, ..self }
    }

    /// The same with a text that it has in common with all variants, of whatever algorithm, that make the same schedule.
    pub(crate) fn identified(self, identity: String) -> Variant<P> {
        Variant { identity: Some(identity), ..self }
    }

    /// The algorithm that it is of, once it is listed.
    pub(crate) fn algorithm(&self) -> Option<&Algorithm<P>> {
        self.of.as_ref()
    }

    /// The same as a variant of this algorithm; otherwise it is one of the algorithm that lists it.
    pub(crate) fn by(self, algorithm: Algorithm<P>) -> Variant<P> {
        Variant { of: Some(algorithm), ..self }
    }

    /// The name that tells it from the others of its algorithm.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A lower limit of its time that is known before it is made.
    pub(crate) fn floor(&self) -> Span {
        self.floor
    }

    /// The time by a closed form; 0 if there is none.
    pub(crate) fn estimate(&self) -> Span {
        self.estimate
    }

    /// About as many messages as its schedule has; 0 if that is not known.
    pub(crate) fn messages(&self) -> u64 {
        self.messages
    }

    /// The text that variants have in common that make the same schedule.
    pub(crate) fn identity(&self) -> Option<&str> {
        self.identity.as_deref()
    }

    /// Makes the schedule.
    pub(crate) fn draft(&self, problem: &P) -> Result<P::Draft, PlanError> {
        (self.make)(problem)
    }
}

/// A variant's draft with its prediction.
pub(crate) struct Predicted<P: Problem> {
    pub(crate) draft: P::Draft,
    pub(crate) prediction: Prediction,
}

impl<P: Problem> fmt::Debug for Variant<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variant({:?}, at least {})", self.name, self.floor)
    }
}
