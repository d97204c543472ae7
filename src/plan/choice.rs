//! The argument of `using`: an algorithm of a library, custom algorithms, or the fastest of several.

use std::{borrow::Borrow, fmt, sync::Arc};

use super::{
    Cache, Effort, PlanError, Search,
    custom::Own,
    plan::Plan,
    registry::{Algorithm, IntoAlgorithm, Registered},
    sealed::Sealed,
};
use crate::time::Time;

/// A set of algorithms of which the one predicted to be fastest is taken: at most one algorithm of the library, and any number of custom
/// algorithms. On a tie the first one is taken. An algorithm whose time only a run can determine is taken only if no other applies.
///
/// ```
/// use multicomputer::{
///     collective::{Algorithm, Draft, Operation, Own, Piece, Task},
///     pattern::{Exchange, Origin, Transfer},
/// };
///
/// // The root sends the vector to each by itself.
/// let star = Own::new("star", |task: &Task| {
///     let root = task.root();
///     let whole = Piece::of(0..task.bytes(), Origin::At(root));
///     Ok(Draft::moving(task, vec![whole], &[root], Exchange::Overlapped, |builder| {
///         let others = (0..task.size()).filter(|&rank| rank != root);
///         builder.iteration(others.map(|to| Transfer { from: root, to, blocks: [0].into() }));
///     }))
/// });
///
/// // This algorithm of the library is slower here, so the star is taken.
/// let task = Task::builder(&"line:3".parse()?, Operation::Broadcast).elements(8).build()?;
/// let plan = Algorithm::BLOCKS.or(&star).plan(&task)?;
/// assert_eq!((plan.algorithm(), plan.name()), (&Algorithm::OWN, "star"));
/// // It does not deliver what an all-gather says: ranks would end without the blocks of others.
/// let all_gather = Task::builder(&"line:3".parse()?, Operation::AllGather).elements(9).build()?;
/// assert!(star.plan(&all_gather).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Choice<P: Registered> {
    library: Option<Algorithm<P>>,
    custom: Vec<Own<P>>,
}

impl<P: Registered> Choice<P> {
    /// Adds a custom algorithm.
    #[must_use]
    pub fn or(mut self, own: impl Into<Own<P>>) -> Choice<P> {
        self.custom.push(own.into());
        self
    }

    /// Plans a problem with the fastest algorithm. An algorithm that does not apply to the problem, or whose function
    /// returns an error, is skipped if another one has a plan.
    ///
    /// # Errors
    ///
    /// [`PlanError::Undelivered`] of any algorithm, because that is always a mistake. If no algorithm has a plan, the first error.
    pub fn plan(&self, problem: &P) -> Result<Plan<P>, PlanError> {
        self.plan_with(problem, Effort::default())
    }

    /// Plans a problem with the given [`Effort`] or [`Search`] for the library's search.
    ///
    /// # Errors
    ///
    /// The errors of [`plan`](Choice::plan).
    pub fn plan_with(&self, problem: &P, search: impl Into<Search>) -> Result<Plan<P>, PlanError> {
        self.fastest(problem, self.library.as_ref().map(|library| library.plan_with(problem, search)))
    }

    /// Returns the cached plan of a problem. The first request makes the plan.
    pub(crate) fn kept_plan(&self, problem: &P, cache: &Cache) -> Result<Arc<Plan<P>>, PlanError> {
        let library = self.library.as_ref().map(|library| library.kept_plan(problem, cache));
        match library {
            Some(plan) if self.custom.is_empty() => plan,
            library => {
                cache.get((problem.key(), self.key()), Plan::weight, || self.fastest(problem, library))
            }
        }
    }

