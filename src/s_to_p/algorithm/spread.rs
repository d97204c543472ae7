//! Algorithm *Spread*: recursive halving on a line through the mesh that is chosen to suit the sources.
//!
//! **What it does.** *Repos* moves the messages to places that are ideal for a line. *Spread* instead orders the line so that the sources
//! are at its ideal places, and moves nothing. It starts from a line on which every segment of the halving is a compact part of the mesh
//! ([bisection](crate::pattern::line::bisection)), or from the line of *Br_Lin*. It takes the last iteration whose segments have at least
//! as many nodes as there are sources and reorders the nodes within each of these segments. Sources are placed in the order of decreasing
//! message length. Each takes the position whose [equivalent](super::ideal) positions, in this iteration and the following ones, have the
//! smallest load so far. Short messages thus reach many distant nodes before they meet, and long messages are exchanged in equal parts
//! between near nodes. All nodes compute the same line without communication.
//!
//! An exchange is a send followed by a receive, or an `isend` followed by a receive, whichever is faster ([`Exchange`]).
//!
//! **Restrictions.** None. If the sources are well placed and the line is contention-free, the only gain over *Br_Lin* is the cheaper
//! exchange.
//!
//! **Cost.** `ceil(log2 p)` iterations. With `s` messages of `n` bytes, `s` and `p` powers of two, full duplex and no contention:
//! `log2 p alpha + (log2(p/s) + s - 1) n beta`; half duplex doubles the term with `s - 1`.

use super::{Algorithm, Draft, Entry, Instance, each, ideal, of};
use crate::{
    pattern::{Exchange, Halving, line},
    rank::Rank,
    topology::Grid,
};

impl Algorithm {
    /// Halving on a line that suits the sources: `log2 p alpha + (log2(p/s) + s - 1) n beta` for powers of two.
    pub const SPREAD: Algorithm = of(&SPREAD);
}

static SPREAD: Entry = Entry::new("spread", |_| each(Line::ALL, |base| base.name().to_owned(), draft))
    .about("halving along a line through the mesh that is chosen for the sources")
    .cost("for `s` and `p` powers of two `log2 p alpha + (log2(p/s) + s - 1) n beta`; otherwise as `br-lin`");

/// The line that is reordered to suit the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Snake,
    Bisection,
}

impl Line {
    const ALL: [Line; 2] = [Line::Bisection, Line::Snake];

    fn name(self) -> &'static str {
        match self {
            Line::Snake => "snake",
            Line::Bisection => "bisection",
        }
    }

    fn line(self, grid: Grid) -> Vec<Rank> {
        match self {
            Line::Snake => line::snake(grid),
            Line::Bisection => line::bisection(grid),
        }
    }
}

fn draft(instance: &Instance, base: Line, exchange: Exchange) -> Draft {
    let line = with_ideal_holders(base.line(instance.grid()), &instance.holders_evened());
    Draft::whole(instance, exchange, |builder| builder.halve(&[line]))
}

