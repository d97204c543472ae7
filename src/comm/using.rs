//! Calls of the libraries, and the algorithms that they are carried out by.

use super::Group;
use crate::plan::{Algorithm, Problem};

/// A group with an algorithm for its calls.
#[derive(Clone, Debug)]
pub struct Using<'g, P: Problem> {
    group: &'g Group<'g>,
    algorithm: Algorithm<P>,
}

/// A group that makes the calls of a library, by *Auto* or by an algorithm of choice.
pub trait Caller<P: Problem> {
    /// The group.
    fn group(&self) -> &Group<'_>;

    /// The algorithm.
    fn algorithm(&self) -> Algorithm<P>;
}

impl<P: Problem> Caller<P> for Group<'_> {
    fn group(&self) -> &Group<'_> {
        self
    }

    fn algorithm(&self) -> Algorithm<P> {
        P::AUTO
    }
}

impl<P: Problem> Caller<P> for Using<'_, P> {
    fn group(&self) -> &Group<'_> {
        self.group
    }

    fn algorithm(&self) -> Algorithm<P> {
        self.algorithm.clone()
    }
}
