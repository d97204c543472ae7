//! The registry: one entry for each algorithm, in the algorithm's own file, and the handle by which it is chosen.
//!
//! An entry lists variants, and each variant has the handle of its algorithm, so the three are one room.

mod variant;

pub(crate) use self::variant::{Convert, Predicted, Variant};

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

use thiserror::Error;

use super::{PlanError, Problem, effort::Budget, sealed::Sealed};
use crate::{names, time::Time};

/// The entry of an algorithm: all that is known of it.
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
    ways: Ways<P>,
    improve: Option<Improve<P>>,
}

/// A condition that a problem must meet.
pub(crate) struct Restriction<P: Problem> {
    /// The condition, as an error says it.
    pub(crate) text: &'static str,
    pub(crate) is_met: fn(&P, &P::Parameter) -> bool,
    /// The state of a problem that does not meet it, such as `there are 6`; empty if the condition says it all.
    pub(crate) found: fn(&P, &P::Parameter) -> String,
}

/// Lists the variants of an algorithm for a problem.
type List<P> = fn(&Planning<'_, P>) -> Result<Vec<Variant<P>>, PlanError>;

/// The variant to be taken, as a search has found it.
type Found<P> = Result<(Variant<P>, Predicted<P>), PlanError>;

/// Looks for the variant to be taken.
type Search<P> = fn(&Planning<'_, P>, &Budget) -> Found<P>;

/// Looks for something that takes less than the limit, which is the time of the fastest variant.
type Improve<P> = fn(&P, Time, &Budget) -> Option<(Variant<P>, Predicted<P>)>;

/// The way in which the plan is found.
enum Ways<P: Problem> {
    /// The fastest of all variants.
    Variants(List<P>),
    /// A search of its own.
    Search(Search<P>),
}

impl<P: Problem> Clone for Ways<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Problem> Copy for Ways<P> {}

/// A problem with what variants of it are made from.
pub(crate) struct Planning<'a, P: Problem> {
    /// The problem.
    pub(crate) problem: &'a P,
    /// The choice that the algorithm leaves open.
    pub(crate) parameter: &'a P::Parameter,
    /// Results that several algorithms need.
    pub(crate) workspace: &'a P::Workspace,
}

impl<P: Problem> Entry<P> {
    /// An algorithm of this name that takes the fastest of its variants; unless told otherwise, for all kinds of
    /// problems and without restrictions.
    pub(crate) const fn new(name: &'static str, variants: List<P>) -> Entry<P> {
        Entry::with(name, Ways::Variants(variants))
    }

    /// An algorithm that stands for all those of one's own, and cannot be asked for.
    pub(crate) const fn own() -> Entry<P> {
        Entry::new("own", |_| {
            Err(PlanError::Restricted {
                algorithm: "own".to_owned(),
                text: "own stands for all algorithms of one's own: give the `Own` that is meant".to_owned(),
                found: String::new(),
            })
        })
        .about("an algorithm of one's own")
    }

    /// An algorithm that looks for a plan in a way of its own.
    pub(crate) const fn searching(name: &'static str, search: Search<P>) -> Entry<P> {
        Entry::with(name, Ways::Search(search))
    }

    const fn with(name: &'static str, ways: Ways<P>) -> Entry<P> {
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
            ways,
            improve: None,
        }
    }

    /// The same with a line on what it does.
    pub(crate) const fn about(self, about: &'static str) -> Entry<P> {
        Entry { about, ..self }
    }

    /// The same with the work that it is described in.
    pub(crate) const fn source(self, source: &'static str) -> Entry<P> {
        Entry { source, ..self }
    }

    /// The time that it takes, in the symbols of the timing model.
    pub(crate) const fn cost(self, cost: &'static str) -> Entry<P> {
        Entry { cost, ..self }
    }

    /// Limits that are no [restrictions](Entry::only_if), as they are found out in the making of a plan, or do not keep it
    /// from being made.
    pub(crate) const fn limits(self, limits: &'static str) -> Entry<P> {
        Entry { limits, ..self }
    }

    /// The same with another name in messages.
    pub(crate) const fn title(self, title: &'static str) -> Entry<P> {
        Entry { title, ..self }
    }

    /// The same with other names by which it may be asked for.
    pub(crate) const fn aliases(self, aliases: &'static [&'static str]) -> Entry<P> {
        Entry { aliases, ..self }
    }

    /// The same for some kinds of problems only.
    pub(crate) const fn kinds(self, kinds: fn(P::Kind) -> bool) -> Entry<P> {
        Entry { kinds, ..self }
    }

    /// The same with restrictions.
    pub(crate) const fn only_if(self, restrictions: &'static [Restriction<P>]) -> Entry<P> {
        Entry { restrictions, ..self }
    }

    /// The same with something that may be faster than the fastest of the variants, and needs to know how fast that is.
    pub(crate) const fn improved(self, improve: Improve<P>) -> Entry<P> {
        Entry { improve: Some(improve), ..self }
    }

    /// An algorithm whose plans have no schedule: only a run can tell what they take.
    pub(crate) const fn unpredictable(self) -> Entry<P> {
        Entry { is_predictable: false, ..self }
    }
}

