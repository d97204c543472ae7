//! The algorithm registry: one entry per algorithm, in the algorithm's own file, and the handle that selects an entry.
//!
//! Entries, variants and handles refer to each other, so they share one module.

mod variant;

pub(crate) use self::variant::{Convert, Predicted, Variant};

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
};

use super::{PlanError, Problem, effort::Budget, sealed::Sealed};
use crate::{names, time::Time};

/// The registry entry of an algorithm.
pub(crate) struct Entry<P: Problem> {
    name: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    about: &'static str,
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
}

impl<P: Problem> Entry<P> {
    /// Creates the entry of an algorithm that takes the fastest of its variants. By default the entry is for all kinds
    /// of problems and has no restrictions.
    pub(crate) const fn new(name: &'static str, variants: List<P>) -> Entry<P> {
        Entry::with(name, Method::Variants(variants))
    }

    /// Creates the placeholder entry for all custom algorithms, which cannot be selected by name.
    pub(crate) const fn own() -> Entry<P> {
        Entry::new("own", |_| {
            Err(PlanError::Restricted {
                algorithm: "own".to_owned(),
                text: "`own` stands for all custom algorithms: pass the custom algorithm itself".to_owned(),
                found: String::new(),
            })
        })
        .about("a custom algorithm")
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

/// A handle of an algorithm for a class of problems, cheap to clone and to compare.
///
/// The named algorithms are constants, such as [`Algorithm::BR_LIN`](crate::s_to_p::Algorithm::BR_LIN), and can be parsed
/// from their names. Two handles are equal if they have the same name and the same parameter, for example a seed.
///
/// ```
/// use multicomputer::s_to_p::Algorithm;
///
/// let algorithm: Algorithm = "repos-br-xy-source".parse()?;
/// assert_eq!(algorithm, Algorithm::REPOS_BR_XY_SOURCE);
/// assert_eq!(algorithm.to_string(), "repos-br-xy-source");
/// println!("{algorithm}: {}", algorithm.about());
/// # Ok::<(), multicomputer::plan::ParseAlgorithmError>(())
/// ```
pub struct Algorithm<P: Problem> {
    entry: &'static Entry<P>,
    parameter: P::Parameter,
}

impl<P: Problem> Algorithm<P> {
    /// Creates the handle of an entry with a value for the choice that the algorithm leaves open.
    pub(crate) const fn with(entry: &'static Entry<P>, parameter: P::Parameter) -> Algorithm<P> {
        Algorithm { entry, parameter }
    }

    /// Returns the name that selects the algorithm.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Returns the other names that select the algorithm.
    pub fn aliases(&self) -> &'static [&'static str] {
        self.entry.aliases
    }

    /// Returns the name and the aliases.
    pub fn spellings(&self) -> impl Iterator<Item = &'static str> + use<P> {
        std::iter::once(self.name()).chain(self.aliases().iter().copied())
    }

    /// Returns whether `name` is the name or an alias. Case, hyphens, underscores and blanks are ignored.
    pub fn is_called(&self, name: &str) -> bool {
        self.spellings().any(|known| names::normalized(known) == names::normalized(name))
    }

