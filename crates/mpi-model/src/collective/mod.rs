//! Collective operations.

use crate::{communicator::Communicator, error::Result, process::Process};

/// Gathers bytes of all members on all members, by rank.
pub(crate) fn all_gather_bytes<'n>(
    _: &Process<'n>,
    communicator: &Communicator<'n>,
    own: Vec<u8>,
) -> Result<Vec<Vec<u8>>> {
    let group = &communicator.group;
    let mut all = vec![Vec::new(); group.size()];
    all[group.rank()] = own;
    // Around the ring: every step passes on what came last.
    let [next, last] = [group.rank() + 1, group.rank() + group.size() - 1].map(|rank| rank % group.size());
    let mut at = group.rank();
    for _ in 1..group.size() {
        let sent = all[at].clone();
        at = (at + group.size() - 1) % group.size();
        all[at] = group.sendrecv(next, sent, last)?.to_vec::<u8>().unwrap_or_default();
    }
    Ok(all)
}
