//! Algorithm *Circulant*: pipelined broadcasts from all sources at once on a circulant graph.
//!
//! **What it does.** The nodes form a ring in the order of the line of [*Spread*](super::spread). In round `k` each node sends to the node
//! `d` positions ahead and receives from the node `d` positions behind, where `d` runs through `ceil(p/2)`, `ceil(p/4)`, .., 1 and then
//! starts again. Each message is cut into `b` blocks. A source sends its next block until it has sent all of them; any other node sends, of
//! each source's blocks, the newest one that the receiver does not have. All blocks for one receiver form one message. This rule is
//! executed once, when the schedule is made; it ends when every node has all blocks.
//!
//! If the network latency exceeds the send and receive overheads, whole messages may also go to several nodes in a round, at multiples of a
//! distance: the radix is one more than the number of these nodes. For each number of rounds the smallest radix is a candidate; the fastest
//! few by the closed form are tried, with at most 65,536 messages, or 24 per node if that is more.
//!
//! If lengths differ, there are also variants with `b` blocks of the longest message and fewer of the others, all of about the same length:
//! the short messages finish early, and the long ones follow in their larger number of blocks.
//!
//! **Restrictions.** None. At most 64 blocks per message, and 256 in total unless there are more sources.
//!
//! **Cost.** About `ceil(log2 p) + b - 1` rounds, the minimum for full-duplex nodes, each of `alpha + s (n/b) beta`. For `p` up to 256 the
//! rule above was counted to need this number or up to two rounds more. With `b = 1` it is the dissemination (Bruck) all-gather, with as
//! many rounds as halving has iterations, on any `p`. Blocks of several sources must be copied into one message. With radix `r` there are
//! `ceil(log_r p)` rounds, in each of which a node sends `r - 1` messages and then receives as many: `(r - 1) (o_s + o_r)` plus one
//! latency, or less if the first message arrives before the last one has left.
//!
//! **Source.** The graph and the number of rounds: J. L. Träff, "Fast(er) construction of round-optimal n-block broadcast schedules", arXiv
//! 2205.10072, and A. Bar-Noy, S. Kipnis, "Broadcasting multiple messages in simultaneous send/receive systems", Discrete Applied
//! Mathematics 55, 1994. The rule that selects blocks is simpler here. Several receivers per round: J. Bruck et al., "Efficient algorithms
//! for all-to-all communications in multiport message-passing systems", IEEE TPDS 8(11), 1997.

use super::{
    Algorithm, Draft, Entry, Instance, Variants,
    cut::{Cut, are_similar, cut},
    each, of,
    spread::with_ideal_holders,
};
use crate::{
    pattern::{Exchange, circulant, line},
    plan::{concurrent_round_time, max_concurrent_messages},
    time::Span,
};

impl Algorithm {
    /// Pipelined broadcasts on a circulant graph: about `ceil(log2 p) + b - 1` rounds for messages in `b` blocks, on any `p`.
    pub const CIRCULANT: Algorithm = of(&CIRCULANT);
}

static CIRCULANT: Entry = Entry::new("circulant", |planning| variants(planning.problem))
    .about("pipelined broadcasts from all sources at once on a circulant graph")
    .source("Traeff, arXiv 2205.10072; Bar-Noy, Kipnis 1994")
    .cost("about `ceil(log2 p) + b - 1` rounds of up to `alpha + s n/b beta` for `b` blocks of each message; or `ceil(log_r p)` rounds of up to `(r - 1) (o_s + o_r) + L + hop` and the bytes");

/// Maximum number of blocks per message.
const MAX_BLOCKS: usize = 64;

/// Maximum number of blocks of all messages, unless there are more messages: more blocks gain nothing and take longer to plan.
const MAX_BLOCKS_IN_TOTAL: usize = 256;

/// Maximum number of radices above two that are tried.
const MAX_RADICES: usize = 3;

