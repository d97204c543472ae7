//! Algorithm *Split*: each source first deals its message out in pieces, and then the pieces are broadcast together.
//!
//! **What it does.** For few sources with long messages. Each source is given `q - 1` helpers, nodes near it on the
//! line, and scatters its message among them and itself, by halves: after `ceil(log2 q)` steps each has one piece. Then
//! all pieces are brought together: by halving as in [*Spread*](super::spread), on the graph of
//! [*Circulant*](super::circulant) without cutting them again, or in rings as in [*Bucket*](super::bucket).
//!
//! **Restrictions.** `2 <= q <= p / s`: only if at most half of the nodes are sources. Powers of two and `floor(p / s)`
//! are tried for `q`, with rings only the largest.
//!
//! **Cost.** `ceil(log2 q) alpha + (1 - 1/q) n beta` to deal out `n` bytes each, and the cost of what follows for `s q`
//! pieces: the doubling of whole messages, `log2(p/s) n beta`, becomes one of pieces. It is the scatter and collect of
//! long-vector broadcasts, for more sources than one and with a choice of `q`. Rings win where links are slow.
//!
//! **Source.** The idea for one source: Barnett et al., "Building a High-Performance Collective Communication Library",
//! 1994; van de Geijn.

use super::{
    Algorithm, Draft, Entry, Instance, Piece, Variants, br_xy::First, bucket, each, of, spread::suited,
};
use crate::{
    pattern::{Exchange, Transfer, circulant, line},
    plan::Restriction,
    rank::Rank,
};

impl Algorithm {
    /// Messages dealt out in pieces, which are then brought together by halving, on a circulant graph or in rings; only
    /// if at most half of the nodes are sources. For few long messages.
    pub const SPLIT: Algorithm = of(&SPLIT);
}

static SPLIT: Entry = Entry::new("split", |planning| variants(planning.problem))
    .about("messages dealt out in pieces to helpers, and then brought together: for few long ones")
    .source("the idea for one source: Barnett et al. 1994; van de Geijn")
    .only_if(&[Restriction {
        text: "at most half of the nodes are sources",
        is_met: |instance, ()| 2 * instance.sources().len() <= instance.nodes(),
        found: |instance, ()| {
            let (sources, nodes) = (instance.sources().len(), instance.nodes());
            format!("{sources} of {nodes} {}", if sources == 1 { "is" } else { "are" })
        },
    }]);

/// Every number of pieces, brought together by halving and on the circulant graph; the largest number in rings too.
fn variants(instance: &Instance) -> Variants {
    let pieces = pieces(instance);
    let most = pieces.iter().max().copied();
    let choices = pieces.iter().flat_map(|&pieces| Collect::ANYWHERE.map(|collect| (pieces, collect)));
    let rings = most.into_iter().flat_map(|most| First::BOTH.map(|first| (most, Collect::Rings(first))));
    let name = |(pieces, collect): (usize, Collect)| format!("{pieces} pieces, {}", collect.name());
    each(choices.chain(rings), name, draft)
}

