//! Custom algorithms: a name and a function that makes a draft for a problem. Every draft is checked before use.

use std::{
    cmp::Ordering,
    error::Error,
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

use super::{
    PlanError,
    plan::Plan,
    predict::{Prediction, predict_among},
    problem::{Draft, Planned},
    registry::Registered,
    search::check_messages,
};
use crate::{panics::caught, time::Time, topology::catch_route_error};

/// The reason why a function makes no draft.
type Refusal = Box<dyn Error + Send + Sync>;

/// Makes a draft for a problem, or returns why there is none.
type Make<P> = dyn Fn(&P) -> Result<<P as Planned>::Draft, Refusal> + Send + Sync;

/// A custom algorithm for the problems of a library: a handle that is cheap to clone.
///
/// Its function makes a draft for a problem, as the library's algorithms do: pieces of the data and a
/// [`Schedule`](crate::pattern::Schedule) that moves them. Before use, the draft is carried out without data
/// ([`Delivery`](crate::pattern::Delivery)): every rank must end with the data that the problem requires, and no rank may deadlock. The
/// function must be deterministic, because every member of a group may call it. It returns an error if it has no draft for the problem.
///
/// A custom algorithm is used by itself, or beside an algorithm of the library such as *Auto*; the faster one is then taken.
///
/// ```
/// use multicomputer::{pattern::{Exchange, Transfer}, prelude::*, s_to_p::{Algorithm, Draft, Instance, Own}};
///
/// // Each source sends its message to all others by itself.
/// let star = Own::new("star", |instance: &Instance| {
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
/// let (mine, auto) = (star.plan(&instance)?, Algorithm::AUTO.plan(&instance)?);
/// assert!(auto.prediction().modeled < mine.prediction().modeled);
///
/// let run = machine.run(|node| {
///     let x: &[u8] = if [1, 4].contains(&node.rank()) { &[node.rank() as u8; 100] } else { &[] };
///     Ok(node.world().using(&star).broadcast_from(&[(1, 100), (4, 100)], x)?[1][0])
/// })?;
/// assert_eq!(run.outputs, [4; 6]);
/// assert_eq!(run.report.makespan, mine.prediction().modeled);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Own<P: Registered>(Arc<Named<Make<P>>>);

/// A function with a name.
struct Named<F: ?Sized> {
    name: String,
    make: F,
}

impl<P: Registered> Own<P> {
    /// Creates an algorithm from a name, which its plans also get, and the function that makes its drafts.
    pub fn new(
        name: impl Into<String>,
        make: impl Fn(&P) -> Result<P::Draft, Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
    ) -> Own<P> {
        Own(Arc::new(Named { name: name.into(), make }))
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Plans a problem: makes the draft and checks it, at about 1 us of host time per block of a message.
    ///
    /// # Errors
    ///
    /// [`PlanError::NoDraft`] if the function returns an error, [`PlanError::Panicked`] if it panics, [`PlanError::Undelivered`] if a
    /// rank does not end with the data that the problem requires, [`PlanError::MessageTooLong`].
    pub fn plan(&self, problem: &P) -> Result<Plan<P>, PlanError> {
        let draft = catch_route_error(|| self.draft(problem))??;
        Ok(self.planned(problem, draft, None))
    }

    /// Returns the plan with its prediction if the plan finishes before `limit`.
    pub(super) fn plan_before(&self, problem: &P, limit: Time) -> Result<Option<Plan<P>>, PlanError> {
        catch_route_error(|| self.plan_on(problem, limit))?
    }

    fn plan_on(&self, problem: &P, limit: Time) -> Result<Option<Plan<P>>, PlanError> {
        let draft = self.draft(problem)?;
        let (machine, members) = (problem.machine(), problem.members());
        let prediction =
            draft.schedule().and_then(|schedule| predict_among(machine, members, schedule, limit));
        let before = prediction.filter(|prediction| prediction.modeled < limit);
        Ok(before.map(|prediction| self.planned(problem, draft, Some(prediction))))
    }

    fn draft(&self, problem: &P) -> Result<P::Draft, PlanError> {
        let algorithm = || self.name().to_owned();
        // An invalid route in the function remains a topology error.
        let make = || (self.0.make)(problem).map_err(|cause| cause.to_string());
        let draft = caught(|| catch_route_error(make))
            .map_err(|message| PlanError::Panicked { algorithm: algorithm(), message })??
            .map_err(|cause| PlanError::NoDraft { algorithm: algorithm(), cause })?;
        problem
            .check_delivery(&draft)
            .map_err(|cause| PlanError::Undelivered { algorithm: algorithm(), cause: Box::new(cause) })?;
        draft.schedule().map_or(Ok(()), check_messages)?;
        Ok(draft)
    }

    fn planned(&self, problem: &P, draft: P::Draft, prediction: Option<Prediction>) -> Plan<P> {
        Plan::by_custom(problem, self.name(), draft, prediction)
    }

    /// Returns the address of the function, which distinguishes algorithms of the same name.
    fn address(&self) -> *const u8 {
        Arc::as_ptr(&self.0).cast()
    }
}

impl<P: Registered> Clone for Own<P> {
    fn clone(&self) -> Self {
        Own(self.0.clone())
    }
}

/// Clones are equal. Functions cannot be compared, so separately created algorithms differ.
impl<P: Registered> PartialEq for Own<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<P: Registered> Eq for Own<P> {}

impl<P: Registered> PartialOrd for Own<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By name, then by the address of the function: an order that is stable while the algorithms exist.
impl<P: Registered> Ord for Own<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name()).then_with(|| self.address().cmp(&other.address()))
    }
}

/// Hashes the name, which is the same in all processes.
impl<P: Registered> Hash for Own<P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

/// The name.
impl<P: Registered> fmt::Display for Own<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl<P: Registered> fmt::Debug for Own<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Own({self})")
    }
}
