//! Problems that are related: a schedule of one carries out another one, so that its variants are candidates there.

use std::sync::Arc;

use super::{Algorithm, PlanError, Problem, Variant};
use crate::time::Span;

/// A problem that other problems are related to, of the same library or of another one.
pub(crate) trait Related: Problem {
    /// The variants of problems that are equal to this one, in other words.
    fn equal(&self) -> Vec<Variant<Self>>;

    /// The variants of problems that want more than this one, and so carry it out as well.
    fn wider(&self) -> Vec<Variant<Self>>;
}

/// Makes a draft of a problem `Q` from one of a related problem `P`, which is given too.
pub(crate) type Convert<P, Q> =
    fn(&Q, &P, <P as super::Planned>::Draft) -> Result<<Q as super::Planned>::Draft, PlanError>;

/// A problem whose schedules carry out a problem `Q`.
pub(crate) struct Solver<P: Problem, Q: Problem> {
    /// The problem.
    pub(crate) problem: Arc<P>,
    /// The algorithm that variants are listed by.
    pub(crate) listed_by: Algorithm<Q>,
    /// The words for the problem, in names of variants.
    pub(crate) named: &'static str,
    /// A lower bound of the time of every schedule of the problem.
    pub(crate) bound: Span,
    /// The conversion of drafts.
    pub(crate) convert: Convert<P, Q>,
}

impl<P: Problem, Q: Problem> Solver<P, Q> {
    /// The variants of the problem as variants of `Q`.
    pub(crate) fn variants(&self, of: Vec<Variant<P>>) -> impl Iterator<Item = Variant<Q>> {
        of.into_iter().map(|variant| self.variant(variant))
    }

    fn variant(&self, variant: Variant<P>) -> Variant<Q> {
        let algorithm = variant.algorithm().map_or_else(String::new, ToString::to_string);
        let name = match variant.name() {
            "" => format!("{}, {algorithm}", self.named),
            name => format!("{}, {algorithm}, {name}", self.named),
        };
        let floor = variant.floor().max(self.bound);
        let (estimate, messages) = (variant.estimate(), variant.messages());
        let (problem, convert) = (self.problem.clone(), self.convert);
        Variant::new(name, move |wanted: &Q| convert(wanted, &problem, variant.draft(&problem)?))
            .at_least(floor)
            .estimated(estimate)
            .of_messages(messages)
            .by(self.listed_by.clone())
    }
}
