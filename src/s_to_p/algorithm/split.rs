//! Algorithm *Split*: each source first scatters its message in pieces; then all pieces are broadcast together.
//!
//! **What it does.** For few sources with long messages. Each source gets `q - 1` helpers, which are nodes near it on the line, and
//! scatters its message among them and itself by halving: after `ceil(log2 q)` steps each holds one piece. Then all pieces are
//! all-gathered: by halving as in [*Spread*](super::spread), on the graph of [*Circulant*](super::circulant) without further cutting, or in
//! rings as in [*Bucket*](super::bucket).
//!
//! If lengths differ, there are also variants in which messages are cut into pieces of about equal length: `q` pieces for the longest
//! message, fewer for shorter messages, and one for short messages. Helpers are nodes without a message, the nearest first. If there are
//! too few, sources with messages of one piece help too.
//!
//! **Restrictions.** At most half of the nodes are sources of messages longer than half the longest message. If all messages are cut into
//! `q` pieces, `2 <= q <= p / s`. The values tried for `q` are powers of two and the maximum; with rings only the maximum.
//!
//! **Cost.** `ceil(log2 q) alpha + (1 - 1/q) n beta` to scatter `n` bytes each, plus the cost of the second phase for `s q` pieces. The
//! doubling of whole messages, `log2(p/s) n beta`, becomes a doubling of pieces. This is the scatter and all-gather of long-vector broadcasts,
//! for several sources and with a choice of `q`. Rings are the fastest if links are slow.
//!
//! **Source.** The idea for one source: Barnett et al., "Building a High-Performance Collective Communication Library",
//! 1994; van de Geijn.

use std::collections::BTreeMap;

use super::{
    Algorithm, Draft, Entry, Instance, VariantCost, Variants,
    br_xy::First,
    bucket,
    cut::{Cut, are_similar, cut},
    each_with_cost, in_node_order, of,
    spread::with_ideal_holders,
};
use crate::{
    pattern::{Builder, Exchange, Transfer, circulant, line},
    plan::Restriction,
    rank::Rank,
    text::count,
};

impl Algorithm {
    /// Scatters each message in pieces and then all-gathers the pieces by halving, on a circulant graph or in rings. Requires that at most
    /// half of the nodes are sources, not counting short messages. For few long messages.
    pub const SPLIT: Algorithm = of(&SPLIT);
}

static SPLIT: Entry = Entry::new("split", |planning| variants(planning.problem))
    .about("messages scattered in pieces to helper nodes, then all-gathered: for few long messages")
    .source("the idea for one source: Barnett et al. 1994; van de Geijn")
    .cost("`ceil(log2 q) alpha + (1 - 1/q) n beta`, plus the cost of `spread`, `circulant` or `bucket` for `s q` pieces of `n/q` bytes")
    .only_if(&[Restriction {
        text: "long messages (over half of the longest) on at most half of the nodes",
        is_met: |instance, ()| 2 * long_message_count(instance) <= instance.size(),
        found: |instance, ()| {
            let (sources, nodes) = (long_message_count(instance), instance.size());
            format!("long messages on {sources} of {}", count(nodes as u64, "node"))
        },
    }]);

/// Returns the number of messages that are longer than half the longest message, including the longest.
fn long_message_count(instance: &Instance) -> usize {
    let longest = instance.lengths().iter().copied().max().unwrap_or(0);
    instance.lengths().iter().filter(|&&length| length == longest || length > longest / 2).count()
}

/// Rule for cutting messages, the number of pieces of the longest message, and the algorithm that all-gathers the pieces.
type Choice = (Cut, usize, AllGather);

/// Returns the variants: every number of pieces by halving and on the circulant graph, and the largest number also in rings.
fn variants(instance: &Instance) -> Variants {
    let ordered = in_node_order(instance);
    let orders = First::orders(ordered.grid());
    let numbers = [Cut::Alike, Cut::ByLength].map(|cut| (cut, pieces(instance, cut)));
    let choices = numbers.iter().flat_map(|(cut, pieces)| {
        let anywhere =
            pieces.iter().flat_map(|&pieces| AllGather::ANYWHERE.map(|all_gather| (pieces, all_gather)));
        let most = pieces.iter().max().copied();
        let rings = most
            .into_iter()
            .flat_map(|most| orders.iter().map(move |&first| (most, AllGather::Rings(first))));
        anywhere.chain(rings).map(|(pieces, all_gather)| (*cut, pieces, all_gather))
    });
    let name = |(cut, pieces, all_gather): Choice| match cut {
        Cut::Alike => format!("{pieces} pieces, {}", all_gather.name()),
        Cut::ByLength => format!("up to {pieces} pieces, {}", all_gather.name()),
    };
    let cost = |(how, pieces, all_gather): Choice| match all_gather {
        AllGather::Rings(first) => {
            let counts = how.counts(ordered.lengths(), pieces);
            let teams = teams(&line::bisection(ordered.grid()), ordered.sources(), &counts);
            let pieces = cut(&ordered, &counts);
            let held = teams.into_iter().flatten().zip(pieces.iter().map(|piece| piece.bytes));
            bucket::cost(&ordered, held, first.lines(ordered.grid()), true)
        }
        AllGather::Halving | AllGather::Circulant => VariantCost::default(),
    };
    each_with_cost(choices.collect::<Vec<_>>(), cost, name, draft)
}

