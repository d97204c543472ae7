//! Spanning trees in which every subtree covers adjacent positions of a line: from one position to all, or from all to one.
//!
//! The holder of a segment of the line cuts a part off and sends it to a node of the part; both nodes continue with their own parts. With
//! cuts into halves this is the minimum spanning tree of the papers: on a linear array no two of its messages share a link. With optimal
//! cuts it is the fastest tree for the parameters of a machine.

use std::collections::VecDeque;

use super::{Blocks, Builder, Transfer};
use crate::{rank::Rank, time::Span};

/// A spanning tree of the positions of a line, rooted at one position.
///
/// ```
/// use multicomputer::pattern::Division;
///
/// // Six positions from position 0: three are handed to position 3, then each half is cut again.
/// let division = Division::halves(6, 0);
/// let first = &division.rounds()[0][0];
/// assert_eq!((first.from, first.to, first.start, first.count), (0, 3, 3, 3));
/// assert_eq!(division.rounds().len(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    nodes: usize,
    rounds: Vec<Vec<Cut>>,
}

/// One edge of the tree: `from` sends a part of its segment to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The sending position, which holds the part.
    pub from: usize,
    /// The receiving position, which is in the part.
    pub to: usize,
    /// The first position of the part.
    pub start: usize,
    /// The number of positions in the part. The part may wrap around from the last position to position 0.
    pub count: usize,
}

impl Division {
    /// Creates the tree of cuts into halves, where the first half is larger by at most one: `ceil(log2 nodes)` rounds.
    ///
    /// Source: Barnett et al., "Building a High-Performance Collective Communication Library", 1994, section 4.1.
    ///
    /// # Panics
    ///
    /// If the root is not on the line.
    pub fn halves(nodes: usize, root: usize) -> Division {
        Division::cut(nodes, root, |_, count| Some(count.div_ceil(2)))
    }

    /// Creates the binomial tree: the size of the first part is the largest power of two that leaves positions for the second part. With
    /// root 0, each position sends to the positions that differ from it in one bit, the highest bit first, if they exist. There are
    /// `ceil(log2 nodes)` rounds.
    ///
    /// Source: Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", algorithms 4.1 and 4.2, extended to any number of nodes.
    ///
    /// # Panics
    ///
    /// If the root is not on the line.
    pub fn binary(nodes: usize, root: usize) -> Division {
        let widest = nodes.next_power_of_two();
        Division::cut(nodes, root, |round, count| Some(widest >> (round + 1)).filter(|&first| first < count))
    }

    /// Creates the star: the root sends to every other position itself, first to the last position and finally to its neighbours, so that
    /// the positions that it still covers are always adjacent.
    ///
    /// # Panics
    ///
    /// If the root is not on the line.
    pub fn star(nodes: usize, root: usize) -> Division {
        assert!(root < nodes, "the root is on the line");
        let others = (root + 1..nodes).rev().chain(0..root);
        let rounds = others.map(|to| vec![Cut { from: root, to, start: to, count: 1 }]).collect();
        Division { nodes, rounds }
    }

    /// Creates a tree from the function `first(round, count)`: the size of the first part if a part of `count` positions is cut in this
    /// round, at least the size of the second part; `None` if the part is not cut in this round.
    fn cut(nodes: usize, root: usize, first: impl Fn(usize, usize) -> Option<usize>) -> Division {
        assert!(root < nodes, "the root is on the line");
        let mut rounds = Vec::new();
        let mut parts = vec![(0, nodes, root)];
        while parts.iter().any(|&(_, count, _)| count > 1) {
            let mut round = Vec::new();
            parts = parts
                .into_iter()
                .flat_map(|(start, count, holder)| {
                    let cut = first(rounds.len(), count).filter(|_| count > 1);
                    let Some(first) = cut else { return [Some((start, count, holder)), None] };
                    let (second, rest) = (start + first, count - first);
                    // The receiver has the same place in the other part.
                    let in_first = holder < second;
                    let to = if in_first { second + (holder - start).min(rest - 1) } else { holder - first };
                    let (start_of_part, size) = if in_first { (second, rest) } else { (start, first) };
                    round.push(Cut { from: holder, to, start: start_of_part, count: size });
                    let other = (start_of_part, size, to);
                    let own = if in_first { (start, first, holder) } else { (second, rest, holder) };
                    [Some(own), Some(other)]
                })
                .flatten()
                .collect();
            rounds.push(round);
        }
        Division { nodes, rounds }
    }

