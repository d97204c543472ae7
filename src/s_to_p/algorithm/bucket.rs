//! Algorithm *Bucket*: ring all-gather within the rows and then within the columns, or in the opposite order.
//!
//! **What it does.** In the first phase the lines of one dimension are rings. A *bucket* is everything that a node holds at the beginning
//! of the phase. In each step a node sends to its successor in the ring one bucket that it has not forwarded yet, its own bucket first,
//! until every bucket has visited every node. In the second phase the rings of the other dimension do the same. *Even* buckets contain at
//! most the mean number of messages per node of the ring: a node that holds more has several buckets, and no step waits for a large one.
//!
//! **Restrictions.** None.
//!
//! **Cost.** With plain buckets and the rows first up to `(c - 1) (alpha + n beta) + (r - 1) (alpha + m beta)`, where `m` is the largest number
//! of source bytes in one row: `(r + c - 2) alpha + (p - 1) n beta` if all nodes are sources. Half duplex doubles the bytes. Each link carries one message at a time on every mesh. *Bucket*
//! is therefore the fastest where halving suffers from contention: with many sources and links no faster than the nodes.
//!
//! **Source.** The ring all-gather of Barnett et al., "Building a High-Performance Collective Communication Library",
//! 1994, section 4.

use super::{
    Algorithm, Draft, Entry, Instance, VariantCost, Variants, br_xy::First, each_with_cost, in_node_order, of,
};
use crate::{
    pattern::{Builder, Exchange, ring},
    plan::rings::Rings,
    rank::Rank,
};

impl Algorithm {
    /// Rings in rows and in columns, `(r + c - 2) alpha + (m + s n) beta`: contention-free, for slow links.
    pub const BUCKET: Algorithm = of(&BUCKET);
}

static BUCKET: Entry = Entry::new("bucket", |planning| variants(planning.problem))
    .aliases(&["ring"])
    .about("ring all-gathers in rows and columns: contention-free, for slow links")
    .source("Barnett et al. 1994, section 4")
    .cost("rows first, plain buckets: up to `(c - 1) (alpha + n beta) + (r - 1) (alpha + m beta)`, where `m` is the most source bytes in a row; all nodes sources: `(r + c - 2) alpha + (p - 1) n beta`");

/// Returns both orders of the dimensions, each with plain buckets and, unless every node is a source, with even buckets.
fn variants(instance: &Instance) -> Variants {
    let is_even = [false, true].into_iter().take(1 + usize::from(instance.sources().len() < instance.size()));
    let ordered = in_node_order(instance);
    let orders = First::orders(ordered.grid()).iter();
    let choices = orders.flat_map(|&first| is_even.clone().map(move |is_even| (first, is_even)));
    let name = |(first, is_even): (First, bool)| {
        if is_even { format!("{}, even buckets", first.name()) } else { first.name().to_owned() }
    };
    let held = || ordered.sources().iter().copied().zip(ordered.lengths().iter().copied());
    let cost = |(first, is_even): (First, bool)| cost(&ordered, held(), first.lines(ordered.grid()), is_even);
    each_with_cost(choices, cost, name, draft)
}

fn draft(instance: &Instance, (first, is_even): (First, bool), exchange: Exchange) -> Draft {
    Draft::whole(instance, exchange, |builder| all_gather(builder, first.lines(instance.grid()), is_even))
}

/// Runs the ring all-gathers of both phases, starting from the blocks that the nodes hold.
pub(super) fn all_gather(builder: &mut Builder, phases: [Vec<Vec<Rank>>; 2], is_even: bool) {
    phases
        .iter()
        .for_each(|rings| ring::all_gather(builder, rings, |counts| blocks_per_message(counts, is_even)));
}

/// Returns the lower bound and number of messages of both phases, without building the schedule, for given block sizes at given nodes.
pub(super) fn cost(
    instance: &Instance,
    blocks: impl IntoIterator<Item = (Rank, u64)>,
    phases: [Vec<Vec<Rank>>; 2],
    is_even: bool,
) -> VariantCost {
    let mut rings = Rings::of(instance.size(), blocks);
    phases.iter().for_each(|lines| rings.all_gather(lines, |counts| blocks_per_message(counts, is_even)));
    VariantCost {
        lower_bound: rings.lower_bound(instance.machine().parameters()),
        messages: rings.messages(),
    }
}

/// Returns the maximum number of blocks in a bucket.
fn blocks_per_message(counts: &[usize], is_even: bool) -> usize {
    if is_even { counts.iter().sum::<usize>().div_ceil(counts.len()) } else { usize::MAX }
}
