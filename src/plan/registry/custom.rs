//! Custom algorithms: a name and a function that makes a draft for a problem. Every draft is checked before use.

use std::{error::Error, sync::Arc};

use super::algorithm::{Algorithm, Form};
use crate::{
    panics::caught,
    plan::{PlanError, Problem, problem::Planned},
    topology::catch_route_error,
};

/// Makes a draft for a problem, or returns the reason why there is none.
type Make<P> = dyn Fn(&P) -> Result<<P as Planned>::Draft, Box<dyn Error + Send + Sync>> + Send + Sync;

/// A function with a name.
pub(super) struct Custom<P: Problem> {
    pub(super) name: String,
    make: Box<Make<P>>,
}

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
        Algorithm(Form::Custom(Arc::new(Custom { name: name.into(), make: Box::new(make) })))
    }
}

impl<P: Problem> Custom<P> {
    /// Makes the draft and checks it.
    pub(super) fn draft(&self, problem: &P) -> Result<P::Draft, PlanError> {
        let algorithm = || self.name.clone();
        // An invalid route in the function remains a topology error.
        let make = || (self.make)(problem).map_err(|cause| cause.to_string());
        let draft = caught(|| catch_route_error(make))
            .map_err(|message| PlanError::Panicked { algorithm: algorithm(), message })??
            .map_err(|cause| PlanError::NoDraft { algorithm: algorithm(), cause })?;
        problem
            .check_delivery(&draft)
            .map_err(|cause| PlanError::Undelivered { algorithm: algorithm(), cause: Box::new(cause) })?;
        Ok(draft)
    }
}
