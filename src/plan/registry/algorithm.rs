//! Algorithms: handles of registry entries, custom algorithms, and alternatives.

use std::{
    cmp::Ordering,
    error::Error,
    fmt,
    hash::{Hash, Hasher},
    slice,
    sync::Arc,
};

use super::{Entry, Found, Method, Planning, Predicted, Restriction, Variant, custom::Custom};
use crate::{
    names,
    plan::{PlanError, Planned, Problem, effort::Budget},
    time::Time,
};

/// An algorithm for a class of problems, cheap to clone and to compare: an algorithm of the library, a [custom](Algorithm::custom) one, or the
/// fastest of [several](Algorithm::or).
///
/// The named algorithms of the library are constants, such as [`Algorithm::BR_LIN`](crate::s_to_p::Algorithm::BR_LIN), and can be parsed
/// from their names. Two algorithms are equal if they have the same name and the same parameter, for example a seed. Custom algorithms
/// are equal only if one is a clone of the other, because functions cannot be compared.
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
#[derive(Clone)]
pub struct Algorithm<P: Problem>(pub(super) Form<P>);

#[derive(Clone)]
pub(super) enum Form<P: Problem> {
    /// An entry of the registry, with a value for the choice that it leaves open.
    Registered(&'static Entry<P>, P::Parameter),
    Custom(Arc<Custom<P>>),
    Alternatives(Arc<Alternatives<P>>),
}

/// Several algorithms, of which the fastest is taken. None of them has alternatives itself.
pub(super) struct Alternatives<P: Problem> {
    name: String,
    algorithms: Vec<Algorithm<P>>,
}

/// The values by which algorithms are compared: name, parameter, address of the function, alternatives.
type Key<'a, P> =
    (&'a str, Option<&'a <P as Planned>::Parameter>, Option<*const Custom<P>>, &'a [Algorithm<P>]);

impl<P: Problem> Algorithm<P> {
    /// Creates a custom algorithm from a name, which its plans also get, and a function that makes its drafts.
    ///
    /// The function makes a draft for a problem, as the library's algorithms do: pieces of the data and a
    /// [`Schedule`](crate::pattern::Schedule) that moves them. It must be deterministic, because every member of a group may call it. It
    /// returns an error if it has no draft for the problem.
    ///
    /// Each plan checks its draft, at about 1 us of host time per block of a message: the draft is carried out without data
    /// ([`Delivery`](crate::pattern::Delivery)). Every rank must end with the data that the problem requires, and no rank may deadlock.
    /// The errors of plans are [`PlanError::NoDraft`] if the function returns an error, [`PlanError::Panicked`] if it panics, and
    /// [`PlanError::Undelivered`] if the check fails.
    ///
    /// ```
    /// use multicomputer::{pattern::{Exchange, Transfer}, prelude::*, s_to_p::{Algorithm, Draft, Instance}};
    ///
    /// // Each source sends its message to all others by itself.
    /// let star = Algorithm::custom("star", |instance: &Instance| {
    ///     Ok(Draft::whole(instance, Exchange::Overlapped, |builder| {
    ///         for (block, &from) in (0..).zip(instance.sources()) {
    ///             let others = (0..instance.size()).filter(|&to| to != from);
    ///             builder.iteration(others.map(|to| Transfer { from, to, blocks: [block].into() }));
    ///         }
    ///     }))
    /// });
    ///
    /// let machine = Machine::paragon(2, 3).build()?;
    /// let instance = Instance::new(machine.spec(), &[1, 4], &[100, 100])?;
    /// let (plan, auto) = (star.plan(&instance)?, Algorithm::AUTO.plan(&instance)?);
    /// assert!(auto.prediction().modeled < plan.prediction().modeled);
    ///
    /// let run = machine.run(|node| {
    ///     let x: &[u8] = if [1, 4].contains(&node.rank()) { &[node.rank() as u8; 100] } else { &[] };
    ///     Ok(node.world().using(&star).broadcast_from(&[(1, 100), (4, 100)], x)?[1][0])
    /// })?;
    /// assert_eq!(run.outputs, [4; 6]);
    /// assert_eq!(run.report.makespan, plan.prediction().modeled);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn custom(
        name: impl Into<String>,
        make: impl Fn(&P) -> Result<P::Draft, Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
    ) -> Algorithm<P> {
        Algorithm(Form::Custom(Arc::new(Custom::new(name.into(), make))))
    }

    /// The entry of algorithms that are not in the registry.
    const UNREGISTERED: &'static Entry<P> = &Entry::new("", |_| Ok(Vec::new()));

    /// Creates the handle of an entry with a value for the choice that the algorithm leaves open.
    pub(crate) const fn with(entry: &'static Entry<P>, parameter: P::Parameter) -> Algorithm<P> {
        Algorithm(Form::Registered(entry, parameter))
    }

    /// Returns the algorithm that takes the faster plan of this algorithm and another one, by the predicted times. On a tie the first one
    /// is taken, and a plan whose time only a run can determine is taken only if no other algorithm has a plan.
    ///
    /// An algorithm that does not apply to the problem, or whose function returns an error, is skipped if another one has a plan. But
    /// [`PlanError::Undelivered`] of any algorithm is returned, because it is always a mistake. If no algorithm has a plan, the first
    /// error is returned.
    ///
    /// ```
    /// use multicomputer::{
    ///     collective::{Algorithm, Draft, Operation, Piece, Task},
    ///     pattern::{Exchange, Origin, Transfer},
    /// };
    ///
    /// // The root sends the vector to each by itself.
    /// let star = Algorithm::custom("star", |task: &Task| {
    ///     let root = task.root();
    ///     let whole = Piece::of(0..task.bytes(), Origin::At(root));
    ///     Ok(Draft::moving(task, vec![whole], &[root], Exchange::Overlapped, |builder| {
    ///         let others = (0..task.size()).filter(|&rank| rank != root);
    ///         builder.iteration(others.map(|to| Transfer { from: root, to, blocks: [0].into() }));
    ///     }))
    /// });
    ///
    /// // `blocks` is slower here, so the star is taken.
    /// let task = Task::builder(&"line:3".parse()?, Operation::Broadcast).elements(8).build()?;
    /// let plan = Algorithm::BLOCKS.or(&star).plan(&task)?;
    /// assert_eq!((plan.algorithm(), plan.name()), (&star, "star"));
    /// // The star does not deliver what an all-gather requires: ranks would end without the blocks of others.
    /// let all_gather = Task::builder(&"line:3".parse()?, Operation::AllGather).elements(9).build()?;
    /// assert!(Algorithm::BLOCKS.or(&star).plan(&all_gather).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn or(&self, other: impl Into<Algorithm<P>>) -> Algorithm<P> {
        let other: Algorithm<P> = other.into();
        let algorithms = [self.candidates(), other.candidates()].concat();
        let names: Vec<String> = algorithms.iter().map(Algorithm::to_string).collect();
        Algorithm(Form::Alternatives(Arc::new(Alternatives { name: names.join(" or "), algorithms })))
    }