/// The numbers of pieces that are tried.
fn pieces(instance: &Instance) -> Vec<usize> {
    let most = instance.nodes() / instance.sources().len();
    let mut pieces: Vec<usize> = (1..).map(|exponent| 1 << exponent).take_while(|&q| q <= most).collect();
    if most > 2 && !most.is_power_of_two() {
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

fn draft(instance: &Instance, (pieces, collect): (usize, Collect), exchange: Exchange) -> Draft {
    let line = line::bisection(instance.grid());
    let teams = teams(&line, instance.sources(), pieces);
    let cut = cut(instance.lengths(), pieces);
    let bytes: Vec<u64> = cut.iter().map(|piece| piece.bytes).collect();
    Draft::of(instance, cut, exchange, |builder| {
        let mut spans: Vec<(usize, usize, usize)> =
            (0..teams.len()).map(|source| (source, 0, pieces)).collect();
        while spans.iter().any(|&(_, start, end)| end - start > 1) {
            let mut transfers = Vec::new();
            spans = spans
                .into_iter()
                .flat_map(|(source, start, end)| {
                    let middle = start + (end - start).div_ceil(2);
                    if middle < end {
                        let block = |piece| (source * pieces + piece) as u32;
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
        let holders: Vec<Rank> = teams.concat();
        let loads: Vec<(Rank, u64)> = holders.iter().copied().zip(bytes).collect();
        let line = suited(line, &loads);
        match collect {
            Collect::Halving => builder.halve(&[line]),
            Collect::Circulant => circulant::broadcast(builder, &line, &holders, 1),
            Collect::Rings(first) => bucket::collect(builder, first.lines(instance.grid()), true),
        }
    })
}

/// Each message in so many pieces, as equal as whole bytes can be.
pub(super) fn cut(lengths: &[u64], pieces: usize) -> Vec<Piece> {
    let count = pieces as u64;
    let piece = |(source, &length): (usize, &u64)| {
        (0..count).map(move |piece| {
            let at = |piece: u64| (u128::from(length) * u128::from(piece) / u128::from(count)) as u64;
            Piece { source, start: at(piece), bytes: at(piece + 1) - at(piece) }
        })
    };
    lengths.iter().enumerate().flat_map(piece).collect()
}

/// Each source with its helpers: going along the line, the next nodes that are free.
fn teams(line: &[Rank], sources: &[Rank], size: usize) -> Vec<Vec<Rank>> {
    let mut is_free = vec![true; line.len()];
    sources.iter().for_each(|&rank| is_free[rank] = false);
    let position_of = line::positions(line);
    let mut teams: Vec<Vec<Rank>> = sources.iter().map(|&rank| vec![rank]).collect();
    let mut order: Vec<usize> = (0..sources.len()).collect();
    order.sort_unstable_by_key(|&source| position_of[sources[source]]);
    for source in order {
        let own = position_of[sources[source]];
        let behind = (own..line.len()).chain((0..own).rev());
        let helpers = behind.map(|position| line[position]).filter(|&rank| is_free[rank]);
        let helpers: Vec<Rank> = helpers.take(size - 1).collect();
        helpers.iter().for_each(|&rank| is_free[rank] = false);
        teams[source].extend(helpers);
    }
    teams
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Description, pattern::line, topology::Grid};

    #[test]
    fn pieces_add_up_and_differ_by_one_byte_at_most() {
        for length in [0, 1, 5, 16, 17, 2048, 1 << 30, u64::MAX] {
            for pieces in 1..=64 {
                let cut = cut(&[7, length], pieces);
                assert_eq!(cut.len(), 2 * pieces);
                for (source, length) in [7, length].into_iter().enumerate() {
                    let own = &cut[source * pieces..(source + 1) * pieces];
                    let mut start = 0;
                    for piece in own {
                        assert_eq!((piece.source, piece.start), (source, start), "side by side, in order");
                        start += piece.bytes;
                        let even = length / pieces as u64;
                        assert!(matches!(piece.bytes - even, 0 | 1), "{length} in {pieces}");
                    }
                    assert_eq!(start, length);
                }
            }
        }
    }

    #[test]
    fn powers_of_two_and_all_the_helpers_there_are() {
        let tried = |nodes: usize, sources: usize| {
            let machine: Description = format!("line:{nodes}").parse().unwrap();
            let sources: Vec<Rank> = (0..sources).collect();
            pieces(&Instance::new(&machine, &sources, &vec![1; sources.len()]).unwrap())
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
            let teams = teams(&line, &sources, size);
            assert!(
                teams.iter().zip(&sources).all(|(team, source)| team[0] == *source && team.len() == size)
            );
            let mut all = teams.concat();
            all.sort_unstable();
            assert!(all.is_sorted_by(|a, b| a < b), "{sources:?}");
        }
        // Going on behind the source, then before it.
        assert_eq!(super::teams(&[0, 1, 2, 3, 4, 5], &[4], 4), [[4, 5, 3, 2]]);
    }

    /// After the pieces are dealt out every node of a team has its piece and counts as holding nothing else.
    #[test]
    fn dealing_out_takes_a_logarithm_of_steps() {
        let machine: Description = "line:12".parse().unwrap();
        let instance = Instance::new(&machine, &[0, 6], &[600, 300]).unwrap();
        let growth = draft(&instance, (6, Collect::Halving), Exchange::InTurn).growth;
        assert_eq!(growth.iterations(), 3 + 4);
        assert_eq!([0, 1, 2, 3].map(|after| growth.active_after(after)), [2, 4, 8, 12]);
        assert_eq!((growth.longest_after(0), growth.longest_after(7)), (600, 900));
    }
}
