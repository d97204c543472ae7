//! Counters of the busiest links: the number of messages that move over each link at the same time.
//!
//! A message moves over all links of its route from the instant at which it takes the sender's out-port until it has
//! left, so the counters follow from [`Transfer`]s and the topology.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    io::{self, Write},
};

use super::{
    super::Transfer,
    file::{File, Record},
};
use crate::{
    rank::Rank,
    time::Time,
    topology::{LinkId, Topology},
};

/// Maximum number of links with counters.
const MAX_COUNTERS: usize = 8;

/// Writes counters of the links with the most bytes; the lower link number wins a tie.
pub(super) fn write<W: Write>(
    transfers: &[Transfer],
    topology: &dyn Topology,
    file: &mut File<W>,
) -> io::Result<()> {
    let moving = || transfers.iter().filter(|transfer| transfer.entered < transfer.left);
    let mut pairs: BTreeMap<(Rank, Rank), Pair> = BTreeMap::new();
    for transfer in moving() {
        pairs.entry((transfer.from, transfer.to)).or_default().bytes += transfer.bytes;
    }
    let mut bytes: BTreeMap<LinkId, u64> = BTreeMap::new();
    for (&(from, to), pair) in &mut pairs {
        topology.route(from, to, &mut pair.links);
        pair.links.iter().for_each(|&link| *bytes.entry(link).or_default() += pair.bytes);
    }
    let mut busiest: Vec<(Reverse<u64>, LinkId)> =
        bytes.into_iter().map(|(link, bytes)| (Reverse(bytes), link)).collect();
    busiest.sort_unstable();
    busiest.truncate(MAX_COUNTERS);
    // For each of these links, the change of its number of messages at each instant: +1 for a message that begins to
    // move, -1 for one that has left.
    let mut changes: BTreeMap<LinkId, BTreeMap<Time, i64>> =
        busiest.iter().map(|&(_, link)| (link, BTreeMap::from([(Time::ZERO, 0)]))).collect();
    for transfer in moving() {
        for link in &pairs[&(transfer.from, transfer.to)].links {
            if let Some(changes) = changes.get_mut(link) {
                *changes.entry(transfer.entered).or_default() += 1;
                *changes.entry(transfer.left).or_default() -= 1;
            }
        }
    }
    for (_, link) in busiest {
        let name = format!("flows over {}", topology.link(link));
        let mut flows = 0_i64;
        for (&at, &change) in &changes[&link] {
            flows += change;
            // If one message directly follows another, the number does not change.
            if change != 0 || at == Time::ZERO {
                file.append(&Record::counter(&name, at, flows.unsigned_abs()))?;
            }
        }
    }
    Ok(())
}

/// The traffic between an ordered pair of nodes.
#[derive(Default)]
struct Pair {
    bytes: u64,
    links: Vec<LinkId>,
}