    /// Returns the name that selects the algorithm, or the name of a custom algorithm. The names of alternatives are joined by `or`.
    pub fn name(&self) -> &str {
        self.key().0
    }

    /// Returns the other names that select the algorithm.
    pub fn aliases(&self) -> &'static [&'static str] {
        self.entry().aliases
    }

    /// Returns the name and the aliases.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name()).chain(self.aliases().iter().copied())
    }

    /// Returns whether `name` is the name or an alias. Case, hyphens, underscores and blanks are ignored.
    pub fn is_called(&self, name: &str) -> bool {
        self.spellings().any(|known| names::normalized(known) == names::normalized(name))
    }

    /// Returns the one-line description; empty if the algorithm is not one of the library.
    pub fn about(&self) -> &'static str {
        self.entry().about
    }

    /// Returns the publication that describes the algorithm; empty if there is none.
    pub fn source(&self) -> &'static str {
        self.entry().source
    }

    /// Returns the cost formula, in the symbols of the timing model; empty if none is known.
    pub fn cost(&self) -> &'static str {
        self.entry().cost
    }

    /// Returns limits other than the [restrictions](Algorithm::restrictions); empty if there are none.
    pub fn limits(&self) -> &'static str {
        self.entry().limits
    }

    /// Returns the texts of the restrictions.
    pub fn restrictions(&self) -> impl Iterator<Item = &'static str> + use<P> {
        self.entry().restrictions.iter().map(|restriction| restriction.text)
    }

    /// Returns whether the algorithm, or one of several alternatives, is for problems of this kind.
    pub fn is_for(&self, kind: P::Kind) -> bool {
        self.candidates().iter().any(|candidate| (candidate.entry().kinds)(kind))
    }

    /// Returns whether a plan can predict its time. Otherwise only a run can determine it.
    pub fn is_predictable(&self) -> bool {
        self.candidates().iter().any(|candidate| candidate.entry().is_predictable)
    }

    /// Returns whether the algorithm is a [custom](Algorithm::custom) one.
    pub fn is_custom(&self) -> bool {
        matches!(self.0, Form::Custom(_))
    }

    /// Returns the value of the choice that the algorithm leaves open; `None` if the algorithm is not in the registry.
    pub(crate) fn parameter(&self) -> Option<&P::Parameter> {
        self.key().1
    }

    /// Returns the same algorithm with another value of the open choice.
    pub(crate) fn with_parameter(&self, parameter: P::Parameter) -> Algorithm<P> {
        match self.0 {
            Form::Registered(entry, _) => Algorithm::with(entry, parameter),
            _ => self.clone(),
        }
    }

    /// Returns the alternatives; empty if the algorithm is a single one.
    pub(in super::super) fn alternatives(&self) -> &[Algorithm<P>] {
        self.key().3
    }

    /// Returns the alternatives, or the algorithm itself if it is a single one.
    pub(crate) fn candidates(&self) -> &[Algorithm<P>] {
        match self.alternatives() {
            [] => slice::from_ref(self),
            several => several,
        }
    }

    fn entry(&self) -> &'static Entry<P> {
        if let Form::Registered(entry, _) = self.0 { entry } else { Self::UNREGISTERED }
    }

    fn key(&self) -> Key<'_, P> {
        match &self.0 {
            Form::Registered(entry, parameter) => (entry.name, Some(parameter), None, &[]),
            Form::Custom(custom) => (&custom.name, None, Some(Arc::as_ptr(custom)), &[]),
            Form::Alternatives(several) => (&several.name, None, None, &several.algorithms),
        }
    }

    /// Checks that the problem has a supported kind and meets the restrictions. Makes no plan. Of several alternatives, one must apply.
    ///
    /// # Errors
    ///
    /// [`PlanError::OtherKind`], [`PlanError::Restricted`].
    pub fn check(&self, problem: &P) -> Result<(), PlanError> {
        let checks = self.candidates().iter().map(|candidate| candidate.check_single(problem));
        checks.reduce(|first, next| next.or(first)).unwrap_or(Ok(()))
    }

    fn check_single(&self, problem: &P) -> Result<(), PlanError> {
        let Form::Registered(entry, parameter) = &self.0 else { return Ok(()) };
        if !(entry.kinds)(problem.kind()) {
            return Err(PlanError::OtherKind {
                algorithm: self.called(problem),
                kind: problem.kind().to_string(),
                known: problem.known(),
            });
        }
        let unmet = |restriction: &&Restriction<P>| !(restriction.is_met)(problem, parameter);
        match entry.restrictions.iter().find(unmet) {
            Some(restriction) => {
                let (algorithm, found) = (self.called(problem), (restriction.found)(problem, parameter));
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
    pub(in super::super) fn called(&self, problem: &P) -> String {
        self.parameter()
            .map_or_else(|| self.to_string(), |parameter| problem.called(self.to_string(), parameter))
    }

    /// Lists the variants; empty if the algorithm has its own search.
    pub(crate) fn variants(
        &self,
        problem: &P,
        workspace: &P::Workspace,
    ) -> Result<Vec<Variant<P>>, PlanError> {
        self.listed(problem, workspace, true)
    }

    /// Lists the variants. Without `with_related`, *Auto* leaves out the variants of related problems.
    pub(in super::super) fn listed(
        &self,
        problem: &P,
        workspace: &P::Workspace,
        with_related: bool,
    ) -> Result<Vec<Variant<P>>, PlanError> {
        self.check(problem)?;
        let mut variants = match &self.0 {
            Form::Registered(entry, parameter) => match entry.method {
                Method::Variants(list) => list(&Planning { problem, parameter, workspace, with_related })?,
                Method::Search(_) => Vec::new(),
            },
            Form::Custom(custom) => {
                let custom = custom.clone();
                vec![Variant::new("", move |problem| custom.draft(problem))]
            }
            Form::Alternatives(_) => Vec::new(),
        };
        for variant in &mut variants {
            variant.of.get_or_insert_with(|| self.clone());
        }
        Ok(variants)
    }

    /// Searches for a variant faster than `limit`, the time of the fastest listed variant.
    pub(in super::super) fn improved(
        &self,
        problem: &P,
        limit: Time,
        budget: &Budget,
    ) -> Option<(Variant<P>, Predicted<P>)> {
        self.entry().improve.and_then(|improve| improve(problem, limit, budget))
    }

    /// Returns the result of the algorithm's own search; `None` if the algorithm takes the fastest of its variants.
    pub(in super::super) fn searched(
        &self,
        problem: &P,
        workspace: &P::Workspace,
        budget: &Budget,
    ) -> Option<Found<P>> {
        let Form::Registered(Entry { method: Method::Search(search), .. }, parameter) = &self.0 else {
            return None;
        };
        let planning = Planning { problem, parameter, workspace, with_related: true };
        Some(self.check(problem).and_then(|()| search(&planning, budget)))
    }
}

impl<P: Problem> From<&Algorithm<P>> for Algorithm<P> {
    fn from(algorithm: &Algorithm<P>) -> Algorithm<P> {
        algorithm.clone()
    }
}

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

/// By name, then by parameter. Custom algorithms of the same name are ordered by address: stable while they exist.
impl<P: Problem> Ord for Algorithm<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Hashes values that are the same in all processes, so not the address of a function.
impl<P: Problem> Hash for Algorithm<P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (name, parameter, _, alternatives) = self.key();
        (name, parameter, alternatives).hash(state);
    }
}

/// The name in messages.
impl<P: Problem> fmt::Display for Algorithm<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Registered(entry, parameter) => match P::spelling(parameter) {
                Some(spelling) => f.pad(&spelling),
                None => f.pad(entry.title),
            },
            _ => f.pad(self.name()),
        }
    }
}

impl<P: Problem> fmt::Debug for Algorithm<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Algorithm({self})")
    }
}
