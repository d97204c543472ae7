//! Custom algorithms: a name and a function that makes a draft for a problem. Every draft is checked before use.

use std::error::Error;

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

impl<P: Problem> Custom<P> {
    pub(super) fn new(
        name: String,
        make: impl Fn(&P) -> Result<P::Draft, Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
    ) -> Custom<P> {
        Custom { name, make: Box::new(make) }
    }

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
