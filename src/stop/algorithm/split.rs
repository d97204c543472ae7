//! Algorithm *Split*: each source first deals its message out in pieces, and then the pieces are broadcast together.
//!
//! **What it does.** For few sources with long messages. Each source is given `q - 1` helpers, nodes near it on the
//! line, and scatters its message among them and itself, by halves: after `ceil(log2 q)` steps each has one piece. Then
//! all pieces are brought together: by halving as in [*Spread*](super::spread), on the graph of
//! [*Circulant*](super::circulant) without cutting them again, or in rings as in [*Bucket*](super::bucket).
//!
//! Where lengths differ, there are also ways in which each message is cut into pieces of about one length: `q` of the
//! longest, fewer of the others, one of the short ones. Helpers are nodes without a message, the nearest first, and where
//! there are too few, sources with messages of one piece.
//!
//! **Restrictions.** At most half of the nodes are sources of messages that are more than half as long as the longest.
//! Cut alike, `2 <= q <= p / s`. Powers of two and the largest number are tried for `q`, with rings only the largest.
//!
//! **Cost.** `ceil(log2 q) alpha + (1 - 1/q) n beta` to deal out `n` bytes each, and the cost of what follows for `s q`
//! pieces: the doubling of whole messages, `log2(p/s) n beta`, becomes one of pieces. It is the scatter and collect of
//! long-vector broadcasts, for more sources than one and with a choice of `q`. Rings win where links are slow.
//!
//! **Source.** The idea for one source: Barnett et al., "Building a High-Performance Collective Communication Library",
//! 1994; van de Geijn.

use std::collections::BTreeMap;

use super::{
    Algorithm, Draft, Entry, Instance, Known, Variants,
    br_xy::First,
    bucket,
    cut::{Cut, are_alike, cut},
    each_known, in_node_order, of,
    spread::suited,
};
use crate::{
    pattern::{Builder, Exchange, Transfer, circulant, line},
    plan::Restriction,
    rank::Rank,
};

impl Algorithm {
    /// Messages dealt out in pieces, which are then brought together by halving, on a circulant graph or in rings; only
    /// if at most half of the nodes are sources, those of short messages aside. For few long messages.
    pub const SPLIT: Algorithm = of(&SPLIT);
}

static SPLIT: Entry = Entry::new("split", |planning| variants(planning.problem))
    .about("messages dealt out in pieces to helpers, and then brought together: for few long ones")
    .source("the idea for one source: Barnett et al. 1994; van de Geijn")
    .only_if(&[Restriction {
        text: "at most half of the nodes are sources, short messages aside",
        is_met: |instance, ()| 2 * long_ones(instance) <= instance.nodes(),
        found: |instance, ()| {
            let (sources, nodes) = (long_ones(instance), instance.nodes());
            format!("{sources} of {nodes} {}", if sources == 1 { "is" } else { "are" })
        },
    }]);

/// The number of messages that are more than half as long as the longest.
fn long_ones(instance: &Instance) -> usize {
    let longest = instance.lengths().iter().copied().max().unwrap_or(0);
    instance.lengths().iter().filter(|&&length| length == longest || length > longest / 2).count()
}

/// A way to cut, the number of pieces, and a way to bring them together.
type Choice = (Cut, usize, Collect);

/// Every number of pieces, brought together by halving and on the circulant graph; the largest number in rings too.
fn variants(instance: &Instance) -> Variants {
    let ordered = in_node_order(instance);
    let orders = First::orders(ordered.grid());
    let numbers = [Cut::Alike, Cut::ByLength].map(|cut| (cut, pieces(instance, cut)));
    let choices = numbers.iter().flat_map(|(cut, pieces)| {
        let anywhere = pieces.iter().flat_map(|&pieces| Collect::ANYWHERE.map(|collect| (pieces, collect)));
        let most = pieces.iter().max().copied();
        let rings =
            most.into_iter().flat_map(|most| orders.iter().map(move |&first| (most, Collect::Rings(first))));
        anywhere.chain(rings).map(|(pieces, collect)| (*cut, pieces, collect))
    });
    let name = |(cut, pieces, collect): Choice| match cut {
        Cut::Alike => format!("{pieces} pieces, {}", collect.name()),
        Cut::ByLength => format!("up to {pieces} pieces, {}", collect.name()),
    };
    let known = |(how, pieces, collect): Choice| match collect {
        Collect::Rings(first) => {
            let counts = how.counts(ordered.lengths(), pieces);
            let teams = teams(&line::bisection(ordered.grid()), ordered.sources(), &counts);
            let pieces = cut(&ordered, &counts);
            let held = teams.into_iter().flatten().zip(pieces.iter().map(|piece| piece.bytes));
            bucket::known(&ordered, held, first.lines(ordered.grid()), true)
        }
        Collect::Halving | Collect::Circulant => Known::default(),
    };
    each_known(choices.collect::<Vec<_>>(), known, name, draft)
}

