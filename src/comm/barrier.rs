//! Barrier over all members of a group.

use std::iter;

use super::{
    Group,
    transport::{From, To},
};
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
        let Some(rounds) = self.barrier_rounds()? else {
            self.agree(&Call::new("barrier", &"a barrier", ()))?;
            return self.called().barrier();
        };
        if rounds.is_empty() {
            return Ok(());
        }
        let transport = self.transport();
        let mut rounds = rounds.into_iter();
        self.library_call("barrier", || {
            let round = |(to, from)| transport.send_recv(to, Payload::empty(), from).map(drop);
            self.as_part(|| Part::operation("barrier"), || rounds.try_for_each(round))
        })
    }

    /// Announces a [barrier](Group::barrier) of this member, and returns for each of its rounds the destination of the empty message that the
    /// member sends and the source of the one that it receives. A caller that makes other calls in between can carry out the rounds itself, while
    /// other members call [`barrier`](Group::barrier). `None` if the machine has a hardware barrier for this group; nothing is announced then.
    ///
    /// # Errors
    /// The errors common to all calls of a [`Group`].
    pub fn barrier_rounds(&self) -> Result<Option<Vec<(To, From)>>, CommError> {
        if self.is_world() && self.machine().parameters().barrier().is_some() {
            return Ok(None);
        }
        let tag = self.agree(&Call::new("barrier", &"a barrier", ()))?;
        let (size, rank, context) = (self.size(), self.rank(), self.private().context());
        let distances = iter::successors(Some(1), |distance| Some(2 * distance)).take_while(|&it| it < size);
        let node = |rank: usize| self.to(rank % size, tag).rank;
        let round = |distance: usize| {
            let to = To { rank: node(rank + distance), context, tag };
            (to, From { context, source: Some(node(rank + size - distance)), tag: Some(tag) })
        };
        Ok(Some(distances.map(round).collect()))
    }
}