    /// Returns the fastest of the library's plan and the plans of the custom algorithms. A single custom algorithm is planned without a
    /// prediction.
    fn fastest<T>(&self, problem: &P, library: Option<Result<T, PlanError>>) -> Result<T, PlanError>
    where
        T: From<Plan<P>> + Borrow<Plan<P>>,
    {
        let (mut best, mut refusal) = match library {
            Some(Ok(plan)) => (Some(plan), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        if let ([only], None, None) = (&self.custom[..], &best, &refusal) {
            return only.plan(problem).map(T::from);
        }
        for algorithm in &self.custom {
            // Any plan with a prediction replaces one without.
            let limit = best.as_ref().and_then(|plan| plan.borrow().modeled()).unwrap_or(Time::MAX);
            match algorithm.plan_before(problem, limit) {
                Ok(Some(plan)) => best = Some(plan.into()),
                Ok(None) => {}
                Err(error @ PlanError::Undelivered { .. }) => return Err(error),
                Err(error) => {
                    refusal.get_or_insert(error);
                }
            }
        }
        let too_long = || PlanError::TooLong { algorithm: self.to_string() };
        best.ok_or_else(|| refusal.unwrap_or_else(too_long))
    }

    /// Returns all algorithms of the choice, as part of a cache key.
    pub(crate) fn key(&self) -> (Option<Algorithm<P>>, Vec<Own<P>>) {
        (self.library.clone(), self.custom.clone())
    }

    /// Returns the names of all algorithms joined by `or`. `library` names the library's algorithm.
    pub(crate) fn spelled(&self, library: impl Fn(&Algorithm<P>) -> String) -> String {
        let custom = self.custom.iter().map(Own::to_string);
        self.library.iter().map(library).chain(custom).collect::<Vec<_>>().join(" or ")
    }
}

impl<P: Registered> Algorithm<P> {
    /// Returns a choice of this algorithm and a custom one; the one predicted to be faster is taken.
    pub fn or(self, own: impl Into<Own<P>>) -> Choice<P> {
        Choice::from(self).or(own)
    }
}

impl<P: Registered> Own<P> {
    /// Returns a choice of this custom algorithm and another one; the one predicted to be faster is taken.
    pub fn or(self, own: impl Into<Own<P>>) -> Choice<P> {
        Choice::from(self).or(own)
    }
}

impl<P: Registered> From<&Own<P>> for Own<P> {
    fn from(own: &Own<P>) -> Own<P> {
        own.clone()
    }
}

impl<P: Registered> From<Algorithm<P>> for Choice<P> {
    fn from(library: Algorithm<P>) -> Choice<P> {
        Choice { library: Some(library), custom: Vec::new() }
    }
}

impl<P: Registered> From<Own<P>> for Choice<P> {
    fn from(own: Own<P>) -> Choice<P> {
        Choice { library: None, custom: vec![own] }
    }
}

/// An argument of `using`, by value or by reference: an algorithm of a library or a type that converts to one, a custom
/// algorithm, or a choice among several. The trait is sealed: no other crate can implement it.
pub trait IntoChoice: Sealed {
    /// The problems that the choice solves.
    type Problem: Registered;

    /// Returns the choice.
    fn into_choice(self) -> Choice<Self::Problem>;
}

impl<A: IntoAlgorithm<Problem: Registered>> IntoChoice for A {
    type Problem = A::Problem;

    fn into_choice(self) -> Choice<A::Problem> {
        self.into_algorithm().into()
    }
}

impl<P: Registered> Sealed for Own<P> {}

impl<P: Registered> Sealed for Choice<P> {}

impl<P: Registered> IntoChoice for Own<P> {
    type Problem = P;

    fn into_choice(self) -> Choice<P> {
        self.into()
    }
}

impl<P: Registered> IntoChoice for &Own<P> {
    type Problem = P;

    fn into_choice(self) -> Choice<P> {
        self.clone().into()
    }
}

impl<P: Registered> IntoChoice for Choice<P> {
    type Problem = P;

    fn into_choice(self) -> Choice<P> {
        self
    }
}

impl<P: Registered> IntoChoice for &Choice<P> {
    type Problem = P;

    fn into_choice(self) -> Choice<P> {
        self.clone()
    }
}

impl<P: Registered> Clone for Choice<P> {
    fn clone(&self) -> Self {
        Choice { library: self.library.clone(), custom: self.custom.clone() }
    }
}

/// The names, joined by `or`.
impl<P: Registered> fmt::Display for Choice<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.spelled(Algorithm::to_string))
    }
}

impl<P: Registered> fmt::Debug for Choice<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Choice({self})")
    }
}