/// The numbers of pieces that are tried: those for which there are helpers.
fn pieces(instance: &Instance, cut: Cut) -> Vec<usize> {
    let (nodes, lengths) = (instance.nodes(), instance.lengths());
    if cut == Cut::ByLength && are_alike(lengths) {
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

/// A way to bring the pieces together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Collect {
    Halving,
    Circulant,
    Rings(First),
}

impl Collect {
    const ANYWHERE: [Collect; 2] = [Collect::Halving, Collect::Circulant];

    fn name(self) -> String {
        match self {
            Collect::Halving => "halving".to_owned(),
            Collect::Circulant => "circulant".to_owned(),
            Collect::Rings(first) => format!("rings, {}", first.name()),
        }
    }
}

fn draft(instance: &Instance, (how, pieces, collect): Choice, exchange: Exchange) -> Draft {
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
        let line = suited(line, &loads.into_iter().collect::<Vec<_>>());
        match collect {
            Collect::Halving => builder.halve(&[line]),
            Collect::Circulant => circulant::broadcast(builder, &line, &holders, &vec![1; holders.len()]),
            Collect::Rings(first) => bucket::collect(builder, first.lines(instance.grid()), true),
        }
    })
}

/// Each source deals out its message by halves to its team, of which it is the first: piece `k` to the `k`-th of the team.
pub(super) fn deal(builder: &mut Builder, teams: &[Vec<Rank>]) {
    // The number of each source's first block.
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

/// Each source with its helpers, one for each further piece: going along the line, the next nodes that are free, and if
/// there are none the next sources of a single piece that help nobody yet.
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
    use crate::{model::Description, pattern::line, topology::Grid};

    #[test]
    fn powers_of_two_and_all_the_helpers_there_are() {
        let tried = |nodes: usize, sources: usize| {
            let machine: Description = format!("line:{nodes}").parse().unwrap();
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
        // Going on behind the source, then before it.
        assert_eq!(super::teams(&[0, 1, 2, 3, 4, 5], &[4], &[4]), [[4, 5, 3, 2]]);
    }

    #[test]
    fn the_long_messages_are_cut_and_the_sources_of_short_ones_help() {
        let machine: Description = "line:8".parse().unwrap();
        let instance = |lengths: &[u64]| {
            Instance::new(&machine, &(0..lengths.len()).collect::<Vec<Rank>>(), lengths).unwrap()
        };
        let one = instance(&[8000, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(pieces(&one, Cut::ByLength), [2, 4, 8]);
        assert_eq!(pieces(&one, Cut::Alike), [0; 0]);
        assert_eq!(Algorithm::SPLIT.check(&one), Ok(()));
        assert_eq!(Cut::ByLength.counts(&[8000, 4100, 4000, 1000, 0], 4), [4, 3, 2, 1, 1]);
        let line: Vec<Rank> = (0..5).collect();
        // Nodes 1 and 4 are free; node 2 has one piece of its own and helps as well.
        assert_eq!(teams(&line, &[0, 2, 3], &[3, 1, 2]), [vec![0, 1, 4], vec![2], vec![3, 2]]);
        let half = instance(&[8000, 4001, 4001, 4001, 4001]);
        let error = Algorithm::SPLIT.check(&half).unwrap_err().to_string();
        assert_eq!(
            error,
            "split works only if at most half of the nodes are sources, short messages aside, and 5 of 8 are"
        );
    }

    /// After the pieces are dealt out every node of a team has its piece and counts as holding nothing else.
    #[test]
    fn dealing_out_takes_a_logarithm_of_steps() {
        let machine: Description = "line:12".parse().unwrap();
        let instance = Instance::new(&machine, &[0, 6], &[600, 300]).unwrap();
        let growth = draft(&instance, (Cut::Alike, 6, Collect::Halving), Exchange::InTurn).growth;
        assert_eq!(growth.iterations(), 3 + 4);
        assert_eq!([0, 1, 2, 3].map(|after| growth.active_after(after)), [2, 4, 8, 12]);
        assert_eq!((growth.longest_after(0), growth.longest_after(7)), (600, 900));
    }
}
