//! The algorithm registry: one entry per algorithm, in the algorithm's own file.
//!
//! Entries, algorithms and variants refer to each other, so they share one module.

mod algorithm;
mod custom;
mod variant;

pub use self::algorithm::Algorithm;
pub(crate) use self::variant::{Convert, Predicted, Variant};

use super::{PlanError, Problem, effort::Budget};
use crate::time::Time;

/// The registry entry of an algorithm.
pub(crate) struct Entry<P: Problem> {
    pub(crate) name: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    pub(crate) about: &'static str,
    source: &'static str,
    cost: &'static str,
    limits: &'static str,
    kinds: fn(P::Kind) -> bool,
    restrictions: &'static [Restriction<P>],
    is_predictable: bool,
    method: Method<P>,
    improve: Option<Improve<P>>,
}

/// A condition that a problem must meet.
pub(crate) struct Restriction<P: Problem> {
    /// The condition, as the error message states it.
    pub(crate) text: &'static str,
    pub(crate) is_met: fn(&P, &P::Parameter) -> bool,
    /// How a problem violates the condition, such as `there are 6`; empty if the condition needs no detail.
    pub(crate) found: fn(&P, &P::Parameter) -> String,
}

/// Lists the variants of an algorithm for a problem.
type List<P> = fn(&Planning<'_, P>) -> Result<Vec<Variant<P>>, PlanError>;

/// The variant that a search chose, with its prediction.
type Found<P> = Result<(Variant<P>, Predicted<P>), PlanError>;

/// Searches for the best variant.
type Search<P> = fn(&Planning<'_, P>, &Budget) -> Found<P>;

/// Searches for a variant faster than the incumbent: the time of the fastest listed variant.
type Improve<P> = fn(&P, Time, &Budget) -> Option<(Variant<P>, Predicted<P>)>;

/// How the plan is found.
enum Method<P: Problem> {
    /// By taking the fastest of all variants.
    Variants(List<P>),
    /// By an algorithm-specific search.
    Search(Search<P>),
}

impl<P: Problem> Clone for Method<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Problem> Copy for Method<P> {}

/// The input from which an algorithm lists its variants.
pub(crate) struct Planning<'a, P: Problem> {
    /// The problem.
    pub(crate) problem: &'a P,
    /// The choice that the algorithm leaves open, such as a seed.
    pub(crate) parameter: &'a P::Parameter,
    /// Intermediate results shared by several algorithms.
    pub(crate) workspace: &'a P::Workspace,
    /// Whether *Auto* lists the variants of related problems, too.
    pub(crate) with_related: bool,
}

impl<P: Problem> Entry<P> {
    /// Creates the entry of an algorithm that takes the fastest of its variants. By default the entry is for all kinds
    /// of problems and has no restrictions.
    pub(crate) const fn new(name: &'static str, variants: List<P>) -> Entry<P> {
        Entry::with(name, Method::Variants(variants))
    }

    /// Creates the entry of an algorithm that has its own search.
    pub(crate) const fn searching(name: &'static str, search: Search<P>) -> Entry<P> {
        Entry::with(name, Method::Search(search))
    }

    const fn with(name: &'static str, method: Method<P>) -> Entry<P> {
        Entry {
            name,
            title: name,
            aliases: &[],
            about: "",
            source: "",
            cost: "",
            limits: "",
            kinds: |_| true,
            restrictions: &[],
            is_predictable: true,
            method,
            improve: None,
        }
    }

    /// Sets the one-line description.
    pub(crate) const fn about(self, about: &'static str) -> Entry<P> {
        Entry { about, ..self }
    }

    /// Sets the publication that describes the algorithm.
    pub(crate) const fn source(self, source: &'static str) -> Entry<P> {
        Entry { source, ..self }
    }

    /// Sets the cost formula, in the symbols of the timing model.
    pub(crate) const fn cost(self, cost: &'static str) -> Entry<P> {
        Entry { cost, ..self }
    }

    /// Sets the limits that are not [restrictions](Entry::only_if): limits that show only while a plan is made, or that
    /// do not prevent a plan.
    pub(crate) const fn limits(self, limits: &'static str) -> Entry<P> {
        Entry { limits, ..self }
    }

    /// Sets a different name for messages.
    pub(crate) const fn title(self, title: &'static str) -> Entry<P> {
        Entry { title, ..self }
    }

    /// Sets the aliases: other names that select the algorithm.
    pub(crate) const fn aliases(self, aliases: &'static [&'static str]) -> Entry<P> {
        Entry { aliases, ..self }
    }

    /// Limits the algorithm to some kinds of problems.
    pub(crate) const fn kinds(self, kinds: fn(P::Kind) -> bool) -> Entry<P> {
        Entry { kinds, ..self }
    }

    /// Sets the restrictions.
    pub(crate) const fn only_if(self, restrictions: &'static [Restriction<P>]) -> Entry<P> {
        Entry { restrictions, ..self }
    }

    /// Sets a search for a plan faster than the fastest variant. The search gets that variant's time as the incumbent.
    pub(crate) const fn improved(self, improve: Improve<P>) -> Entry<P> {
        Entry { improve: Some(improve), ..self }
    }

    /// Marks an algorithm whose plans have no schedule: only a run can determine their time.
    pub(crate) const fn unpredictable(self) -> Entry<P> {
        Entry { is_predictable: false, ..self }
    }
}

/// A problem whose library lists its algorithms. The trait is sealed, as [`Problem`] is.
pub trait Registered: Problem {
    /// The algorithm that chooses the fastest of all others.
    const AUTO: Algorithm<Self>;

    /// Returns the named algorithms.
    fn algorithms() -> Vec<Algorithm<Self>>;

    /// The syntax of other accepted texts, as the end of a sentence that lists the names.
    #[doc(hidden)]
    const OTHER_SYNTAX: &'static str = "";

    /// Parses a text that is not a name: returns the algorithm or what is wrong. `None` if the text looks like a name.
    #[doc(hidden)]
    fn parse_other(_text: &str) -> Option<Result<Algorithm<Self>, String>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Algorithm, Problem, Registered};
    use crate::{
        all_to_all,
        collective::{self, Operation, Strategy},
        s_to_p,
    };

    fn check<P: Problem>(algorithms: &[Algorithm<P>]) {
        for algorithm in algorithms {
            let (name, cost) = (algorithm.name(), algorithm.cost());
            assert!(!algorithm.about().is_empty(), "{name} has no description");
            assert!(!cost.is_empty(), "{name} has no cost");
            assert!(
                cost.chars().all(|c| c.is_ascii() && !c.is_control()),
                "{name}: not a line of ASCII: {cost}"
            );
            assert!(cost.matches('`').count().is_multiple_of(2), "{name}: a formula without an end: {cost}");
            for formula in cost.split('`').skip(1).step_by(2) {
                let count = |bracket| formula.matches(bracket).count();
                assert_eq!(count('('), count(')'), "{name}: brackets of {formula}");
            }
        }
    }

    /// Every algorithm has a description and a cost, in one line, with formulas between backticks.
    #[test]
    fn every_algorithm_has_a_cost() {
        check(&collective::Task::algorithms());
        check(&s_to_p::Instance::algorithms());
        check(&all_to_all::Instance::algorithms());
        let strategy = Strategy::parse(Operation::Broadcast, "2x3x5:SSMCC").unwrap();
        check(&[collective::Algorithm::strategy(strategy)]);
    }
}
