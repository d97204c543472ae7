//! Recursive halving with exchange on a linear array: after it, every position has the data of all positions.
//!
//! Source: Hambrusch, Khokhar, Liu, "S-to-P Broadcasting on Coarse-Grained Machines", CSD-TR-95-060, section 2, algorithm `Br_Lin`, which
//! gives the rule for an even number of positions: `P_i` and `P_(i + p/2)` exchange all data that they hold, then both halves recurse.
//!
//! # A segment of odd length
//!
//! The papers do not specify this case. A segment of `n` positions is cut into a first half of `h = ceil(n / 2)` and a second half of
//! `n - h` positions. Position `i` of the first half is paired with position `i + h`. If `n` is odd, the last position of the first half is
//! unpaired; in the same iteration it sends all its data to the last position of the second half, which receives the data after its own
//! exchange. Nothing is sent back.
//!
//! ```text
//! n = 5, h = 3      0   1   2 | 3   4        0 <-> 3, 1 <-> 4, then 2 -> 4
//! ```
//!
//! # Proof that every position ends with all data
//!
//! Claim: if each datum of a segment lies at exactly one of its positions, then after the iteration it lies at exactly
//! one position of each half. A datum at a paired position is copied to the pair, which is in the other half. A datum
//! at the position without a pair is in the first half, and is copied to the last position of the second. No other
//! transfer touches it. By induction each datum lies at exactly one position of every segment of every iteration, and
//! the last segments are single positions.
//!
//! Two consequences: no position receives a datum that it already has, and each datum is sent `p - 1` times in total, which is the minimum.
//! The longer half has `ceil(n / 2)` positions, so there are `ceil(log2 p)` iterations.

use std::{iter::FusedIterator, ops::Range};

/// Recursive halving with exchange among the positions `0..positions` of a line.
///
/// ```
/// use multicomputer::pattern::{Direction, Halving, Pairing};
/// let halving = Halving::new(5);
/// assert_eq!(halving.iterations(), 3);
/// let mut last = halving.pairings(4);
/// assert_eq!(last.next(), Some(Pairing { iteration: 0, partner: 1, direction: Direction::Both }));
/// assert_eq!(last.next(), Some(Pairing { iteration: 0, partner: 2, direction: Direction::In }));
/// assert_eq!(last.next(), Some(Pairing { iteration: 1, partner: 3, direction: Direction::Both }));
/// assert_eq!(last.next(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halving {
    positions: usize,
}

/// One transfer or exchange of a position with a partner in one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The iteration, counted from 0.
    pub iteration: usize,
    /// The partner position.
    pub partner: usize,
    /// The direction of the data.
    pub direction: Direction,
}

/// The direction of the data of a [`Pairing`], as seen from its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Both positions send all that they held at the start of the iteration.
    Both,
    /// The position sends to its partner.
    Out,
    /// The position receives from its partner.
    In,
}

impl Halving {
    /// Creates the pattern for a line of `positions` positions.
    pub const fn new(positions: usize) -> Halving {
        Halving { positions }
    }

    /// Returns the number of positions of the line.
    pub const fn positions(self) -> usize {
        self.positions
    }

    /// Returns the number of iterations: `ceil(log2 positions)`; 0 for a line of at most one position.
    pub const fn iterations(self) -> usize {
        (usize::BITS - self.positions.saturating_sub(1).leading_zeros()) as usize
    }

    /// Returns the nonempty segments of the line after `iterations` iterations, in order.
    ///
    /// ```
    /// use multicomputer::pattern::Halving;
    /// assert_eq!(Halving::new(5).segments(1), [0..3, 3..5]);
    /// assert_eq!(Halving::new(5).segments(2), [0..2, 2..3, 3..4, 4..5]);
    /// ```
    pub fn segments(self, iterations: usize) -> Vec<Range<usize>> {
        let whole = 0..self.positions;
        let halves = |Range { start, end }: Range<usize>| {
            let middle = middle(start, end);
            [start..middle, middle..end].into_iter().filter(|half| !half.is_empty())
        };
        (0..iterations).fold(vec![whole], |segments, _| segments.into_iter().flat_map(halves).collect())
    }

    /// Returns the pairings of `position`, in execution order: one or two per iteration. There may be none in the last iteration, if the
    /// segment of the position is a single position by then. Empty for a position outside the line.
    ///
    /// Takes constant memory, and constant time for each pairing.
    pub const fn pairings(self, position: usize) -> Pairings {
        Pairings { position, segment: 0..self.positions, iteration: 0, then: None }
    }
}

impl Direction {
    /// Returns whether the position sends.
    pub const fn sends(self) -> bool {
        matches!(self, Direction::Both | Direction::Out)
    }

    /// Returns whether the position receives.
    pub const fn receives(self) -> bool {
        matches!(self, Direction::Both | Direction::In)
    }
}

