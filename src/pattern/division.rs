//! Spanning trees in which every subtree covers neighbouring positions of a line: from one position to all, or from
//! all to one.
//!
//! The holder of a line cuts a part off, hands it to a node of that part, and both go on with their parts. Cut in
//! halves this is the minimum spanning tree of the papers: on a linear array no two messages of it share a link. Cut
//! at the best places it is the fastest tree that the parameters of a machine allow.

use std::collections::VecDeque;

use super::{Blocks, Builder, Transfer};
use crate::{rank::Rank, time::Span};

/// A spanning tree of the positions of a line, from one of them, the root.
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

/// One edge of the tree: `from` hands a part of its line to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The sending position, which holds the part.
    pub from: usize,
    /// The receiving position, which is in the part.
    pub to: usize,
    /// The first position of the part.
    pub start: usize,
    /// The number of positions in the part. It may go on at position 0 after the last one.
    pub count: usize,
}

impl Division {
    /// Creates the tree of cuts in halves, the first half being the larger by at most one: `ceil(log2 nodes)` rounds.
    ///
    /// Source: Barnett et al., "Building a High-Performance Collective Communication Library", 1994, section 4.1.
    ///
    /// # Panics
    ///
    /// If the root is not on the line.
    pub fn halves(nodes: usize, root: usize) -> Division {
        Division::cut(nodes, root, |_, count| Some(count.div_ceil(2)))
    }

    /// Creates the tree of cuts at powers of two: the first part has as many positions as the largest power of two
    /// that leaves some for the second. From position 0 each position hands over to the positions that differ from it
    /// in one bit, the highest first, as far as they exist; `ceil(log2 nodes)` rounds.
    ///
    /// Source: Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", algorithms 4.1 and 4.2, on any
    /// number of nodes.
    ///
    /// # Panics
    ///
    /// If the root is not on the line.
    pub fn binary(nodes: usize, root: usize) -> Division {
        let widest = nodes.next_power_of_two();
        Division::cut(nodes, root, |round, count| Some(widest >> (round + 1)).filter(|&first| first < count))
    }

    /// Creates a tree from the function `first(round, count)`: the size of the first part if a part of `count`
    /// positions is cut in that round, no smaller than the second part; `None` if it is not cut in that round.
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
                    // The node at the same place in the other part takes it over.
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

    /// Creates the fastest tree for an otherwise idle machine: the holder of a part of `m` positions hands `s` of
    /// them to another node and is busy with that for `busy(s)`; the other node goes on `informed(s)` after the
    /// beginning.
    ///
    /// Found by trying every `s` for every `m`. Where both times are the same for all `s` it is the tree of Karp,
    /// Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993. Parts may go on at
    /// position 0 after the last one, unless `in_order` is set: then all of the root's parts lie on the line, and the
    /// tree is the fastest only from position 0.
    ///
    /// Costs the host a time that grows with the square of `nodes`: 1 ms for 1000.
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

    /// The same with this rule for cuts that are equally fast.
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
        // Each part waits for its turn as (round, start, count, holder); `start` counts from the root unless in order.
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
                // From the far end, its first position takes over.
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

    /// The time of the [fastest](Division::fastest) tree until all nodes can go on.
    pub fn fastest_time(
        nodes: usize,
        busy: impl Fn(usize) -> Span,
        informed: impl Fn(usize) -> Span,
    ) -> Span {
        best_cuts(nodes, Ties::Small, busy, informed).0
    }

    /// The edges by round: the senders of a round have received in an earlier one, and each sends once per round.
    pub fn rounds(&self) -> &[Vec<Cut>] {
        &self.rounds
    }

    /// The positions of a part.
    fn positions(&self, cut: &Cut) -> impl Iterator<Item = usize> {
        let (start, nodes) = (cut.start, self.nodes);
        (0..cut.count).map(move |offset| (start + offset) % nodes)
    }
}

/// The cut that is taken of those that are equally fast, in a fastest tree. All such trees take the same time where no two messages
/// share a link, and not where some do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ties {
    /// That which hands over the fewest positions.
    Small,
    /// That whose parts differ the least.
    Even,
}

/// The time of the fastest tree of `nodes` positions, and for each number of positions the best size of the first
/// cut.
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
        // Of equally fast cuts the first one in this order.
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

/// The blocks of a position of a line, given the number of the line and the position.
pub(crate) type Contents<'a> = &'a dyn Fn(usize, usize) -> Vec<u32>;

/// Sends along the edges of a tree on each of the lines, all at the same time, to each position its own blocks:
/// `contents(line, position)`. Afterwards each node counts as holding these alone.
pub fn scatter(builder: &mut Builder, lines: &[Vec<Rank>], trees: &[Division], contents: Contents) {
    for transfers in rounds(lines, trees, contents) {
        builder.move_blocks(transfers);
    }
}

/// Gathers along the edges of a tree on each of the lines, the reverse of [`scatter`]: the root of each line gets all
/// blocks, and the other nodes count as holding none.
pub fn gather(builder: &mut Builder, lines: &[Vec<Rank>], trees: &[Division], contents: Contents) {
    for transfers in rounds(lines, trees, contents).into_iter().rev() {
        let back = |transfer: Transfer| Transfer { from: transfer.to, to: transfer.from, ..transfer };
        builder.move_blocks(transfers.into_iter().map(back));
    }
}

/// Sends all blocks that the root of each line holds along the edges of its tree.
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

/// The transfers of a scatter, by round.
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

    /// Checks that every position is handed over once, by a position that has it, as part of the sender's part.
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
    fn everybody_is_reached_once() {
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

    /// Tests the tree for sends of one time unit after which the receiver can send two units after the beginning:
    /// Fibonacci numbers.
    #[test]
    fn the_fastest_tree_is_that_of_logp() {
        let unit = Span::from_micros(1);
        let tree = Division::fastest(8, 0, true, |_| unit, |_| unit.times(2));
        // f(8) = 5: 3 of 8 are handed over, f(3) = 3 is left for them, and f(5) = 4 for the others.
        assert_eq!(tree.rounds()[0][0].count, 3);
    }

    /// Six positions are done after three sends of a unit, whether the first cut hands over two of them or three.
    #[test]
    fn of_equally_fast_cuts_the_smallest_or_the_most_even_is_taken() {
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