/// Returns the variants: 1 block, powers of two near the optimum of the closed form, and radices above two. The closed form ignores
/// contention and incomplete overlap; the prediction decides among the variants.
fn variants(instance: &Instance) -> Variants {
    let alike = near(instance, |blocks| blocks * instance.sources().len()).map(|blocks| (Cut::Alike, blocks));
    let in_all = |blocks| Cut::ByLength.counts(instance.lengths(), blocks).iter().sum();
    let by_length = near(instance, in_all).filter(|&blocks| blocks > 1 && !are_similar(instance.lengths()));
    let name = |mode| match mode {
        Mode::Blocks(Cut::Alike, 1) => "1 block".to_owned(),
        Mode::Blocks(Cut::Alike, blocks) => format!("{blocks} blocks"),
        Mode::Blocks(Cut::ByLength, blocks) => format!("up to {blocks} blocks"),
        Mode::Radix(radix) => format!("radix {radix}"),
    };
    let by_length = by_length.map(|blocks| Mode::Blocks(Cut::ByLength, blocks));
    let modes = alike.map(|(cut, blocks)| Mode::Blocks(cut, blocks)).chain(by_length);
    each(modes.chain(radices(instance).into_iter().map(Mode::Radix)), name, draft)
}

/// The cut of the messages into a number of blocks, or the radix (above two) with which whole messages are sent.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Blocks(Cut, usize),
    Radix(usize),
}

/// Returns at most `MAX_RADICES` radices that are faster than radix two by the closed form: the smallest per number of rounds, the fastest
/// first.
fn radices(instance: &Instance) -> Vec<usize> {
    let nodes = instance.size();
    let two = closed_form(instance, 2);
    // A larger radix needs at most as many rounds; among the radices with the same number of rounds the smallest is the fastest.
    let mut radices: Vec<usize> = (3..=nodes).collect();
    radices.retain(|&radix| {
        (radix - 1) * circulant::strides(nodes, radix).len() <= max_concurrent_messages(nodes)
    });
    radices.dedup_by_key(|radix| circulant::strides(nodes, *radix).len());
    radices.retain(|&radix| closed_form(instance, radix) < two);
    radices.sort_by_key(|&radix| closed_form(instance, radix));
    radices.truncate(MAX_RADICES);
    radices
}

/// Returns the time of all rounds with a radix, without the time of the bytes, which is about the same for all radices.
fn closed_form(instance: &Instance, radix: usize) -> Span {
    let rounds = circulant::strides(instance.size(), radix).len();
    concurrent_round_time(instance.machine(), radix - 1).times(rounds as u64)
}

/// Returns 1, and the powers of two near the optimum for which the total number of blocks, given by `in_all`, is within the limit.
fn near(instance: &Instance, in_all: impl Fn(usize) -> usize) -> impl Iterator<Item = usize> {
    let numbers = (0..=MAX_BLOCKS.ilog2()).map(|exponent| 1 << exponent);
    let numbers: Vec<usize> =
        numbers.take_while(|&blocks| blocks == 1 || in_all(blocks) <= MAX_BLOCKS_IN_TOTAL).collect();
    let most = (MAX_BLOCKS_IN_TOTAL / in_all(1).max(1)).clamp(1, MAX_BLOCKS);
    let best = best_block_count(instance).min(most.max(numbers[numbers.len() - 1]) as f64);
    numbers.into_iter().filter(move |&blocks| blocks == 1 || (0.4..=2.5).contains(&(blocks as f64 / best)))
}

/// Returns the number `b` of blocks that minimizes `(log2 p + b - 1) (o_s + o_r + n beta / b)`, where `n` is the bytes of all sources
/// together and `2 beta / d` replaces `beta` (`d`: duplex factor).
fn best_block_count(instance: &Instance) -> f64 {
    let parameters = instance.parameters();
    let round = (parameters.send_overhead() + parameters.receive_overhead()).as_secs_f64();
    let bytes = instance.bytes() as f64 * parameters.beta() * 2.0 / parameters.duplex();
    let more_rounds = (instance.size() as f64).log2() - 1.0;
    (more_rounds.max(0.0) * bytes / round).sqrt().clamp(1.0, MAX_BLOCKS as f64)
}

