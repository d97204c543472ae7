//! Calls of the libraries with a chosen algorithm.

use self::sealed::Sealed;
use super::Group;
use crate::plan::{Algorithm, Registered};

impl Group<'_> {
    /// Returns the group with an [`Algorithm`] for its calls: one of the library, a [custom](Algorithm::custom) one, or the fastest of
    /// [several](Algorithm::or). A plain group uses *Auto*. The type of the algorithm determines which library's calls are available.
    ///
    /// ```
    /// use multicomputer::{collective::{self, Sum}, prelude::*, s_to_p};
    ///
    /// let run = Machine::paragon(2, 2).build()?.run(|node| {
    ///     let (world, rank) = (node.world(), node.rank());
    ///     let mut x = [rank as u32];
    ///     world.using(collective::Algorithm::SHORT).all_reduce(&mut x, Sum)?;
    ///     let mine: &[u32] = if rank < 2 { &x } else { &[] };
    ///     Ok(world.using(s_to_p::Algorithm::BR_LIN).broadcast_from(&[(0, 1), (1, 1)], mine)?)
    /// })?;
    /// assert_eq!(run.outputs[3], [[6], [6]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn using<P: Registered>(&self, algorithm: impl Into<Algorithm<P>>) -> Using<'_, P> {
        Using { group: self, algorithm: algorithm.into() }
    }
}

/// A group with an algorithm for its calls: see [`Group::using`].
#[derive(Clone, Debug)]
pub struct Using<'g, P: Registered> {
    group: &'g Group<'g>,
    algorithm: Algorithm<P>,
}

/// A group that makes the calls of a library, with *Auto* or a chosen algorithm: a [`Group`] or the result of [`Group::using`]. The trait
/// is sealed: no other crate can implement it.
pub trait Caller<P: Registered>: Sealed {
    /// The group.
    fn group(&self) -> &Group<'_>;

    /// The algorithm.
    fn algorithm(&self) -> Algorithm<P>;
}

/// Private to the crate, so that no other crate can implement [`Caller`].
mod sealed {
    pub trait Sealed {}
}

impl Sealed for Group<'_> {}

impl<P: Registered> Sealed for Using<'_, P> {}

impl<P: Registered> Caller<P> for Group<'_> {
    fn group(&self) -> &Group<'_> {
        self
    }

    fn algorithm(&self) -> Algorithm<P> {
        P::AUTO
    }
}

impl<P: Registered> Caller<P> for Using<'_, P> {
    fn group(&self) -> &Group<'_> {
        self.group
    }

    fn algorithm(&self) -> Algorithm<P> {
        self.algorithm.clone()
    }
}
