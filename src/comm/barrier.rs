//! Barrier over all members of a group.

use std::iter;

use super::Group;
use crate::{endpoint::Call, error::CommError, payload::Payload, record::Part};

impl Group<'_> {
    /// Waits for all nodes of the machine in its hardware barrier. The group must contain all nodes.
    #[track_caller]
    pub(crate) fn world_barrier(&self) -> Result<(), CommError> {
        self.called().barrier()
    }

    /// Waits until all members have called `barrier`.
    ///
    /// The world of a machine with a hardware barrier uses the hardware: every node continues `barrier` after the last arrival. Other
    /// groups exchange empty messages by *dissemination* (Hensgen, Finkel and Manber 1988): in round k, rank r sends to rank r + 2^k and
    /// receives from rank r - 2^k, modulo the size. This takes ceil(log2 p) rounds of alpha for any p and needs no root.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    #[doc(alias = "MPI_Barrier")]
    #[track_caller]
    pub fn barrier(&self) -> Result<(), CommError> {
        self.note_call();
        let tag = self.agree(&Call::new("barrier", &"a barrier", ()))?;
        if self.is_world() && self.machine().parameters().barrier().is_some() {
            return self.called().barrier();
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
