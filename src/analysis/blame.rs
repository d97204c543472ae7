//! Blame: the losses of messages to sharing, divided among those that shared with them.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range};

use serde::Serialize;

use super::{
    AnalysisError, MessageRef,
    messages::{Messages, divide},
};
use crate::{
    model::Description,
    record::{Bottleneck, Share, Trace},
    time::{Span, Time},
};

/// The time that messages lost because they shared links or ports, message by message.
///
/// **The rule.** While a message moves more slowly than it would alone, there is one place that it cannot get more of, its
/// bottleneck, and others that move over that place. In each of its [shares](Share) the message loses the time that its
/// bytes would not have needed at the rate that it has alone, and those others share the blame for it in the ratio of the
/// bytes that they moved over the bottleneck meanwhile. What a message loses on a slower link of its own way, alone as with
/// others, is nobody's blame: [`own`](Blame::own).
///
/// **Rounding.** The loss of a message is a whole number of picoseconds. Divided among its shares in the order of time, and
/// the loss of a share among others in the order of their senders, each running sum is rounded to the nearest picosecond and
/// the last one is the whole. A loss of a picosecond that nobody shares is counted as its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Blame {
    /// The losses of each message on each place by each other one, in the order of places, then of messages; none is zero.
    pub losses: Vec<Loss>,
    /// The losses of messages alone, on links that are slower than the ports of nodes, and by rounding.
    pub own: Span,
}

/// The time that a message lost on one place by one other message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The place that both moved over.
    pub place: Bottleneck,
    /// The message that was slowed down.
    pub slowed: MessageRef,
    /// The message that slowed it down.
    pub by: MessageRef,
    /// The time that it lost.
    pub lost: Span,
}

impl Blame {
    /// Divides the losses of a run on `machine` among its messages.
    ///
    /// # Errors
    /// [`AnalysisError::Incomplete`] if `trace` is not the whole trace of a run in modeled time on this machine.
    ///
    /// # Cost
    /// Memory in proportion to the shares, and to the pairs of messages that moved over a bottleneck at the same time. The time
    /// is some twenty nanoseconds for each message that another one met in one of its losing [shares](Share): a loss is divided,
    /// and rounded, share by share. Of n messages that all move into one node at once, and leave one after the other, each has
    /// up to n shares, and that is n cubed by 3.
    pub fn of(trace: &Trace, machine: &Description) -> Result<Blame, AnalysisError> {
        Ok(Blame::among(&Messages::of(trace, machine)?, machine))
    }

    pub(super) fn among(messages: &Messages, machine: &Description) -> Blame {
        let mut own: Span = messages.moved.values().map(|moved| moved.own).sum();
        let mut losing: BTreeMap<usize, Span> = BTreeMap::new();
        for moved in messages.moved.values() {
            let lost = moved.shares.clone().zip(&moved.lost);
            losing.extend(lost.filter(|(_, lost)| !lost.is_zero()).map(|(share, &lost)| (share, lost)));
        }
        let mut losses = Vec::new();
        for (place, over) in places(messages, &losing, machine) {
            own += Meeting::of(&messages.shares, &over, place, &losing).divide(&mut losses);
        }
        // Losses where nothing is shared are rounding.
        let nowhere = |share: &usize| messages.shares[*share].bottleneck.is_none();
        own += losing.iter().filter(|(share, _)| nowhere(share)).map(|(_, &lost)| lost).sum();
        Blame { losses, own }
    }

    /// The losses of all messages to sharing with others.
    pub fn shared(&self) -> Span {
        self.losses.iter().map(|loss| loss.lost).sum()
    }

    /// The losses of all messages together, shared or not: [`lost_to_sharing`](crate::report::RunReport::lost_to_sharing) of the
    /// report.
    pub fn total(&self) -> Span {
        self.shared() + self.own
    }

    /// The loss on each place, in the order of places.
    pub fn by_place(&self) -> BTreeMap<Bottleneck, Span> {
        self.sums(|loss| loss.place)
    }

    /// The loss of each message that was slowed down, in the order of messages.
    pub fn slowed(&self) -> BTreeMap<MessageRef, Span> {
        self.sums(|loss| loss.slowed)
    }

    /// The loss that each message caused to others, in the order of messages.
    pub fn slowing(&self) -> BTreeMap<MessageRef, Span> {
        self.sums(|loss| loss.by)
    }

    fn sums<K: Ord>(&self, key: impl Fn(&Loss) -> K) -> BTreeMap<K, Span> {
        let mut sums = BTreeMap::new();
        for loss in &self.losses {
            *sums.entry(key(loss)).or_default() += loss.lost;
        }
        sums
    }
}

fn message(share: &Share) -> MessageRef {
    let Share { from, to, seq, .. } = *share;
    MessageRef { from, seq, to }
}