/// Returns the numbers of pieces to try, for which there are enough helpers: powers of two, and the maximum.
fn pieces(instance: &Instance, cut: Cut) -> Vec<usize> {
    let (nodes, lengths) = (instance.size(), instance.lengths());
    if cut == Cut::ByLength && are_similar(lengths) {
        return Vec::new();
    }
    let works = |&pieces: &usize| {
        let counts = cut.counts(lengths, pieces);
        let of_one_piece = counts.iter().filter(|&&count| count == 1).count();
        let helpers = nodes - lengths.len() + if cut == Cut::ByLength { of_one_piece } else { 0 };
        counts.iter().map(|count| count - 1).sum::<usize>() <= helpers
    };
    let mut pieces: Vec<usize> = (1..).map(|exponent| 1 << exponent).take_while(works).collect();
    if let Some(most) = (2..=nodes).rev().find(works).filter(|most| !pieces.contains(most)) {
        pieces.push(most);
    }
    pieces
}

/// The algorithm that all-gathers the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AllGather {
    Halving,
    Circulant,
    Rings(First),
}

impl AllGather {
    const ANYWHERE: [AllGather; 2] = [AllGather::Halving, AllGather::Circulant];

    fn name(self) -> String {
        match self {
            AllGather::Halving => "halving".to_owned(),
            AllGather::Circulant => "circulant".to_owned(),
            AllGather::Rings(first) => format!("rings, {}", first.name()),
        }
    }
}

fn draft(instance: &Instance, (how, pieces, all_gather): Choice, exchange: Exchange) -> Draft {
    let line = line::bisection(instance.grid());
    let counts = how.counts(instance.lengths(), pieces);
    let teams = teams(&line, instance.sources(), &counts);
    let cut = cut(instance, &counts);
    let bytes: Vec<u64> = cut.iter().map(|piece| piece.bytes).collect();
    Draft::moving(instance, cut, exchange, |builder| {
        deal(builder, &teams);
        let holders: Vec<Rank> = teams.concat();
        let mut loads: BTreeMap<Rank, u64> = BTreeMap::new();
        for (&rank, bytes) in holders.iter().zip(bytes) {
            *loads.entry(rank).or_default() += bytes;
        }
        let line = with_ideal_holders(line, &loads.into_iter().collect::<Vec<_>>());
        match all_gather {
            AllGather::Halving => builder.halve(&[line]),
            AllGather::Circulant => circulant::broadcast(builder, &line, &holders, &vec![1; holders.len()]),
            AllGather::Rings(first) => bucket::all_gather(builder, first.lines(instance.grid()), true),
        }
    })
}

/// Scatters each source's message by halving to its team, whose first member is the source: piece `k` to member `k`.
pub(super) fn deal(builder: &mut Builder, teams: &[Vec<Rank>]) {
    // The first block of each source.
    let firsts: Vec<usize> =
        (0..teams.len()).map(|source| teams[..source].iter().map(Vec::len).sum()).collect();
    let mut spans: Vec<(usize, usize, usize)> =
        teams.iter().enumerate().map(|(source, team)| (source, 0, team.len())).collect();
    while spans.iter().any(|&(_, start, end)| end - start > 1) {
        let mut transfers = Vec::new();
        spans = spans
            .into_iter()
            .flat_map(|(source, start, end)| {
                let middle = start + (end - start).div_ceil(2);
                if middle < end {
                    let block = |piece| (firsts[source] + piece) as u32;
                    transfers.push(Transfer {
                        from: teams[source][start],
                        to: teams[source][middle],
                        blocks: (middle..end).map(block).collect(),
                    });
                }
                [(source, start, middle), (source, middle, end)]
            })
            .filter(|&(_, start, end)| start < end)
            .collect();
        builder.move_blocks(transfers);
    }
}