    /// Returns the one-line description.
    pub fn about(&self) -> &'static str {
        self.entry.about
    }

    /// Returns the publication that describes the algorithm; empty if there is none.
    pub fn source(&self) -> &'static str {
        self.entry.source
    }

    /// Returns the cost formula, in the symbols of the timing model; empty if none is known.
    pub fn cost(&self) -> &'static str {
        self.entry.cost
    }

    /// Returns limits other than the [restrictions](Algorithm::restrictions); empty if there are none.
    pub fn limits(&self) -> &'static str {
        self.entry.limits
    }

    /// Returns the texts of the restrictions.
    pub fn restrictions(&self) -> impl Iterator<Item = &'static str> + use<P> {
        self.entry.restrictions.iter().map(|restriction| restriction.text)
    }

    /// Returns whether the algorithm is for problems of this kind.
    pub fn is_for(&self, kind: P::Kind) -> bool {
        (self.entry.kinds)(kind)
    }

    /// Returns whether a plan can predict its time. Otherwise only a run can determine it.
    pub fn is_predictable(&self) -> bool {
        self.entry.is_predictable
    }

    /// Returns the value of the choice that the algorithm leaves open.
    pub(crate) fn parameter(&self) -> &P::Parameter {
        &self.parameter
    }

    /// Returns the same algorithm with another value of the open choice.
    pub(crate) fn with_parameter(&self, parameter: P::Parameter) -> Algorithm<P> {
        Algorithm { entry: self.entry, parameter }
    }

    /// Checks that the problem has a supported kind and meets the restrictions. Makes no plan.
    ///
    /// # Errors
    ///
    /// [`PlanError::OtherKind`], [`PlanError::Restricted`].
    pub fn check(&self, problem: &P) -> Result<(), PlanError> {
        if !self.is_for(problem.kind()) {
            return Err(PlanError::OtherKind {
                algorithm: self.called(problem),
                kind: problem.kind().to_string(),
                known: problem.known(),
            });
        }
        let unmet = |restriction: &&Restriction<P>| !(restriction.is_met)(problem, &self.parameter);
        match self.entry.restrictions.iter().find(unmet) {
            Some(restriction) => {
                let (algorithm, found) =
                    (self.called(problem), (restriction.found)(problem, &self.parameter));
                Err(PlanError::Restricted {
                    text: format!(
                        "`{algorithm}` does not apply to this {}: it needs {}",
                        problem.kind(),
                        restriction.text
                    ),
                    algorithm,
                    found,
                })
            }
            None => Ok(()),
        }
    }

    /// Returns the algorithm's name in messages about a problem.
    pub(super) fn called(&self, problem: &P) -> String {
        problem.called(self.to_string(), &self.parameter)
    }

    /// Lists the variants; empty if the algorithm has its own search.
    pub(crate) fn variants(
        &self,
        problem: &P,
        workspace: &P::Workspace,
    ) -> Result<Vec<Variant<P>>, PlanError> {
        self.check(problem)?;
        let Method::Variants(variants) = self.entry.method else { return Ok(Vec::new()) };
        let mut variants = variants(&Planning { problem, parameter: &self.parameter, workspace })?;
        for variant in &mut variants {
            variant.of.get_or_insert_with(|| self.clone());
        }
        Ok(variants)
    }

    /// Searches for a variant faster than `limit`, the time of the fastest listed variant.
    pub(super) fn improved(
        &self,
        problem: &P,
        limit: Time,
        budget: &Budget,
    ) -> Option<(Variant<P>, Predicted<P>)> {
        self.entry.improve.and_then(|improve| improve(problem, limit, budget))
    }

    /// Returns the result of the algorithm's own search; `None` if the algorithm takes the fastest of its variants.
    pub(super) fn searched(
        &self,
        problem: &P,
        workspace: &P::Workspace,
        budget: &Budget,
    ) -> Option<Found<P>> {
        let Method::Search(search) = self.entry.method else { return None };
        let planning = Planning { problem, parameter: &self.parameter, workspace };
        Some(self.check(problem).and_then(|()| search(&planning, budget)))
    }
}

impl<P: Problem> Clone for Algorithm<P> {
    fn clone(&self) -> Self {
        Algorithm { entry: self.entry, parameter: self.parameter.clone() }
    }
}

impl<P: Problem<Parameter: Copy>> Copy for Algorithm<P> {}

impl<P: Problem> PartialEq for Algorithm<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<P: Problem> Eq for Algorithm<P> {}

impl<P: Problem> PartialOrd for Algorithm<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By name, then by parameter.
impl<P: Problem> Ord for Algorithm<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.entry.name.cmp(other.entry.name).then_with(|| self.parameter.cmp(&other.parameter))
    }
}

impl<P: Problem> Hash for Algorithm<P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entry.name.hash(state);
        self.parameter.hash(state);
    }
}

/// The name in messages.
impl<P: Problem> fmt::Display for Algorithm<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match P::spelling(&self.parameter) {
            Some(spelling) => f.pad(&spelling),
            None => f.pad(self.entry.title),
        }
    }
}

impl<P: Problem> fmt::Debug for Algorithm<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Algorithm({self})")
    }
}

/// A problem whose library lists its algorithms. The trait is sealed, as [`Problem`] is.
pub trait Registered: Problem {
    /// The algorithm that chooses the fastest of all others.
    const AUTO: Algorithm<Self>;

    /// The placeholder for all custom algorithms in plans.
    const OWN: Algorithm<Self>;

    /// Returns the named algorithms.
    fn algorithms() -> Vec<Algorithm<Self>>;

    /// Other accepted texts, as the end of a sentence that lists the names.
    #[doc(hidden)]
    const BESIDES_NAMES: &'static str = "";

    /// Parses a text that is not a name: returns the algorithm or what is wrong. `None` if the text looks like a name.
    #[doc(hidden)]
    fn spelled(_text: &str) -> Option<Result<Algorithm<Self>, String>> {
        None
    }
}

/// An algorithm of a library, by value or by reference, or a type that converts to one. The trait is sealed: no other
/// crate can implement it.
pub trait IntoAlgorithm: Sealed {
    /// The problems that the algorithm solves.
    type Problem: Problem;

    /// Returns the algorithm.
    fn into_algorithm(self) -> Algorithm<Self::Problem>;
}

impl<P: Problem> Sealed for Algorithm<P> {}

impl<P: Problem> IntoAlgorithm for Algorithm<P> {
    type Problem = P;

    fn into_algorithm(self) -> Algorithm<P> {
        self
    }
}

impl<A: Sealed> Sealed for &A {}

impl<A: IntoAlgorithm + Clone> IntoAlgorithm for &A {
    type Problem = A::Problem;

    fn into_algorithm(self) -> Algorithm<A::Problem> {
        self.clone().into_algorithm()
    }
}
