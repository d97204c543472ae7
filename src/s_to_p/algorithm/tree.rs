//! Algorithm *Tree*: gathers all messages at one source and broadcasts them from there down the fastest tree.
//!
//! **What it does.** For one source, or a few short messages. The source with the longest message is the root; the others send their
//! messages to it. The tree follows the parameters of the machine: a sender is busy only for `o_s + n beta`, and may be at its second or
//! third message when its first receiver is ready to send. The next sender is always the node that can send earliest, so nodes that are
//! reached early get more children than the last ones. If `o_r` is small compared with `o_s`, the result is a binomial tree.
//!
//! **Restrictions.** None.
//!
//! **Cost.** Without contention, optimal for one message sent as a whole: with `g = o_s + n beta` and `t = alpha + n beta` the number of
//! nodes that hold the message grows as `N(x) = N(x - g) + N(x - t)`. The preceding gather takes `alpha + (s - 1) n beta + (s - 2) o_r`:
//! the messages share the in-port of the root, so messages of equal length arrive together, and then the receives follow each other.
//!
//! **Source.** Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{Algorithm, Draft, Entry, Instance, by_nodes, of, only, two_step};
use crate::{
    pattern::{Blocks, Exchange, Transfer, line},
    rank::Rank,
    time::Time,
};

impl Algorithm {
    /// Gathers all messages at one source and broadcasts them down the fastest tree for `o_s` and `alpha`. For one source, or a few short
    /// messages.
    pub const TREE: Algorithm = of(&TREE);
}

static TREE: Entry = Entry::new("tree", |_| only(|instance| by_nodes(instance, draft)))
    .aliases(&["optimal-tree"])
    .about("gathers all messages at one source, then broadcasts them down the fastest tree")
    .source("Karp, Sahay, Santos, Schauser, SPAA 1993")
    .cost("`alpha + (s - 1) n beta + (s - 2) o_r`, plus the least `x` with `N(x) >= p`, where `N(x) = N(x - g) + N(x - t)` from `t` on and 1 before, `g = o_s + s n beta`, `t = alpha + s n beta`");

fn draft(instance: &Instance) -> Draft {
    let (sources, lengths) = (instance.sources(), instance.lengths());
    let longest = (0..sources.len()).max_by_key(|&source| (lengths[source], Reverse(source))).unwrap_or(0);
    let root = sources[longest];
    Draft::whole(instance, Exchange::InTurn, |builder| {
        if sources.len() > 1 {
            two_step::gather(builder, sources, root);
        }
        let all: Blocks = builder.held(root).into();
        for pairs in rounds(instance, root) {
            let transfer = |(from, to)| Transfer { from, to, blocks: all.clone() };
            builder.iteration(pairs.into_iter().map(transfer));
        }
    })
}

/// Returns the sender-receiver pairs of each round. A node first sends in the round after it has received, and then in every round.
fn rounds(instance: &Instance, root: Rank) -> Vec<Vec<(Rank, Rank)>> {
    let parameters = instance.parameters();
    let (send, receive) = parameters.overheads(instance.bytes());
    let busy = send + parameters.transfer(instance.bytes());
    let informed = busy + parameters.latency() + receive;
    let line = line::bisection(instance.grid());
    let at = line.iter().position(|&rank| rank == root).unwrap_or(0);
    let mut waiting = line[at + 1..].iter().chain(&line[..at]).copied();
    let mut rounds: Vec<Vec<(Rank, Rank)>> = Vec::new();
    // Senders, as the time when the node is free, the round in which it sends next, and its rank.
    let mut senders = BinaryHeap::from([Reverse((Time::ZERO, 0, root))]);
    while let Some(Reverse((free, round, from))) = senders.pop() {
        let Some(to) = waiting.next() else { break };
        if rounds.len() <= round {
            rounds.resize_with(round + 1, Vec::new);
        }
        rounds[round].push((from, to));
        senders.push(Reverse((free + busy, round + 1, from)));
        senders.push(Reverse((free + informed, round + 1, to)));
    }
    rounds
}
