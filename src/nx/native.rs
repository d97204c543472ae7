//! NX's own algorithms for the global operations: see [`Library::Nx`](super::Library::Nx).

use bytemuck::Pod;

use super::{
    Nx, NxError,
    info::{Criteria, Types},
    system::tags,
};
use crate::{
    pattern::Halving,
    payload::Payload,
    rank::{Rank, Tag},
};

/// Combines by NX's algorithm; see [`Nx::combine`].
pub(super) fn combine<T: Pod + Send>(
    nx: &Nx<'_, '_>,
    x: &mut [T],
    mut f: impl FnMut(&mut [T], &[T]),
) -> Result<(), NxError> {
    let mut onto = |mine: &Payload, received: &Payload| {
        let mut combined = mine.to_vec::<T>()?;
        f(&mut combined, &received.to_vec()?);
        Ok(Payload::from(combined))
    };
    let result = combine_payloads(nx, Payload::from(&*x), &mut onto)?;
    if !x.is_empty() {
        x.copy_from_slice(&result.to_vec()?);
    }
    Ok(())
}

/// Combines up the tree of node 0, nearest child first, and broadcasts the result down the tree. All payloads must have the same length.
pub(super) fn combine_payloads(
    nx: &Nx<'_, '_>,
    mut mine: Payload,
    onto: &mut dyn FnMut(&Payload, &Payload) -> Result<Payload, NxError>,
) -> Result<Payload, NxError> {
    let neighbors = nx.tree_neighbors(0);
    let here = mine.len();
    for &child in neighbors.children.iter().rev() {
        let received = from(nx, child, tags::COMBINE)?;
        same_length(child, received.len(), here)?;
        nx.copy(here)?;
        nx.charge(nx.costs.gamma.times(here))?;
        mine = onto(&mine, &received)?;
    }
    let Some(parent) = neighbors.parent else { return spread(nx, Some(mine)) };
    nx.send_internal(parent, tags::COMBINE, mine)?;
    let result = spread(nx, None)?;
    same_length(0, result.len(), here)?;
    Ok(result)
}

/// Collects by NX's algorithm; see [`Nx::all_gather`].
pub(super) fn all_gather(
    nx: &Nx<'_, '_>,
    part: Payload,
    lengths: Option<&[u64]>,
) -> Result<Payload, NxError> {
    if nx.node.rank() > 0 {
        nx.send_internal(0, tags::GATHER, part)?;
        return spread(nx, None);
    }
    let mut whole = part;
    for node in 1..nx.node.size() {
        let received = from(nx, node, tags::GATHER)?;
        let given = received.len();
        if let Some(expected) = lengths.map(|lengths| lengths[node]).filter(|&expected| expected != given) {
            return Err(NxError::Part { node, given, expected });
        }
        nx.copy(given)?;
        nx.charge(nx.costs.gather)?;
        whole.append(received);
    }
    spread(nx, Some(whole))
}

/// Synchronizes by the hardware barrier, or else by dissemination; see [`Nx::synchronize`].
pub(super) fn synchronize(nx: &Nx<'_, '_>) -> Result<(), NxError> {
    if nx.node.machine().parameters().barrier().is_some() {
        return Ok(nx.node.world().barrier()?);
    }
    let (me, size) = (nx.node.rank(), nx.node.size());
    for round in 0..Halving::new(size).iterations() {
        let distance = 1 << round;
        let tag = tags::sync(round as u32);
        let source = Some((me + size - distance) % size);
        let ticket = nx.post(Criteria { source, types: Types::One(tag) }, true)?;
        nx.send_internal((me + distance) % size, tag, Payload::empty())?;
        nx.wait_for(ticket)?;
    }
    Ok(())
}

/// Broadcasts `whole`, which only node 0 passes, to every node and returns it.
fn spread(nx: &Nx<'_, '_>, whole: Option<Payload>) -> Result<Payload, NxError> {
    match whole {
        Some(whole) => {
            nx.forward_broadcast(0, tags::SPREAD, &whole)?;
            Ok(whole)
        }
        None => from(nx, 0, tags::SPREAD),
    }
}

fn from(nx: &Nx<'_, '_>, node: Rank, tag: Tag) -> Result<Payload, NxError> {
    Ok(nx.take(Criteria { source: Some(node), types: Types::One(tag) })?.payload)
}

fn same_length(node: Rank, there: u64, here: u64) -> Result<(), NxError> {
    if there == here { Ok(()) } else { Err(NxError::Lengths { node, there, here }) }
}
