//! Messages that are passed on digit by digit.
//!
//! Ranks have places, 0 to `p - 1`, which are written in digits: one for each [`Axis`], or several. One digit after the
//! other every message is brought to a rank that has that digit in common with its receiver, and all others with the
//! rank where it was: what a rank has for several receivers goes as one message.

use super::{Part, parts};
use crate::{
    exchange::Matrix,
    pattern::{Builder, Exchange, Schedule, Transfer},
    rank::Rank,
};

/// Places in rings: those that differ only in how many times `stride` goes into them, up to `extent` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// The places of a ring.
    pub(crate) extent: usize,
    /// The difference of neighbouring places.
    pub(crate) stride: usize,
    /// The radix of the digits in which the way around a ring is written, from 2 to `extent`: with the largest one messages go
    /// all the way at once.
    pub(crate) radix: usize,
}

impl Axis {
    fn coordinate(&self, place: usize) -> usize {
        place / self.stride % self.extent
    }

    /// The steps around the ring from a place to that which has its coordinate in common with another one.
    pub(crate) fn way(&self, from: usize, to: usize) -> usize {
        let (from, to) = (self.coordinate(from), self.coordinate(to));
        if to < from { to + self.extent - from } else { to - from }
    }

    /// The place so many steps further on, less than once around.
    pub(crate) fn further(&self, place: usize, steps: usize) -> usize {
        let goes_round = self.coordinate(place) + steps >= self.extent;
        place + self.stride * steps - if goes_round { self.stride * self.extent } else { 0 }
    }

    /// The number of times that a message is passed on so many steps.
    pub(crate) fn moves(&self, mut way: usize) -> u64 {
        let mut moves = 0;
        while way > 0 {
            moves += u64::from(!way.is_multiple_of(self.radix));
            way /= self.radix;
        }
        moves
    }

    /// The weight of each digit, and the number of values that it can have.
    pub(crate) fn digits(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let Axis { extent, radix, .. } = *self;
        let weights = std::iter::successors(Some(1_usize), move |weight| Some(weight.saturating_mul(radix)));
        weights
            .take_while(move |&weight| weight < extent)
            .map(move |weight| (weight, radix.min(extent.div_ceil(weight))))
    }

    /// The number of messages that a rank sends, if it always has something.
    pub(crate) fn messages(&self) -> usize {
        self.digits().map(|(_, values)| values - 1).sum()
    }
}

/// The schedule along some axes, one after the other, with the rank at each place; its blocks are the messages between different
/// ranks, in order.
pub(crate) fn schedule(matrix: &Matrix, ranks: &[Rank], axes: &[Axis], exchange: Exchange) -> Schedule {
    let nodes = matrix.nodes();
    let messages: Vec<Part> = parts(matrix).collect();
    let origins: Vec<Rank> = messages.iter().map(|part| part.from).collect();
    let sizes: Vec<u64> = messages.iter().map(|part| part.bytes).collect();
    let places = places(ranks);
    // Where each block is.
    let mut here: Vec<usize> = messages.iter().map(|part| places[part.from]).collect();
    let mut builder = Builder::new(nodes, &origins, &sizes, exchange);
    for axis in axes {
        let ways: Vec<usize> =
            messages.iter().zip(&here).map(|(part, &here)| axis.way(here, places[part.to])).collect();
        for (weight, values) in axis.digits() {
            let digit = |block: usize| ways[block] / weight % axis.radix;
            // The blocks by the value of the digit, then by the place that sends them, then in order; those with a digit of 0
            // stay. The start of each of these groups, and at last the end.
            let mut starts = vec![0_usize; values * nodes + 1];
            for (block, &here) in here.iter().enumerate() {
                starts[digit(block) * nodes + here + 1] += 1;
            }
            for group in 0..values * nodes {
                starts[group + 1] += starts[group];
            }
            let mut next = starts.clone();
            let mut grouped = vec![0_u32; messages.len()];
            for (block, here) in here.iter_mut().enumerate() {
                let digit = digit(block);
                let next = &mut next[digit * nodes + *here];
                grouped[*next] = block as u32;
                *next += 1;
                *here = axis.further(*here, digit * weight);
            }
            for digit in 1..values {
                let blocks = |place: usize| {
                    let group = digit * nodes + place;
                    &grouped[starts[group]..starts[group + 1]]
                };
                let transfer = |place: usize| Transfer {
                    from: ranks[place],
                    to: ranks[axis.further(place, digit * weight)],
                    blocks: blocks(place).into(),
                };
                let senders: Vec<usize> = (0..nodes).filter(|&place| !blocks(place).is_empty()).collect();
                if !senders.is_empty() {
                    builder.move_blocks(senders.into_iter().map(transfer));
                }
            }
        }
    }
    builder.finish()
}

/// The place of each rank.
pub(crate) fn places(ranks: &[Rank]) -> Vec<usize> {
    let mut places = vec![0; ranks.len()];
    ranks.iter().enumerate().for_each(|(place, &rank)| places[rank] = place);
    places
}

/// The bytes that all ranks send together.
pub(crate) fn moved(matrix: &Matrix, places: &[usize], axes: &[Axis]) -> u64 {
    let moves = |part: &Part| {
        let way = |axis: &Axis| axis.moves(axis.way(places[part.from], places[part.to]));
        axes.iter().map(way).sum::<u64>()
    };
    parts(matrix).map(|part| part.bytes.saturating_mul(moves(&part))).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_around_the_rings_of_an_axis() {
        // 3 x 5 places: along columns, five apart.
        let axis = Axis { extent: 3, stride: 5, radix: 2 };
        assert_eq!((axis.way(4, 14), axis.way(14, 3), axis.way(9, 5)), (2, 1, 0));
        assert_eq!((axis.further(4, 2), axis.further(14, 1)), (14, 4));
        assert_eq!((axis.moves(0), axis.moves(2), axis.moves(3)), (0, 1, 2));
        assert_eq!(axis.messages(), 2);
        assert_eq!(Axis { extent: 7, stride: 1, radix: 3 }.messages(), 4, "1, 2, 3 and 6 further on");
    }
}