    /// Creates the fastest tree for an otherwise idle machine. The holder of a part of `m` positions sends `s` of them to another node. The
    /// send occupies the holder for `busy(s)`; the other node continues `informed(s)` after the send begins.
    ///
    /// Found by dynamic programming over every `s` for every `m`. If both times are independent of `s`, the result is the tree of Karp,
    /// Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993. Parts may wrap around from the last
    /// position to position 0, unless `in_order` is set. With `in_order` no part wraps around, and the tree is optimal only if the root is
    /// position 0.
    ///
    /// The time on the host grows with the square of `nodes`: 1 ms for 1000.
    ///
    /// # Panics
    ///
    /// If the root is not on the line.
    pub fn fastest(
        nodes: usize,
        root: usize,
        in_order: bool,
        busy: impl Fn(usize) -> Span,
        informed: impl Fn(usize) -> Span,
    ) -> Division {
        Division::fastest_by(Ties::Small, nodes, root, in_order, busy, informed)
    }

    /// Like [`fastest`](Division::fastest), with a rule for the choice among equally fast cuts.
    pub(crate) fn fastest_by(
        ties: Ties,
        nodes: usize,
        root: usize,
        in_order: bool,
        busy: impl Fn(usize) -> Span,
        informed: impl Fn(usize) -> Span,
    ) -> Division {
        assert!(root < nodes, "the root is on the line");
        let (_, best) = best_cuts(nodes, ties, busy, informed);
        // The queue of parts (round, start, count, holder). `start` is relative to the root unless `in_order` is set.
        let shift = if in_order { 0 } else { root };
        let place = |position: usize| (position + shift) % nodes;
        let mut rounds: Vec<Vec<Cut>> = Vec::new();
        let mut waiting = VecDeque::from([(0, 0, nodes, if in_order { root } else { 0 })]);
        while let Some((round, start, count, holder)) = waiting.pop_front() {
            if count == 1 {
                continue;
            }
            let (before, behind) = (holder - start, start + count - 1 - holder);
            let size = best[count].min(before.max(behind));
            let (part, rest, to) = if behind >= before {
                // The part is cut from the far end, and its first position receives it.
                let part = start + count - size;
                (part, start, part)
            } else {
                (start, start + size, start + size - 1)
            };
            if rounds.len() <= round {
                rounds.push(Vec::new());
            }
            rounds[round].push(Cut { from: place(holder), to: place(to), start: place(part), count: size });
            waiting.push_back((round + 1, rest, count - size, holder));
            waiting.push_back((round + 1, part, size, to));
        }
        Division { nodes, rounds }
    }

    /// Returns the time of the [fastest](Division::fastest) tree until all nodes can continue.
    pub fn fastest_time(
        nodes: usize,
        busy: impl Fn(usize) -> Span,
        informed: impl Fn(usize) -> Span,
    ) -> Span {
        best_cuts(nodes, Ties::Small, busy, informed).0
    }

    /// Returns the edges by round. The senders of a round have received in an earlier round, and each sends once per round.
    pub fn rounds(&self) -> &[Vec<Cut>] {
        &self.rounds
    }

    /// Returns the positions of a part.
    fn positions(&self, cut: &Cut) -> impl Iterator<Item = usize> {
        let (start, nodes) = (cut.start, self.nodes);
        (0..cut.count).map(move |offset| (start + offset) % nodes)
    }
}