/// Returns the team of each source: the source and one helper for each further piece. Helpers are the next free nodes along the line and,
/// if these do not suffice, the next sources of a single piece that do not help another source yet.
fn teams(line: &[Rank], sources: &[Rank], counts: &[usize]) -> Vec<Vec<Rank>> {
    let mut is_free = vec![true; line.len()];
    sources.iter().for_each(|&rank| is_free[rank] = false);
    let mut may_help = vec![false; line.len()];
    sources.iter().zip(counts).for_each(|(&rank, &count)| may_help[rank] = count == 1);
    let position_of = line::positions(line);
    let mut teams: Vec<Vec<Rank>> = sources.iter().map(|&rank| vec![rank]).collect();
    let mut order: Vec<usize> = (0..sources.len()).collect();
    order.sort_unstable_by_key(|&source| position_of[sources[source]]);
    for source in order {
        let own = position_of[sources[source]];
        for is_left in [&mut is_free, &mut may_help] {
            let behind = (own..line.len()).chain((0..own).rev());
            let helpers = behind.map(|position| line[position]).filter(|&rank| is_left[rank]);
            let helpers: Vec<Rank> = helpers.take(counts[source] - teams[source].len()).collect();
            helpers.iter().for_each(|&rank| is_left[rank] = false);
            teams[source].extend(helpers);
        }
    }
    teams
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::MachineSpec, pattern::line, topology::Grid};

    #[test]
    fn team_sizes_are_powers_of_two_or_all_helpers() {
        let tried = |nodes: usize, sources: usize| {
            let machine: MachineSpec = format!("line:{nodes}").parse().unwrap();
            let sources: Vec<Rank> = (0..sources).collect();
            pieces(&Instance::new(&machine, &sources, &vec![1; sources.len()]).unwrap(), Cut::Alike)
        };
        assert_eq!(tried(16, 1), [2, 4, 8, 16]);
        assert_eq!(tried(16, 3), [2, 4, 5]);
        assert_eq!(tried(16, 5), [2, 3]);
        assert_eq!(tried(16, 8), [2]);
        assert_eq!(tried(16, 9), [0; 0]);
        assert_eq!(tried(1, 1), [0; 0]);
    }

    #[test]
    fn teams_have_no_node_in_common() {
        let grid = Grid { rows: 5, columns: 6 };
        let line = line::bisection(grid);
        for sources in [vec![29], vec![0, 1, 2], vec![28, 29, 3, 7, 11], (0..15).collect::<Vec<Rank>>()] {
            let size = 30 / sources.len();
            let teams = teams(&line, &sources, &vec![size; sources.len()]);
            assert!(
                teams.iter().zip(&sources).all(|(team, source)| team[0] == *source && team.len() == size)
            );
            let mut all = teams.concat();
            all.sort_unstable();
            assert!(all.is_sorted_by(|a, b| a < b), "{sources:?}");
        }
        // Nodes after the source are taken first, then nodes before it.
        assert_eq!(super::teams(&[0, 1, 2, 3, 4, 5], &[4], &[4]), [[4, 5, 3, 2]]);
    }

    #[test]
    fn the_long_messages_are_cut_and_the_sources_of_short_ones_help() {
        let machine: MachineSpec = "line:8".parse().unwrap();
        let instance = |lengths: &[u64]| {
            Instance::new(&machine, &(0..lengths.len()).collect::<Vec<Rank>>(), lengths).unwrap()
        };
        let one = instance(&[8000, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(pieces(&one, Cut::ByLength), [2, 4, 8]);
        assert_eq!(pieces(&one, Cut::Alike), [0; 0]);
        assert_eq!(Algorithm::SPLIT.check(&one), Ok(()));
        assert_eq!(Cut::ByLength.counts(&[8000, 4100, 4000, 1000, 0], 4), [4, 3, 2, 1, 1]);
        let line: Vec<Rank> = (0..5).collect();
        // Nodes 1 and 4 are free; node 2, a source of one piece, helps too.
        assert_eq!(teams(&line, &[0, 2, 3], &[3, 1, 2]), [vec![0, 1, 4], vec![2], vec![3, 2]]);
        let half = instance(&[8000, 4001, 4001, 4001, 4001]);
        let error = Algorithm::SPLIT.check(&half).unwrap_err().to_string();
        assert_eq!(
            error,
            "`split` does not apply to this s-to-p broadcast: it needs long messages (over half of the longest) on at most half of the nodes (here: long messages on 5 of 8 nodes)"
        );
    }

    /// After the scatter every node of a team holds exactly its own piece.
    #[test]
    fn scattering_takes_a_logarithm_of_steps() {
        let machine: MachineSpec = "line:12".parse().unwrap();
        let instance = Instance::new(&machine, &[0, 6], &[600, 300]).unwrap();
        let growth = draft(&instance, (Cut::Alike, 6, AllGather::Halving), Exchange::InTurn).growth;
        assert_eq!(growth.iterations(), 3 + 4);
        assert_eq!([0, 1, 2, 3].map(|after| growth.active_after(after)), [2, 4, 8, 12]);
        assert_eq!((growth.longest_after(0), growth.longest_after(7)), (600, 900));
    }
}