/// For each place on which something was lost, all shares of messages that moved over it.
fn places(
    messages: &Messages,
    losing: &BTreeMap<usize, Span>,
    machine: &Description,
) -> BTreeMap<Bottleneck, Vec<usize>> {
    let bottlenecks = losing.keys().filter_map(|&share| messages.shares[share].bottleneck);
    let mut places: BTreeMap<Bottleneck, Vec<usize>> = bottlenecks.map(|place| (place, Vec::new())).collect();
    let (mut way, mut of) = (Vec::new(), None);
    for (index, share) in messages.shares.iter().enumerate() {
        if of != Some((share.from, share.to)) {
            of = Some((share.from, share.to));
            let mut route = Vec::new();
            machine.topology().route(share.from, share.to, &mut route);
            way = route.into_iter().map(Bottleneck::Link).collect();
            way.extend([
                Bottleneck::InPort(share.to),
                Bottleneck::Ports(share.from),
                Bottleneck::Ports(share.to),
            ]);
            // Each place once, as a message to its own node has it.
            way.sort_unstable();
            way.dedup();
        }
        for place in &way {
            if let Some(shares) = places.get_mut(place) {
                shares.push(index);
            }
        }
    }
    places
}

/// A share of a message at a place.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: Time,
    end: Time,
    rate: f64,
    /// The loss, if this place is its bottleneck.
    lost: Option<Span>,
}

/// The pieces of a message at a place, in the order of time: a range of all.
#[derive(Debug)]
struct Passing {
    message: MessageRef,
    pieces: Range<usize>,
    start: Time,
    end: Time,
    /// Those that moved over the place while it did, in order.
    met: Vec<usize>,
}

/// All messages that moved over one place, in order.
#[derive(Debug)]
struct Meeting {
    place: Bottleneck,
    pieces: Vec<Piece>,
    messages: Vec<Passing>,
}

impl Meeting {
    /// The messages of these shares, each with those that it met if it lost anything here.
    fn of(all: &[Share], over: &[usize], place: Bottleneck, losing: &BTreeMap<usize, Span>) -> Meeting {
        let mut meeting = Meeting { place, pieces: Vec::with_capacity(over.len()), messages: Vec::new() };
        for &share in over {
            let Share { start, end, rate, bottleneck, .. } = all[share];
            let lost = if bottleneck == Some(place) { losing.get(&share).copied() } else { None };
            meeting.pieces.push(Piece { start, end, rate, lost });
            let (last, message) = (meeting.pieces.len(), message(&all[share]));
            match meeting.messages.last_mut() {
                Some(same) if same.message == message => {
                    (same.pieces.end, same.end) = (last, same.end.max(end));
                }
                _ => {
                    let pieces = last - 1..last;
                    meeting.messages.push(Passing { message, pieces, start, end, met: Vec::new() });
                }
            }
        }
        meeting.meet();
        meeting
    }

    fn meet(&mut self) {
        let messages = &mut self.messages;
        let loses: Vec<bool> = messages
            .iter()
            .map(|message| self.pieces[message.pieces.clone()].iter().any(|piece| piece.lost.is_some()))
            .collect();
        let mut order: Vec<usize> = (0..messages.len()).collect();
        order.sort_by_key(|&message| messages[message].start);
        let mut under_way: Vec<usize> = Vec::new();
        for later in order {
            let begin = messages[later].start;
            under_way.retain(|&earlier| messages[earlier].end > begin);
            for &earlier in &under_way {
                for (one, other) in [(earlier, later), (later, earlier)] {
                    if loses[one] {
                        messages[one].met.push(other);
                    }
                }
            }
            under_way.push(later);
        }
        messages.iter_mut().for_each(|message| message.met.sort_unstable());
    }

    /// Adds the losses of each message by each other one, in order; returns what nobody shared.
    fn divide(&self, losses: &mut Vec<Loss>) -> Span {
        let mut own = Span::ZERO;
        let mut weights: Vec<f64> = Vec::new();
        for slowed in &self.messages {
            // Those that it meets: the first piece that is not over, and what it lost by them.
            let pieces_of = |&other: &usize| (other, self.messages[other].pieces.clone(), Span::ZERO);
            let mut others: Vec<_> = slowed.met.iter().map(pieces_of).collect();
            for piece in &self.pieces[slowed.pieces.clone()] {
                let Some(lost) = piece.lost else { continue };
                weights.clear();
                for (_, pieces, _) in &mut others {
                    while pieces.start < pieces.end && self.pieces[pieces.start].end <= piece.start {
                        pieces.start += 1;
                    }
                    weights.push(moved(&self.pieces[pieces.clone()], piece));
                }
                // Whoever moved nothing took nothing away.
                let Some(last) = weights.iter().rposition(|&bytes| bytes > 0.0) else {
                    own += lost;
                    continue;
                };
                for ((.., sum), part) in others.iter_mut().zip(divide(lost, &weights[..=last])) {
                    *sum += part;
                }
            }
            let (place, slowed) = (self.place, slowed.message);
            let by = others.into_iter().filter(|(.., lost)| !lost.is_zero());
            losses.extend(by.map(|(other, _, lost)| {
                let by = self.messages[other].message;
                Loss { place, slowed, by, lost }
            }));
        }
        own
    }
}

/// The bytes that a message moved in these pieces, which are in the order of time, during that one.
fn moved(pieces: &[Piece], during: &Piece) -> f64 {
    let mut bytes = 0.0;
    for piece in pieces.iter().take_while(|piece| piece.start < during.end) {
        let (from, to) = (piece.start.max(during.start), piece.end.min(during.end));
        if from < to {
            bytes += to.since(from).as_secs_f64() * piece.rate;
        }
    }
    bytes
}
