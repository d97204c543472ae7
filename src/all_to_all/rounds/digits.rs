//! Message forwarding digit by digit (radix algorithms).
//!
//! Each rank has a *place*, a number from 0 to `p - 1`, with one coordinate for each [`Axis`]. Messages move along one axis after the
//! other. The distance of a message around the ring of an axis is written in digits of the axis' radix. For each nonzero digit `d` of
//! weight `w`, the message moves `d w` places along the ring. Messages with the same next rank are combined into one.

use super::{Part, parts, style::Style};
use crate::{
    all_to_all::Matrix,
    pattern::{Builder, Exchange, Schedule, Transfer},
    rank::Rank,
};

/// Order in which a rank sends and receives the messages of a digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// All values of the digit at once: a rank starts a send for each value, and then receives the messages. All messages are in transit
    /// at the same time, so the ports are busy during the calls.
    AtOnce,
    /// One value after the other, each by this kind of exchange.
    Each(Exchange),
}

impl Pace {
    pub(crate) const ALL: [Pace; 4] = [
        Pace::AtOnce,
        Pace::Each(Exchange::InTurn),
        Pace::Each(Exchange::Together),
        Pace::Each(Exchange::Overlapped),
    ];

    /// Returns the suffix of a plan's name for this pace.
    pub(crate) fn name(self) -> String {
        match self {
            Pace::AtOnce => ", at once".to_owned(),
            Pace::Each(exchange) => Style::Each(exchange).name(),
        }
    }

    fn exchange(self) -> Exchange {
        match self {
            Pace::AtOnce => Exchange::Overlapped,
            Pace::Each(exchange) => exchange,
        }
    }
}

/// An axis of places, made of rings of `extent` places. Neighbouring places of a ring differ by `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// Number of places in a ring.
    pub(crate) extent: usize,
    /// Difference of neighbouring places.
    pub(crate) stride: usize,
    /// Radix of the digits of distances around a ring, from 2 to `extent`. With radix `extent` each message covers the distance in one
    /// move.
    pub(crate) radix: usize,
}

impl Axis {
    fn coordinate(&self, place: usize) -> usize {
        place / self.stride % self.extent
    }

    /// Returns the number of steps around the ring from `from` to the place with the same coordinate as `to`.
    pub(crate) fn distance(&self, from: usize, to: usize) -> usize {
        let (from, to) = (self.coordinate(from), self.coordinate(to));
        if to < from { to + self.extent - from } else { to - from }
    }

    /// Returns the place `steps` steps further along the ring; `steps` is less than `extent`.
    pub(crate) fn advanced(&self, place: usize, steps: usize) -> usize {
        let goes_round = self.coordinate(place) + steps >= self.extent;
        place + self.stride * steps - if goes_round { self.stride * self.extent } else { 0 }
    }

    /// Returns the number of moves of a message over the distance `distance`: the number of nonzero digits.
    pub(crate) fn moves(&self, mut distance: usize) -> u64 {
        let mut moves = 0;
        while distance > 0 {
            moves += u64::from(!distance.is_multiple_of(self.radix));
            distance /= self.radix;
        }
        moves
    }

    /// Returns the weight of each digit, and its number of values.
    pub(crate) fn digits(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let Axis { extent, radix, .. } = *self;
        let weights = std::iter::successors(Some(1_usize), move |weight| Some(weight.saturating_mul(radix)));
        weights
            .take_while(move |&weight| weight < extent)
            .map(move |weight| (weight, radix.min(extent.div_ceil(weight))))
    }

    /// Returns the number of messages that a rank sends, if none is empty.
    pub(crate) fn messages(&self) -> usize {
        self.digits().map(|(_, values)| values - 1).sum()
    }

    /// Returns the number of distances around the ring whose digit of weight `weight` is `value`.
    pub(crate) fn with_value(&self, weight: usize, value: usize) -> usize {
        let cycle = weight.saturating_mul(self.radix);
        let rest = (self.extent % cycle).saturating_sub(value * weight);
        self.extent / cycle * weight + rest.min(weight)
    }
}

/// Returns the schedule along the axes, one after the other. `ranks` holds the rank at each place. Blocks are the messages between
/// different ranks, in order.
pub(crate) fn schedule(matrix: &Matrix, ranks: &[Rank], axes: &[Axis], pace: Pace) -> Schedule {
    let nodes = matrix.nodes();
    let messages: Vec<Part> = parts(matrix).collect();
    let origins: Vec<Rank> = messages.iter().map(|part| part.from).collect();
    let sizes: Vec<u64> = messages.iter().map(|part| part.bytes).collect();
    let places = places(ranks);
    // Current place of each block.
    let mut here: Vec<usize> = messages.iter().map(|part| places[part.from]).collect();
    let mut builder = Builder::new(nodes, &origins, &sizes, pace.exchange());
    for axis in axes {
        let distances: Vec<usize> =
            messages.iter().zip(&here).map(|(part, &here)| axis.distance(here, places[part.to])).collect();
        for (weight, values) in axis.digits() {
            let digit = |block: usize| distances[block] / weight % axis.radix;
            // Counting sort: blocks by the value of the digit, then by the sending place, then in order. Blocks with digit 0 stay.
            // `starts` holds the start of each group, and the end.
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
                *here = axis.advanced(*here, digit * weight);
            }
            let blocks = |digit: usize, place: usize| {
                let group = digit * nodes + place;
                &grouped[starts[group]..starts[group + 1]]
            };
            let transfers = |digit: usize| {
                let transfer = move |place: usize| Transfer {
                    from: ranks[place],
                    to: ranks[axis.advanced(place, digit * weight)],
                    blocks: blocks(digit, place).into(),
                };
                (0..nodes).filter(move |&place| !blocks(digit, place).is_empty()).map(transfer)
            };
            let at_once = if pace == Pace::AtOnce { values } else { 1 };
            for first in (1..values).step_by(at_once) {
                let digits = first..values.min(first + at_once);
                let transfers: Vec<Transfer> = digits.flat_map(transfers).collect();
                if !transfers.is_empty() {
                    builder.move_blocks(transfers);
                }
            }
        }
    }
    builder.finish()
}