/// The choice among equally fast cuts in a fastest tree. All resulting trees take the same time if no two messages share a link; otherwise
/// their times may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ties {
    /// The cut that sends the fewest positions.
    Small,
    /// The cut whose parts differ least in size.
    Even,
}

/// Returns the time of the fastest tree of `nodes` positions, and for each number of positions the best size of the first cut.
fn best_cuts(
    nodes: usize,
    ties: Ties,
    busy: impl Fn(usize) -> Span,
    informed: impl Fn(usize) -> Span,
) -> (Span, Vec<usize>) {
    let costs: Vec<(u64, u64)> =
        (0..nodes).map(|size| (busy(size).as_picos(), informed(size).as_picos())).collect();
    let mut times = vec![0_u64; nodes + 1];
    let mut cuts = vec![0; nodes + 1];
    for count in 2..=nodes {
        let time = |size: usize| {
            let (busy, informed) = costs[size];
            busy.saturating_add(times[count - size]).max(informed.saturating_add(times[size]))
        };
        // Equally fast cuts are ordered by this value.
        let place = |size: usize| match ties {
            Ties::Small => size,
            Ties::Even => (2 * size).abs_diff(count),
        };
        let ((least, _), size) =
            (1..count).map(|size| ((time(size), place(size)), size)).min().unwrap_or_default();
        (times[count], cuts[count]) = (least, size);
    }
    (Span::from_picos(times[nodes]), cuts)
}

/// A function that returns the blocks of a position, given the number of the line and the position.
pub(crate) type Contents<'a> = &'a dyn Fn(usize, usize) -> Vec<u32>;

/// Sends along the edges of a tree on each of the lines, all at the same time, to each position its own blocks: `contents(line, position)`.
/// Afterwards each node holds only its own blocks.
pub fn scatter(builder: &mut Builder, lines: &[Vec<Rank>], trees: &[Division], contents: Contents) {
    for transfers in rounds(lines, trees, contents) {
        builder.move_blocks(transfers);
    }
}

/// Gathers along the edges of a tree on each of the lines, as the reverse of [`scatter`]: the root of each line receives all blocks, and
/// the other nodes hold no blocks afterwards.
pub fn gather(builder: &mut Builder, lines: &[Vec<Rank>], trees: &[Division], contents: Contents) {
    for transfers in rounds(lines, trees, contents).into_iter().rev() {
        let back = |transfer: Transfer| Transfer { from: transfer.to, to: transfer.from, ..transfer };
        builder.move_blocks(transfers.into_iter().map(back));
    }
}

/// Broadcasts all blocks that the root of each line holds along the edges of its tree.
pub fn broadcast(builder: &mut Builder, lines: &[Vec<Rank>], trees: &[Division]) {
    let most = trees.iter().map(|tree| tree.rounds.len()).max().unwrap_or(0);
    let all: Vec<Option<Blocks>> = lines
        .iter()
        .zip(trees)
        .map(|(line, tree)| {
            let root = tree.rounds.first()?.first()?.from;
            Some(builder.held(line[root]).into())
        })
        .collect();
    for round in 0..most {
        let mut transfers = Vec::new();
        for ((line, tree), blocks) in lines.iter().zip(trees).zip(&all) {
            let Some(blocks) = blocks.as_ref().filter(|blocks| !blocks.is_empty()) else { continue };
            let cuts = tree.rounds.get(round).into_iter().flatten();
            transfers.extend(cuts.map(|cut| Transfer {
                from: line[cut.from],
                to: line[cut.to],
                blocks: blocks.clone(),
            }));
        }
        builder.iteration(transfers);
    }
}