/// Returns the line with its nodes reordered within segments, so that the holders of data, each given with its number of bytes, are at
/// ideal positions.
pub(super) fn with_ideal_holders(line: Vec<Rank>, holders: &[(Rank, u64)]) -> Vec<Rank> {
    let nodes = line.len();
    let position_of = line::positions(&line);
    // For each position, its place in the first segment, in the chosen iteration and each following one.
    let iterations = Halving::new(nodes).iterations();
    let first = (0..=iterations).rev().find(|&i| nodes.div_ceil(1 << i) >= holders.len()).unwrap_or(0);
    let folded: Vec<Vec<usize>> =
        (first..=iterations).map(|i| ideal::places(nodes, nodes.div_ceil(1 << i))).collect();
    let segments = Halving::new(nodes).segments(first);

    let mut load: Vec<Vec<(u64, usize)>> = vec![vec![(0, 0); nodes]; folded.len()];
    let mut at: Vec<Option<Rank>> = vec![None; nodes];
    let mut order = holders.to_vec();
    order.sort_unstable_by_key(|&(rank, bytes)| (std::cmp::Reverse(bytes), position_of[rank]));
    for &(rank, bytes) in &order {
        let own = position_of[rank];
        let segment = &segments[segments.partition_point(|segment| segment.end <= own)];
        let carried =
            |position: usize| folded.iter().zip(&load).map(move |(folded, load)| load[folded[position]]);
        let free = segment.clone().filter(|&position| at[position].is_none());
        let best = free.min_by(|&a, &b| {
            carried(a).cmp(carried(b)).then_with(|| (a.abs_diff(own), a).cmp(&(b.abs_diff(own), b)))
        });
        let Some(best) = best else { continue };
        at[best] = Some(rank);
        for (folded, load) in folded.iter().zip(&mut load) {
            let (carried, messages) = &mut load[folded[best]];
            *carried += bytes;
            *messages += 1;
        }
    }
    // The other nodes fill the free positions of their segments in line order.
    let mut is_placed = vec![false; nodes];
    at.iter().flatten().for_each(|&rank| is_placed[rank] = true);
    let mut others = line.into_iter().filter(|&rank| !is_placed[rank]);
    at.into_iter().filter_map(|placed| placed.or_else(|| others.next())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holders(ranks: &[Rank], bytes: u64) -> Vec<(Rank, u64)> {
        ranks.iter().map(|&rank| (rank, bytes)).collect()
    }

    /// Cases: every third node, some with empty messages; all nodes; the first half of the nodes with messages of equal length.
    #[test]
    fn the_line_is_a_permutation() {
        for (rows, columns) in [(1, 1), (1, 13), (6, 7), (8, 8), (9, 5)] {
            let grid = Grid { rows, columns };
            let nodes = grid.nodes();
            let every_third: Vec<(Rank, u64)> =
                (0..nodes).step_by(3).map(|rank| (rank, rank as u64 % 4)).collect();
            let all: Vec<(Rank, u64)> = (0..nodes).map(|rank| (rank, 100 - rank as u64)).collect();
            let first = holders(&(0..nodes.div_ceil(2)).collect::<Vec<_>>(), 10);
            for holders in [every_third, all, first] {
                for base in Line::ALL {
                    let mut line = with_ideal_holders(base.line(grid), &holders);
                    line.sort_unstable();
                    assert!(line.into_iter().eq(0..nodes), "{grid}, {}", base.name());
                }
            }
        }
    }

    /// For 2^k sources anywhere on a line of a power of two, no two messages of equal length meet before the segments have as many nodes as
    /// there are sources; after that the messages double.
    #[test]
    fn sources_get_ideal_places() {
        for grid in
            [Grid { rows: 1, columns: 16 }, Grid { rows: 4, columns: 8 }, Grid { rows: 8, columns: 8 }]
        {
            let nodes = grid.nodes();
            for count in [1, 2, 4, 8, 16] {
                let (block, last): (Vec<Rank>, Vec<Rank>) =
                    ((0..count).collect(), (nodes - count..nodes).collect());
                let spaced: Vec<Rank> = (0..count).map(|index| index * nodes / count).collect();
                for sources in [block, last, spaced] {
                    for base in Line::ALL {
                        let line = with_ideal_holders(base.line(grid), &holders(&sources, 1));
                        let mut builder =
                            crate::pattern::Builder::new(nodes, &sources, &vec![1; count], Exchange::InTurn);
                        builder.halve(&[line]);
                        let growth = builder.growth();
                        for iteration in 0..=growth.iterations() {
                            let place = format!("{count} on {grid}, {}, after {iteration}", base.name());
                            assert_eq!(
                                growth.active_after(iteration),
                                nodes.min(count << iteration),
                                "{place}"
                            );
                            let longest = count.div_ceil(nodes >> iteration) as u64;
                            assert_eq!(growth.longest_after(iteration), longest, "{place}");
                        }
                    }
                }
            }
        }
    }

    /// Two long and two short messages side by side on a line of eight: in the iteration in which messages first meet, each long message
    /// meets a short one.
    #[test]
    fn long_messages_are_spread_out() {
        let grid = Grid { rows: 1, columns: 8 };
        let (sources, sizes) = ([0, 1, 2, 3], [1000, 1000, 10, 10]);
        let holders: Vec<(Rank, u64)> = sources.into_iter().zip(sizes).collect();
        let line = with_ideal_holders(Line::Snake.line(grid), &holders);
        let mut builder = crate::pattern::Builder::new(8, &sources, &sizes, Exchange::InTurn);
        builder.halve(&[line]);
        let growth = builder.growth();
        assert_eq!([0, 1, 2, 3].map(|after| growth.longest_after(after)), [1000, 1000, 1010, 2020]);
    }

    #[test]
    fn nodes_stay_in_their_segments() {
        let line: Vec<Rank> = (0..16).collect();
        // Two sources: segments of two positions. Only nodes 4 and 5 may swap.
        let with_ideal_holders = with_ideal_holders(line, &holders(&[4, 12], 1));
        for (position, rank) in with_ideal_holders.into_iter().enumerate() {
            assert_eq!(position / 2, rank / 2);
        }
    }
}
