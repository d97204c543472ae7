//! The argument of `using`: an algorithm of a library, algorithms of one's own, or whichever of several is the fastest.

use std::{borrow::Borrow, fmt, sync::Arc};

use super::{
    Cache, Effort, PlanError,
    own::Own,
    plan::Plan,
    registry::{Algorithm, IntoAlgorithm, Registered},
    sealed::Sealed,
};
use crate::time::Time;

/// Algorithms of which the fastest is taken, by prediction: one of the library at most, and any number of one's own. Of equally
/// fast ones the first is taken. An algorithm whose time only a run can tell is taken only if no other one works.
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
/// // It does not deliver what a collect says: ranks would end without the blocks of others.
/// let collect = Task::builder(&"line:3".parse()?, Operation::Collect).elements(9).build()?;
/// assert!(star.plan(&collect).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Choice<P: Registered> {
    library: Option<Algorithm<P>>,
    own: Vec<Own<P>>,
}

impl<P: Registered> Choice<P> {
    /// The same with one more of one's own.
    #[must_use]
    pub fn or(mut self, own: impl Into<Own<P>>) -> Choice<P> {
        self.own.push(own.into());
        self
    }

    /// Plans a problem by the fastest. One that is not for the problem, or whose function gives an error, is left out, as long as
    /// another one is there.
    ///
    /// # Errors
    ///
    /// [`PlanError::Undelivered`] of any of them, as that is never intended; otherwise that of the first, if none has a plan.
    pub fn plan(&self, problem: &P) -> Result<Plan<P>, PlanError> {
        self.plan_with(problem, Effort::default())
    }

    /// The same with more or less effort of the library's search.
    ///
    /// # Errors
    ///
    /// Those of [`plan`](Choice::plan).
    pub fn plan_with(&self, problem: &P, effort: Effort) -> Result<Plan<P>, PlanError> {
        self.fastest(problem, self.library.as_ref().map(|library| library.plan_with(problem, effort)))
    }

    /// The plan that is kept for a problem, made by the first who asks.
    pub(crate) fn kept_plan(&self, problem: &P, cache: &Cache) -> Result<Arc<Plan<P>>, PlanError> {
        let library = self.library.as_ref().map(|library| library.kept_plan(problem, cache));
        match library {
            Some(plan) if self.own.is_empty() => plan,
            library => {
                cache.get((problem.key(), self.key()), Plan::weight, || self.fastest(problem, library))
            }
        }
    }

    /// The fastest of the library's plan and of those of one's own. A single one is not predicted.
    fn fastest<T>(&self, problem: &P, library: Option<Result<T, PlanError>>) -> Result<T, PlanError>
    where
        T: From<Plan<P>> + Borrow<Plan<P>>,
    {
        let (mut best, mut refusal) = match library {
            Some(Ok(plan)) => (Some(plan), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        if let ([only], None, None) = (&self.own[..], &best, &refusal) {
            return only.plan(problem).map(T::from);
        }
        for own in &self.own {
            // A plan without a prediction gives way to any that has one.
            let limit = best.as_ref().and_then(|plan| plan.borrow().modeled()).unwrap_or(Time::MAX);
            match own.plan_before(problem, limit) {
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

    /// All of them, to be told from others.
    pub(crate) fn key(&self) -> (Option<Algorithm<P>>, Vec<Own<P>>) {
        (self.library.clone(), self.own.clone())
    }

    /// All of them in a sentence, with that of the library as it is called there.
    pub(crate) fn spelled(&self, library: impl Fn(&Algorithm<P>) -> String) -> String {
        let own = self.own.iter().map(Own::to_string);
        self.library.iter().map(library).chain(own).collect::<Vec<_>>().join(" or ")
    }
}

impl<P: Registered> Algorithm<P> {
    /// This algorithm or one of one's own: whichever is faster, by prediction.
    pub fn or(self, own: impl Into<Own<P>>) -> Choice<P> {
        Choice::from(self).or(own)
    }
}

impl<P: Registered> Own<P> {
    /// This one or another one of one's own: whichever is faster, by prediction.
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
        Choice { library: Some(library), own: Vec::new() }
    }
}

impl<P: Registered> From<Own<P>> for Choice<P> {
    fn from(own: Own<P>) -> Choice<P> {
        Choice { library: None, own: vec![own] }
    }
}

/// An argument of `using`: an algorithm of a library, or what stands for one; one of one's own; a choice among several; by value
/// or by reference. It is sealed: no other crate can implement it.
pub trait IntoChoice: Sealed {
    /// The problems that it solves.
    type Problem: Registered;

    /// The choice.
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
        Choice { library: self.library.clone(), own: self.own.clone() }
    }
}

/// The names, with `or` between them.
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