/// An iterator over the pairings of one position, created by [`Halving::pairings`].
#[derive(Clone, Debug)]
pub struct Pairings {
    position: usize,
    /// The segment that contains the position in this iteration.
    segment: Range<usize>,
    iteration: usize,
    /// The second pairing of the previous iteration, returned next.
    then: Option<Pairing>,
}

impl Iterator for Pairings {
    type Item = Pairing;

    fn next(&mut self) -> Option<Pairing> {
        if let Some(second) = self.then.take() {
            return Some(second);
        }
        let Pairings { position, iteration, .. } = *self;
        let Range { start, end } = self.segment;
        if !self.segment.contains(&position) || end - start < 2 {
            return None;
        }
        let middle = middle(start, end);
        let half = middle - start;
        let is_odd = middle - start > end - middle;
        let in_first = position < middle;
        let pairing = |partner, direction| Pairing { iteration, partner, direction };

        self.iteration += 1;
        self.segment = if in_first { start..middle } else { middle..end };
        if is_odd && position == middle - 1 {
            return Some(pairing(end - 1, Direction::Out));
        }
        if is_odd && position == end - 1 {
            self.then = Some(pairing(middle - 1, Direction::In));
        }
        let pair = if in_first { position + half } else { position - half };
        Some(pairing(pair, Direction::Both))
    }
}

impl FusedIterator for Pairings {}

/// Returns the first position of the second half of a segment; the first half may be longer by one.
const fn middle(start: usize, end: usize) -> usize {
    start + (end - start).div_ceil(2)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LINES: Range<usize> = 1..131;

    /// Runs all positions in lockstep; returns the data that each position holds at the end, and the number of data items sent.
    fn run(halving: Halving) -> (Vec<BTreeSet<usize>>, usize) {
        let mut held: Vec<_> = (0..halving.positions()).map(|position| BTreeSet::from([position])).collect();
        let mut sent = 0;
        for iteration in 0..halving.iterations() {
            let before = held.clone();
            for (position, mine) in held.iter_mut().enumerate() {
                let now = halving.pairings(position).filter(|pairing| pairing.iteration == iteration);
                for pairing in now.filter(|pairing| pairing.direction.receives()) {
                    let news = &before[pairing.partner];
                    assert!(mine.is_disjoint(news), "{halving:?}: sent twice to {position}");
                    sent += news.len();
                    mine.extend(news);
                }
            }
        }
        (held, sent)
    }

    #[test]
    fn every_position_ends_with_the_data_of_every_position() {
        for positions in LINES {
            let (held, sent) = run(Halving::new(positions));
            assert!(held.iter().all(|data| data.len() == positions), "{positions} positions");
            assert_eq!(sent, positions * (positions - 1), "each datum goes to each other position once");
        }
    }

    #[test]
    fn iterations_are_the_logarithm_rounded_up() {
        for positions in LINES {
            let halving = Halving::new(positions);
            let expected = (positions as f64).log2().ceil() as usize;
            assert_eq!(halving.iterations(), expected);
            let last =
                (0..positions).flat_map(|position| halving.pairings(position)).map(|t| t.iteration + 1).max();
            assert_eq!(last.unwrap_or(0), expected);
        }
    }

    #[test]
    fn both_ends_agree_and_no_position_has_more_than_two_pairings_per_iteration() {
        for halving in LINES.map(Halving::new) {
            for position in 0..halving.positions() {
                let mut count = vec![0; halving.iterations()];
                for pairing in halving.pairings(position) {
                    count[pairing.iteration] += 1;
                    let direction = match pairing.direction {
                        Direction::Both => Direction::Both,
                        Direction::Out => Direction::In,
                        Direction::In => Direction::Out,
                    };
                    let mirror = Pairing { iteration: pairing.iteration, partner: position, direction };
                    assert!(halving.pairings(pairing.partner).any(|other| other == mirror));
                }
                assert!(count.iter().all(|&pairings| pairings <= 2));
            }
        }
    }

    #[test]
    fn an_even_line_follows_the_published_rule() {
        let first: Vec<_> = (0..8).filter_map(|position| Halving::new(8).pairings(position).next()).collect();
        assert_eq!(first.iter().map(|pairing| pairing.partner).collect::<Vec<_>>(), [4, 5, 6, 7, 0, 1, 2, 3]);
        assert!(first.iter().all(|pairing| pairing.direction == Direction::Both));
    }

    #[test]
    fn a_single_position_and_outside_positions_have_no_pairings() {
        assert_eq!(Halving::new(0).iterations(), 0);
        assert_eq!(Halving::new(0).pairings(0).next(), None);
        assert_eq!(Halving::new(1).pairings(0).next(), None);
        assert_eq!(Halving::new(7).pairings(7).next(), None);
    }
}