/// Returns the transfers of a scatter by round.
fn rounds(lines: &[Vec<Rank>], trees: &[Division], contents: Contents) -> Vec<Vec<Transfer>> {
    let most = trees.iter().map(|tree| tree.rounds.len()).max().unwrap_or(0);
    let round = |round: usize| {
        let mut transfers = Vec::new();
        for (number, (line, tree)) in lines.iter().zip(trees).enumerate() {
            for cut in tree.rounds.get(round).into_iter().flatten() {
                let blocks: Blocks =
                    tree.positions(cut).flat_map(|position| contents(number, position)).collect();
                if !blocks.is_empty() {
                    transfers.push(Transfer { from: line[cut.from], to: line[cut.to], blocks });
                }
            }
        }
        transfers
    };
    (0..most).map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the cuts hand over every position exactly once, each time as part of a segment that the sender holds.
    fn check(tree: &Division, nodes: usize, root: usize) {
        let mut has: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        has[root] = (0..nodes).collect();
        for round in tree.rounds() {
            let mut senders: Vec<usize> = round.iter().map(|cut| cut.from).collect();
            senders.sort_unstable();
            assert!(senders.windows(2).all(|pair| pair[0] != pair[1]), "one message a round");
            let before = has.clone();
            for cut in round {
                let part: Vec<usize> = tree.positions(cut).collect();
                assert!(
                    part.contains(&cut.to) && part.iter().all(|position| before[cut.from].contains(position))
                );
                has[cut.from].retain(|position| !part.contains(position));
                assert!(has[cut.to].is_empty());
                has[cut.to] = part;
            }
        }
        assert!(
            has.iter().enumerate().all(|(position, has)| has[..] == [position]),
            "each is left with itself"
        );
    }

    #[test]
    fn every_node_is_reached_once() {
        let (g, t) = (Span::from_micros(2), Span::from_micros(5));
        for nodes in 1..=40 {
            for root in 0..nodes {
                check(&Division::halves(nodes, root), nodes, root);
                check(&Division::binary(nodes, root), nodes, root);
                for in_order in [false, true] {
                    check(&Division::fastest(nodes, root, in_order, |_| g, |_| t), nodes, root);
                    let long = |size: usize| g.times(size as u64);
                    check(
                        &Division::fastest(nodes, root, in_order, long, |size| long(size) + t),
                        nodes,
                        root,
                    );
                }
            }
        }
    }

    #[test]
    fn halving_takes_a_logarithm_of_rounds() {
        for nodes in 1_usize..=130 {
            let log = nodes.next_power_of_two().ilog2() as usize;
            assert_eq!(Division::halves(nodes, nodes / 3).rounds().len(), log);
            assert_eq!(Division::binary(nodes, nodes / 3).rounds().len(), log);
        }
    }

    /// Tests sends of one time unit whose receivers can send two units after the beginning: the times follow the Fibonacci numbers.
    #[test]
    fn the_fastest_tree_is_that_of_logp() {
        let unit = Span::from_micros(1);
        let tree = Division::fastest(8, 0, true, |_| unit, |_| unit.times(2));
        // f(8) = 5: the first cut sends 3 of 8 positions; f(3) = 3 for these, and f(5) = 4 for the rest.
        assert_eq!(tree.rounds()[0][0].count, 3);
    }

    /// Tests six positions, which take three sends of one unit, whether the first cut sends two positions or three.
    #[test]
    fn ties_take_the_smallest_or_the_most_even_cut() {
        let unit = Span::from_micros(1);
        let tree = |ties| Division::fastest_by(ties, 6, 0, false, |_| unit, |_| unit);
        let first = |ties| tree(ties).rounds()[0][0].count;
        assert_eq!((first(Ties::Small), first(Ties::Even)), (2, 3));
        assert_eq!(tree(Ties::Small).rounds().len(), tree(Ties::Even).rounds().len());
        for nodes in 1..=40 {
            for root in 0..nodes {
                check(&Division::fastest_by(Ties::Even, nodes, root, false, |_| unit, |_| unit), nodes, root);
            }
        }
    }
}
