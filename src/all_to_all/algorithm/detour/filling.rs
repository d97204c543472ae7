//! Rounds, filled one after the other by list scheduling.
//!
//! A leg goes from a source to a destination or an intermediary, or from an intermediary to a destination, and has a number of slices. In
//! each round, the legs with a waiting slice are considered in order of urgency. A leg sends a slice if sender and receiver are free and
//! no link on the path would be congested. Legs over the place with the most remaining load are the most urgent. Among these, legs to an
//! intermediary come first, because a second leg follows.

use std::collections::VecDeque;

use super::{Hop, congestion::Congestion};
use crate::{all_to_all::Piece, rank::Rank};

/// Maximum ratio of link time to port time in a round.
const SLACK: f64 = 1.02;

/// Minimum number of rounds from the first hop of a slice to its second hop.
const REST: usize = 2;

/// One hop of all slices on the same path.
struct Leg {
    from: Rank,
    to: Rank,
    /// The links of the leg, and the length of its longest slice in bytes.
    links: std::ops::Range<usize>,
    bytes: u64,
    /// The slices waiting at the sender of the leg.
    there: VecDeque<u32>,
    /// The next leg of the slices.
    then: Option<usize>,
}

pub(super) struct Filling<'a> {
    congestion: &'a Congestion,
    slices: Vec<Piece>,
    legs: Vec<Leg>,
    links: Vec<u32>,
    /// Remaining time of each place. For ports each slice counts as a whole round.
    left: Vec<f64>,
    /// Port time of the longest slice, in seconds.
    length: f64,
}

impl Filling<'_> {
    pub(super) fn new(congestion: &Congestion) -> Filling<'_> {
        let mut filling = Filling {
            congestion,
            slices: Vec::new(),
            legs: Vec::new(),
            links: Vec::new(),
            left: vec![0.0; congestion.times.len()],
            length: 0.0,
        };
        let longest = congestion.messages.iter().map(|message| message.bytes.div_ceil(message.slices)).max();
        filling.length = longest.unwrap_or(0) as f64 * congestion.port;
        for message in &congestion.messages {
            let up_to = |count: u64| {
                (u128::from(message.bytes) * u128::from(count) / u128::from(message.slices)) as u64
            };
            let mut count = 0;
            for &(way, slices) in &message.used {
                let first = filling.slices.len() as u32;
                for _ in 0..slices {
                    let (start, end) = (up_to(count), up_to(count + 1));
                    count += 1;
                    let (from, to) = (message.from, message.to);
                    filling.slices.push(Piece { from, to, start, bytes: end - start });
                }
                let there = (first..filling.slices.len() as u32).collect();
                let bytes = message.bytes.div_ceil(message.slices);
                match congestion.via[way] {
                    None => filling.add([message.from, message.to], bytes, there, slices),
                    Some(via) => {
                        filling.add([message.from, via], bytes, there, slices);
                        let next = filling.legs.len();
                        filling.legs[next - 1].then = Some(next);
                        filling.add([via, message.to], bytes, VecDeque::new(), slices);
                    }
                }
            }
        }
        filling
    }

    fn add(&mut self, [from, to]: [Rank; 2], bytes: u64, there: VecDeque<u32>, slices: u64) {
        let congestion = self.congestion;
        let start = self.links.len();
        congestion.layout.links(&mut self.links, from, to);
        let links = start..self.links.len();
        for &link in &self.links[links.clone()] {
            self.left[link as usize] += (slices * bytes) as f64 * congestion.times[link as usize];
        }
        for port in congestion.layout.ports(from, to) {
            self.left[port] += slices as f64 * self.length;
        }
        self.legs.push(Leg { from, to, links, bytes, there, then: None });
    }

    /// Returns all slices, the hops of each round, and the time of the longest round for ports and links, in seconds.
    pub(super) fn rounds(mut self) -> (Vec<Piece>, Vec<Vec<Hop>>, f64) {
        let (congestion, nodes) = (self.congestion, self.congestion.layout.nodes);
        let mut rounds: Vec<Vec<Hop>> = Vec::new();
        // Slices in transit to an intermediary: the first round of the second hop, the leg of the second hop, and the slice.
        let mut coming: VecDeque<(usize, usize, u32)> = VecDeque::new();
        let mut carried = vec![0.0; congestion.layout.links];
        let (mut moved, mut longest) = (0, self.length);
        let all: usize =
            self.legs.iter().map(|leg| leg.there.len() * (1 + usize::from(leg.then.is_some()))).sum();
        while moved < all {
            while let Some(&(_, leg, slice)) = coming.front().filter(|(round, ..)| *round <= rounds.len()) {
                coming.pop_front();
                self.legs[leg].there.push_back(slice);
            }
            let some = (0..self.legs.len()).filter(|&leg| !self.legs[leg].there.is_empty());
            let mut order: Vec<(f64, usize)> = some.map(|leg| (self.urgency(leg), leg)).collect();
            order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
            let (mut sends, mut receives) = (vec![false; nodes], vec![false; nodes]);
            carried.fill(0.0);
            let mut round = Vec::new();
            for (_, nth) in order {
                let leg = &mut self.legs[nth];
                let links = &self.links[leg.links.clone()];
                let time = |link: u32| leg.bytes as f64 * congestion.times[link as usize];
                // A single slice is allowed even if it overloads a link.
                let has_room = |&link: &u32| {
                    let carried = carried[link as usize];
                    carried == 0.0 || carried + time(link) <= SLACK * self.length
                };
                if sends[leg.from] || receives[leg.to] || !links.iter().all(has_room) {
                    continue;
                }
                for &link in links {
                    carried[link as usize] += time(link);
                    self.left[link as usize] -= time(link);
                }
                for port in congestion.layout.ports(leg.from, leg.to) {
                    self.left[port] -= self.length;
                }
                (sends[leg.from], receives[leg.to]) = (true, true);
                let Some(slice) = leg.there.pop_front() else { continue };
                round.push(Hop { from: leg.from, to: leg.to, slice });
                coming.extend(leg.then.map(|then| (rounds.len() + REST, then, slice)));
            }
            moved += round.len();
            longest = carried.iter().copied().fold(longest, f64::max);
            rounds.push(round);
        }
        (self.slices, rounds, longest)
    }

    /// Returns the urgency of a leg: mainly the remaining time of its busiest place.
    fn urgency(&self, leg: usize) -> f64 {
        let leg = &self.legs[leg];
        let [out, into] = self.congestion.layout.ports(leg.from, leg.to).map(|port| self.left[port]);
        let links = self.links[leg.links.clone()].iter().map(|&link| self.left[link as usize]);
        let most = links.fold(out.max(into), f64::max);
        let bonus = if leg.then.is_some() { self.length } else { 0.0 };
        2.0 * most + 0.01 * (out + into) + bonus
    }
}
