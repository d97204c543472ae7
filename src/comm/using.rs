//! Calls of the libraries, and the algorithms that they are carried out by.

use super::Group;
use crate::plan::{Choice, IntoChoice, Registered, sealed::Sealed};

impl Group<'_> {
    /// The same group for calls by an algorithm of choice, by one of [one's own](crate::plan::Own), or by the fastest of
    /// [several](crate::plan::Choice); without one, *Auto* chooses. The algorithm decides which library's calls there are.
    ///
    /// ```
    /// use multicomputer::{collective::{self, Sum}, prelude::*, stop};
    ///
    /// let run = Machine::paragon(2, 2).build()?.run(|node| {
    ///     let (world, rank) = (node.world(), node.rank());
    ///     let mut x = [rank as u32];
    ///     world.using(collective::Algorithm::SHORT).combine_all(&mut x, Sum)?;
    ///     let mine: &[u32] = if rank < 2 { &x } else { &[] };
    ///     Ok(world.using(stop::Algorithm::BR_LIN).broadcast_from(&[(0, 1), (1, 1)], mine)?)
    /// })?;
    /// assert_eq!(run.outputs[3], [[6], [6]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn using<A: IntoChoice>(&self, algorithm: A) -> Using<'_, A::Problem> {
        Using { group: self, choice: algorithm.into_choice() }
    }
}

/// A group with an algorithm for its calls: see [`Group::using`].
#[derive(Clone, Debug)]
pub struct Using<'g, P: Registered> {
    group: &'g Group<'g>,
    choice: Choice<P>,
}

/// A group that makes the calls of a library, by *Auto* or by an algorithm of choice: a [`Group`] or what
/// [`Group::using`] returns. It is sealed: no other crate can implement it.
pub trait Caller<P: Registered>: Sealed {
    /// The group.
    fn group(&self) -> &Group<'_>;

    /// The algorithm, or those among which is chosen.
    fn choice(&self) -> Choice<P>;
}

impl Sealed for Group<'_> {}

impl<P: Registered> Sealed for Using<'_, P> {}

impl<P: Registered> Caller<P> for Group<'_> {
    fn group(&self) -> &Group<'_> {
        self
    }

    fn choice(&self) -> Choice<P> {
        P::AUTO.into()
    }
}

impl<P: Registered> Caller<P> for Using<'_, P> {
    fn group(&self) -> &Group<'_> {
        self.group
    }

    fn choice(&self) -> Choice<P> {
        self.choice.clone()
    }
}
