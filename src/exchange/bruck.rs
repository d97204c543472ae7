//! *Bruck*: few long messages instead of many short ones, for messages that are hardly longer than nothing.
//!
//! **What it does.** The way that a message has to go around the ring is written in digits of a radix `r`. For each
//! digit, the lowest first, and each value `d` that it can have, every node sends to the one `d r^k` further on, as one
//! message, all that it has whose digit `k` is `d`: its own and what has come in earlier rounds. With radix 2 these are
//! the fewest messages; a larger one sends more, and each byte fewer times. On a mesh whose rows have `r` nodes the two
//! digits of radix `r` are the way along the row and along the column, nearly.
//!
//! **Restrictions.** None.
//!
//! **Cost.** With radix 2 `ceil(log2 p) alpha + ceil(log2 p) p/2 s beta` for messages of `s` bytes, each of which moves
//! up to `log2 p` times; with radix `r` about `log_r p (r - 1) (alpha + p/r s beta)`. What is sent together is copied
//! together first.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", IEEE TPDS 8(11), 1997.

use super::{
    ExchangeError, Instance, Matrix,
    walker::{Blocks, walk},
};
use crate::{
    comm::{Group, Payload, Request},
    pattern::{Builder, Exchange, Schedule, Transfer},
    rank::{Rank, Tag},
    time::Span,
};

/// The schedule with a radix of at least 2; its blocks are the messages of the matrix, by sender and then by receiver,
/// without those to oneself.
pub(super) fn schedule(matrix: &Matrix, radix: usize, exchange: Exchange) -> Schedule {
    let nodes = matrix.nodes();
    let messages: Vec<(Rank, Rank, u64)> = messages(matrix).collect();
    let origins: Vec<Rank> = messages.iter().map(|&(from, ..)| from).collect();
    let sizes: Vec<u64> = messages.iter().map(|&(.., bytes)| bytes).collect();
    let mut builder = Builder::new(nodes, &origins, &sizes, exchange);
    let mut weight = 1;
    while weight < nodes {
        for digit in 1..radix.min(nodes.div_ceil(weight)) {
            let mut sent: Vec<Vec<u32>> = vec![Vec::new(); nodes];
            for (block, &(from, to, _)) in (0..).zip(&messages) {
                let way = (to + nodes - from) % nodes;
                if way / weight % radix == digit {
                    sent[(from + way % weight) % nodes].push(block);
                }
            }
            let transfers = sent.into_iter().enumerate().filter(|(_, blocks)| !blocks.is_empty());
            builder.hand_over(transfers.map(|(from, blocks)| Transfer {
                from,
                to: (from + digit * weight) % nodes,
                blocks: blocks.into(),
            }));
        }
        weight = weight.saturating_mul(radix);
    }
    builder.finish()
}

/// What it takes at least with a radix: the mean of what the ports of all nodes need.
pub(super) fn least(instance: &Instance, radix: usize) -> Span {
    let (parameters, nodes) = (instance.parameters(), instance.size());
    let moves = |mut way: usize| {
        let mut moves = 0;
        while way > 0 {
            moves += u64::from(!way.is_multiple_of(radix));
            way /= radix;
        }
        moves
    };
    let moved =
        messages(instance.matrix()).map(|(from, to, bytes)| bytes * moves((to + nodes - from) % nodes));
    let mean = moved.sum::<u64>() as f64 / nodes as f64;
    // A thousandth for what is rounded.
    Span::from_secs_f64(0.999 * mean * parameters.beta() * 2.0 / parameters.duplex())
}

/// The radices that are worth a try, at most so many: those of the least cost where all messages are of their mean
/// length.
pub(super) fn radices(instance: &Instance, most: usize) -> Vec<usize> {
    let (parameters, nodes) = (instance.parameters(), instance.size());
    let bytes: u64 = messages(instance.matrix()).map(|(.., bytes)| bytes).sum();
    let mean = bytes as f64 / (nodes * nodes) as f64 * 2.0 / parameters.duplex();
    let cost = |radix: usize| {
        let (mut weight, mut cost) = (1, 0.0);
        while weight < nodes {
            for digit in 1..radix.min(nodes.div_ceil(weight)) {
                let moved = (0..nodes).filter(|way| way / weight % radix == digit).count() as f64;
                cost +=
                    parameters.alpha().as_secs_f64() + moved * mean * (parameters.beta() + parameters.copy());
            }
            weight = weight.saturating_mul(radix);
        }
        cost
    };
    let all = (2..nodes.max(3)).take_while(|&radix| radix <= 4 || radix * radix <= 2 * nodes);
    let mut all: Vec<(f64, usize)> = all.map(|radix| (cost(radix), radix)).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    all.into_iter().take(most).map(|(_, radix)| radix).collect()
}

/// Carries out a rank's part of a schedule: `own` is what it has for each rank. What comes from each.
pub(super) fn carry_out<'g>(
    group: &'g Group<'g>,
    schedule: &Schedule,
    tag: Tag,
    started: &mut Vec<Request<'g>>,
    matrix: &Matrix,
    own: impl Fn(Rank) -> Payload,
) -> Result<Vec<Payload>, ExchangeError> {
    let rank = group.rank();
    let blocks = || (0_u32..).zip(messages(matrix));
    let here = blocks().filter(|(_, (from, ..))| *from == rank);
    let mut cargo = Blocks::new(schedule, here.map(|(block, (_, to, _))| (block, own(to))).collect());
    walk(group, schedule, tag, started, &mut cargo)?;
    let mut incoming = vec![Payload::empty(); matrix.nodes()];
    for (block, (from, ..)) in blocks().filter(|(_, (_, to, _))| *to == rank) {
        incoming[from] = cargo.remove(block);
    }
    Ok(incoming)
}

/// The messages that have to be sent.
pub(super) fn messages(matrix: &Matrix) -> impl Iterator<Item = (Rank, Rank, u64)> + '_ {
    matrix.messages().filter(|(from, to, _)| from != to)
}
