//! Waiting for all members of a group.

use std::iter;

use super::Group;
use crate::{endpoint::Call, error::CommError, payload::Payload, record::Part};

impl Group<'_> {
    /// Waits for all nodes of the machine, by its hardware barrier; only for a group of all of them.
    pub(crate) fn world_barrier(&self) -> Result<(), CommError> {
        self.endpoint().barrier()
    }

    /// Returns when all members have called it.
    ///
    /// The world of a machine with a hardware barrier uses that: everybody goes on `barrier` after the last one came.
    /// Otherwise empty messages are exchanged by *dissemination* (Hensgen, Finkel and Manber 1988): in round k each
    /// rank sends to the one 2^k further on and receives from the one 2^k behind, around the group; ceil(log2 p)
    /// rounds of alpha, any p, no root.
    ///
    /// # Errors
    /// Those of all calls of a [`Group`].
    pub fn barrier(&self) -> Result<(), CommError> {
        let tag = self.agree(&Call::new("barrier", &"a barrier", ()))?;
        if self.is_world() && self.machine().parameters().barrier().is_some() {
            return self.endpoint().barrier();
        }
        let size = self.size();
        if size == 1 {
            return Ok(());
        }
        let private = self.private();
        let round = |distance: usize| {
            let to = (self.rank() + distance) % size;
            let from = (self.rank() + size - distance) % size;
            private.sendrecv((to, tag), Payload::empty(), (from, tag)).map(drop)
        };
        let mut distances =
            iter::successors(Some(1), |distance| Some(2 * distance)).take_while(|&it| it < size);
        self.library_call("barrier", || {
            self.as_part(|| Part::operation("barrier"), || distances.try_for_each(round))
        })
    }
}