/// An algorithm for a kind of problems: a handle that is cheap to clone, and to compare.
///
/// The known ones are constants, such as [`Algorithm::BR_LIN`](crate::stop::Algorithm::BR_LIN), and can be parsed from
/// their names. Two are the same if they have the same name and leave nothing open that differs.
///
/// ```
/// use multicomputer::stop::Algorithm;
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
    /// The algorithm of an entry with a choice that it leaves open.
    pub(crate) const fn with(entry: &'static Entry<P>, parameter: P::Parameter) -> Algorithm<P> {
        Algorithm { entry, parameter }
    }

    /// The name by which it is asked for.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Other names by which it may be asked for.
    pub fn aliases(&self) -> &'static [&'static str] {
        self.entry.aliases
    }

    /// Whether this is its name or an alias.
    pub fn is_called(&self, name: &str) -> bool {
        self.name() == name || self.aliases().contains(&name)
    }

    /// One line on what it does.
    pub fn about(&self) -> &'static str {
        self.entry.about
    }

    /// The work that it is described in; empty if there is none.
    pub fn source(&self) -> &'static str {
        self.entry.source
    }

    /// The time that it takes, in the symbols of the timing model; empty if nothing is known.
    pub fn cost(&self) -> &'static str {
        self.entry.cost
    }

    /// Limits beside its [restrictions](Algorithm::restrictions); empty if there are none.
    pub fn limits(&self) -> &'static str {
        self.entry.limits
    }

    /// Its restrictions.
    pub fn restrictions(&self) -> impl Iterator<Item = &'static str> + use<P> {
        self.entry.restrictions.iter().map(|restriction| restriction.text)
    }

    /// Whether it is for problems of this kind.
    pub fn is_for(&self, kind: P::Kind) -> bool {
        (self.entry.kinds)(kind)
    }

    /// Whether a plan says what it takes; otherwise only a run can tell.
    pub fn is_predictable(&self) -> bool {
        self.entry.is_predictable
    }

    /// The choice that it leaves open, as it was made.
    pub(crate) fn parameter(&self) -> &P::Parameter {
        &self.parameter
    }

    /// The same with another choice.
    pub(crate) fn with_parameter(&self, parameter: P::Parameter) -> Algorithm<P> {
        Algorithm { entry: self.entry, parameter }
    }

    /// Whether the problem is of its kind and meets its restrictions, without planning anything.
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
                    text: problem.unmet(&algorithm, restriction.text),
                    algorithm,
                    found,
                })
            }
            None => Ok(()),
        }
    }

    /// Its name in messages about a problem.
    pub(super) fn called(&self, problem: &P) -> String {
        problem.called(self.to_string(), &self.parameter)
    }

    /// The variants that it comes in; none if it searches in a way of its own.
    pub(crate) fn variants(
        &self,
        problem: &P,
        workspace: &P::Workspace,
    ) -> Result<Vec<Variant<P>>, PlanError> {
        self.check(problem)?;
        let Ways::Variants(variants) = self.entry.ways else { return Ok(Vec::new()) };
        let mut variants = variants(&Planning { problem, parameter: &self.parameter, workspace })?;
        for variant in &mut variants {
            variant.of.get_or_insert_with(|| self.clone());
        }
        Ok(variants)
    }

    /// A way that takes less than the limit, which is the time of its fastest variant.
    pub(super) fn improved(
        &self,
        problem: &P,
        limit: Time,
        budget: &Budget,
    ) -> Option<(Variant<P>, Predicted<P>)> {
        self.entry.improve.and_then(|improve| improve(problem, limit, budget))
    }

    /// The result of its own search; `None` if it takes the fastest of its variants.
    pub(super) fn searched(
        &self,
        problem: &P,
        workspace: &P::Workspace,
        budget: &Budget,
    ) -> Option<Found<P>> {
        let Ways::Search(search) = self.entry.ways else { return None };
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

/// By name.
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

impl<P: Registered> FromStr for Algorithm<P> {
    type Err = ParseAlgorithmError;

    /// Takes a [name](Algorithm::name) or an [alias](Algorithm::aliases), exactly, or what else stands for an algorithm
    /// of the library.
    fn from_str(text: &str) -> Result<Self, ParseAlgorithmError> {
        let algorithms = P::algorithms();
        let known = algorithms.iter().find(|algorithm| algorithm.is_called(text)).cloned();
        let names = || algorithms.iter().map(Algorithm::name).collect();
        match known.map_or_else(|| P::spelled(text), |known| Some(Ok(known))) {
            Some(Ok(algorithm)) => Ok(algorithm),
            Some(Err(reason)) => Err(ParseAlgorithmError { name: text.to_owned(), refusal: reason }),
            None => {
                let error = ParseAlgorithmError::new(text, names());
                Err(ParseAlgorithmError { refusal: error.refusal + P::BESIDES_NAMES, ..error })
            }
        }
    }
}

/// A text that stands for no algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{refusal}")]
pub struct ParseAlgorithmError {
    name: String,
    refusal: String,
}

impl ParseAlgorithmError {
    /// The error for a name that none of the known algorithms has.
    pub(crate) fn new(name: &str, known: Vec<&'static str>) -> ParseAlgorithmError {
        let nearest = names::nearest(name, &known).map(|nearest| format!("; did you mean `{nearest}`? The"));
        let refusal = format!(
            "no algorithm is called {name:?}{} names are {}",
            nearest.as_deref().unwrap_or(": the"),
            known.join(", ")
        );
        ParseAlgorithmError { name: name.to_owned(), refusal }
    }

    /// The name given.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A problem whose library lists its algorithms. It is sealed, as [`Problem`] is.
pub trait Registered: Problem {
    /// The algorithm that chooses among all others.
    const AUTO: Algorithm<Self>;

    /// The algorithm that stands for all those of one's own in plans.
    const OWN: Algorithm<Self>;

    /// The algorithms that have a name.
    fn algorithms() -> Vec<Algorithm<Self>>;

    /// Texts that may be given instead of a name, as the end of a sentence that lists the names.
    #[doc(hidden)]
    const BESIDES_NAMES: &'static str = "";

    /// The algorithm that a text stands for which is no name, or what is wrong with it; `None` if it looks like a name.
    #[doc(hidden)]
    fn spelled(_text: &str) -> Option<Result<Algorithm<Self>, String>> {
        None
    }
}

/// An algorithm of a library, by value or by reference, or what stands for one. It is sealed: no other crate can implement it.
pub trait IntoAlgorithm: Sealed {
    /// The problems that it solves.
    type Problem: Problem;

    /// The algorithm.
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
