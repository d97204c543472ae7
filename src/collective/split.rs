//! Groups by each member's own color and key.

use super::{Collective, CollectiveError};
use crate::{
    comm::{Call, Group},
    rank::Rank,
};

/// The name of the call in reports.
const SPLIT: &str = "split";

/// What a rank without a color contributes.
const UNDEFINED: u64 = u64::MAX;

/// # Groups by color and key
impl<'n> Group<'n> {
    /// Divides this group by each member's own color and key, as `MPI_Comm_split` does: the members of one color form a group, in the order
    /// of their keys, and of their ranks in this group where keys are equal. Every member calls this method. A member without a color
    /// (`None`, in place of `MPI_UNDEFINED`) gets no group. The color `usize::MAX` also counts as none.
    ///
    /// Color and key have the type of ranks and coordinates, from which they are usually computed. The result is an `Option` because only
    /// the program knows which members have a color; a member that has one gets `Some`.
    ///
    /// If every member can compute the colors of all ranks, [`split_by`](Group::split_by) needs no message.
    ///
    /// ```
    /// use multicomputer::prelude::*;
    ///
    /// let loads = [30, 20, 10, 50, 40];
    /// let run = Machine::hockney(1, 5).build()?.run(|node| {
    ///     // Nodes with little to do form a group, in the order of their loads; the others get none.
    ///     let load = loads[node.rank()];
    ///     let idle = node.world().split((load < 40).then_some(0), load)?;
    ///     Ok(idle.map(|group| (group.rank(), group.size())))
    /// })?;
    /// assert_eq!(run.outputs, [Some((2, 3)), Some((1, 3)), Some((0, 3)), None, None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CollectiveError`] if another member makes another collective call, or if a message cannot be sent or received.
    ///
    /// # Cost
    /// An [all-gather](Collective::all_gather) of 16 bytes of each member, by *Auto*.
    #[doc(alias = "MPI_Comm_split")]
    #[doc(alias = "comm_split")]
    #[track_caller]
    pub fn split(
        &self,
        color: impl Into<Option<usize>>,
        key: usize,
    ) -> Result<Option<Group<'n>>, CollectiveError> {
        let color = color.into().map_or(UNDEFINED, |color| color as u64);
        // Numbered calls: this one, and the all-gather.
        let all = self.library_call(SPLIT, || {
            self.numbered(2, || {
                self.agree(&Call::new(SPLIT, &"a split by colors and keys", ()))?;
                self.all_gather(&[color, key as u64], 2 * self.size())
            })
        })?;
        if color == UNDEFINED {
            return Ok(None);
        }
        let all = all.chunks_exact(2).zip(0..);
        let mut members: Vec<(u64, Rank)> =
            all.filter(|(of, _)| of[0] == color).map(|(of, rank)| (of[1], rank)).collect();
        members.sort_unstable();
        let ranks: Vec<Rank> = members.into_iter().map(|(_, rank)| rank).collect();
        Ok(Some(self.subgroup(&ranks)?))
    }
}