pub(super) fn draft(instance: &Instance, mode: Mode, exchange: Exchange) -> Draft {
    let ring = || with_ideal_holders(line::bisection(instance.grid()), &instance.holders_evened());
    let (rule, blocks) = match mode {
        Mode::Blocks(rule, blocks) => (rule, blocks),
        Mode::Radix(radix) => {
            return Draft::whole(instance, exchange, |builder| {
                circulant::all_gather(builder, &[ring()], radix)
            });
        }
    };
    let (counts, ring) = (rule.counts(instance.lengths(), blocks), ring());
    Draft::moving(instance, cut(instance, &counts), exchange, |builder| {
        circulant::broadcast(builder, &ring, instance.sources(), &counts);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::MachineSpec, rank::Rank};

    fn rounds(nodes: usize, sources: &[Rank], blocks: usize) -> usize {
        let machine: MachineSpec = format!("line:{nodes}").parse().unwrap();
        let instance = Instance::new(&machine, sources, &vec![64; sources.len()]).unwrap();
        draft(&instance, Mode::Blocks(Cut::Alike, blocks), Exchange::InTurn).schedule.iterations()
    }

    /// Broadcasting `b` blocks takes at least `ceil(log2 p) + b - 1` rounds, from one source or from several together.
    #[test]
    fn at_most_two_rounds_more_than_needed() {
        for nodes in 2_usize..=130 {
            let log = nodes.next_power_of_two().ilog2() as usize;
            for blocks in [1, 2, 3, 4, 8, 16, 64] {
                let fewest = log + blocks - 1;
                let one = rounds(nodes, &[nodes / 3], blocks);
                assert!((fewest..=fewest + 2).contains(&one), "{blocks} blocks on {nodes}: {one}");
            }
            let two = rounds(nodes, &[0, nodes - 1], 4);
            assert!((log + 3..=log + 5).contains(&two), "two sources on {nodes}: {two}");
        }
    }

    /// With one block the schedule is the dissemination all-gather for any set of sources.
    #[test]
    fn whole_messages_take_a_logarithm_of_rounds() {
        for nodes in 2_usize..=130 {
            let log = nodes.next_power_of_two().ilog2() as usize;
            let all: Vec<Rank> = (0..nodes).collect();
            assert_eq!(rounds(nodes, &[nodes - 1], 1), log, "{nodes}");
            assert_eq!(rounds(nodes, &all, 1), log, "{nodes}");
        }
        assert_eq!(rounds(1, &[0], 1), 0);
    }

    #[test]
    fn the_numbers_of_blocks_are_near_the_best_one() {
        let tried = |sources: usize, bytes: u64| {
            let machine: MachineSpec = "hockney:16x16".parse().unwrap();
            let sources: Vec<Rank> = (0..sources).collect();
            let variants =
                variants(&Instance::new(&machine, &sources, &vec![bytes; sources.len()]).unwrap()).unwrap();
            Vec::from_iter(variants.into_iter().step_by(2).map(|variant| variant.name().to_owned()))
        };
        assert_eq!(tried(1, 0), ["1 block, in turn", "2 blocks, in turn"]);
        // (7 * 131072 * 50 ns / 130 us)^(1/2) = 18.8
        assert_eq!(tried(1, 128 << 10).len(), 4);
        assert_eq!(
            tried(1, 128 << 10)[1..],
            ["8 blocks, in turn", "16 blocks, in turn", "32 blocks, in turn"]
        );
        assert_eq!(
            tried(30, 128 << 10)[1..],
            ["4 blocks, in turn", "8 blocks, in turn"],
            "256 blocks in all"
        );
        assert_eq!(tried(1, 1 << 30)[1..], ["32 blocks, in turn", "64 blocks, in turn"]);
    }
}