/// Returns the place of each rank.
pub(crate) fn places(ranks: &[Rank]) -> Vec<usize> {
    let mut places = vec![0; ranks.len()];
    ranks.iter().enumerate().for_each(|(place, &rank)| places[rank] = place);
    places
}

/// Returns the total bytes that all ranks send, forwarding included.
pub(crate) fn total_bytes(matrix: &Matrix, places: &[usize], axes: &[Axis]) -> u64 {
    let moves = |part: &Part| {
        let moves = |axis: &Axis| axis.moves(axis.distance(places[part.from], places[part.to]));
        axes.iter().map(moves).sum::<u64>()
    };
    parts(matrix).map(|part| part.bytes.saturating_mul(moves(&part))).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pattern::{Action, Delivery};

    proptest! {
        #[test]
        fn every_message_reaches_its_receiver_at_any_pace(
            extents in (1..6_usize, 1..6_usize),
            radices in (2..6_usize, 2..6_usize),
            bytes in prop::collection::vec(0..4_u64, 25 * 25),
            rendezvous in prop::option::of(0..6_u64),
        ) {
            let nodes = extents.0 * extents.1;
            let matrix = Matrix::of(nodes, |from, to| bytes[from * 25 + to]).unwrap();
            let ranks: Vec<Rank> = (0..nodes).rev().collect();
            let axis = |extent: usize, stride: usize, radix: usize| Axis { extent, stride, radix: radix.min(extent.max(2)) };
            let axes = [axis(extents.0, extents.1, radices.0), axis(extents.1, 1, radices.1)];
            let parts: Vec<Part> = parts(&matrix).collect();
            let numbers: Vec<u32> = (0..parts.len() as u32).collect();
            for pace in Pace::ALL {
                let schedule = schedule(&matrix, &ranks, &axes, pace);
                let delivery = Delivery::new(&schedule, &numbers, |rank, block| parts[block as usize].from == rank);
                let checked = delivery.under_rendezvous(rendezvous).check(|rank, block| {
                    let part = parts[block as usize];
                    (part.to == rank).then(|| part.from..part.from + 1)
                });
                prop_assert!(checked.is_ok(), "{pace:?}: {checked:?}");
            }
        }
    }

    /// Tests 7 ranks with radix 3: both messages of a digit are sent before one is received.
    #[test]
    fn at_once_starts_all_sends_before_the_first_receive() {
        let ranks: Vec<Rank> = (0..7).collect();
        let matrix = Matrix::of(7, |_, _| 1).unwrap();
        let axis = Axis { extent: 7, stride: 1, radix: 3 };
        let outline = |pace: Pace| -> String {
            let schedule = schedule(&matrix, &ranks, &[axis], pace);
            let name = |action: &Action| match action {
                Action::Start(message) | Action::Send(message) => format!(">{} ", message.peer),
                Action::Recv(message) => format!("<{} ", message.peer),
                _ => String::new(),
            };
            schedule.steps(0).iter().map(|step| name(&step.action)).collect()
        };
        assert_eq!(outline(Pace::AtOnce), ">1 >2 <6 <5 >3 >6 <4 <1 ");
        assert_eq!(outline(Pace::Each(Exchange::InTurn)), ">1 <6 >2 <5 >3 <4 >6 <1 ");
    }

    #[test]
    fn distances_wrap_around_the_rings_of_an_axis() {
        // 3 x 5 places, along columns: neighbours differ by five.
        let axis = Axis { extent: 3, stride: 5, radix: 2 };
        assert_eq!((axis.distance(4, 14), axis.distance(14, 3), axis.distance(9, 5)), (2, 1, 0));
        assert_eq!((axis.advanced(4, 2), axis.advanced(14, 1)), (14, 4));
        assert_eq!((axis.moves(0), axis.moves(2), axis.moves(3)), (0, 1, 2));
        let axis = Axis { extent: 7, stride: 1, radix: 3 };
        assert_eq!(axis.messages(), 4, "1, 2, 3 and 6 further on");
        let values = |weight: usize| [0, 1, 2].map(|value| axis.with_value(weight, value));
        assert_eq!((values(1), values(3)), ([3, 2, 2], [3, 3, 1]), "0 1 2 0 1 2 0, and 0 0 0 1 1 1 2");
    }
}
