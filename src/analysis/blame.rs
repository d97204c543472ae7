//! Blame: the contention delays of messages, divided among the messages that caused them.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range};

use serde::Serialize;

use super::{
    AnalysisError, MessageRef,
    messages::{Messages, divide},
};
use crate::{
    model::MachineSpec,
    record::{Bottleneck, Share, Trace},
    time::{Span, Time},
};

/// The contention delays of a run's messages, attributed to the messages that caused them.
///
/// **Rule.** While a message moves more slowly than it would without other traffic, one resource limits it: its bottleneck. In each of its
/// [shares](Share), the message loses the time that its bytes would not have needed at its rate without other traffic. Other messages on
/// the bottleneck share the blame in proportion to the bytes that they moved over it during the share. A loss on a link that is slower than
/// the ports occurs even without other traffic; it is blamed on no message: [`own`](Blame::own).
///
/// **Rounding.** The loss of a message is an integer number of picoseconds. It is divided among its shares in time order, and the loss of a
/// share among other messages in the order of their senders. Each running sum is rounded to the nearest picosecond, and the last sum is
/// exact. If no other message moved during a loss, which rounding can cause, the loss is counted as [`own`](Blame::own).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Blame {
    /// The losses, one for each place (a shared link or port), delayed message and delaying message, in this order; none is zero.
    pub losses: Vec<Loss>,
    /// The losses that no other message caused: on links slower than the ports of nodes, and by rounding.
    pub own: Span,
}

/// The time that one message lost at one shared link or port because of one other message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The shared link or port.
    pub place: Bottleneck,
    /// The delayed message.
    pub slowed: MessageRef,
    /// The message that caused the delay.
    pub by: MessageRef,
    /// The time lost.
    pub lost: Span,
}

impl Blame {
    /// Computes the contention delays of a run on `machine`.
    ///
    /// # Errors
    /// [`AnalysisError::Incomplete`] if `trace` is not the whole trace of a run in modeled time on this machine.
    ///
    /// # Cost
    /// Memory: proportional to the shares, and to the pairs of messages on a bottleneck at the same time. Time: some 20 ns for each pair of
    /// a losing [share](Share) and another message that overlaps its message, because a loss is divided and rounded share by share. If n
    /// messages enter one node at the same time and leave one after the other, each has up to n shares, and there are n^3 / 3 such pairs.
    pub fn of(trace: &Trace, machine: &MachineSpec) -> Result<Blame, AnalysisError> {
        Ok(Blame::among(&Messages::of(trace, machine)?, machine))
    }

    pub(super) fn among(messages: &Messages, machine: &MachineSpec) -> Blame {
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
        // A loss without a bottleneck is a rounding error.
        let nowhere = |share: &usize| messages.shares[*share].bottleneck.is_none();
        own += losing.iter().filter(|(share, _)| nowhere(share)).map(|(_, &lost)| lost).sum();
        Blame { losses, own }
    }

    /// Returns the total loss of all messages to contention with others.
    pub fn shared(&self) -> Span {
        self.losses.iter().map(|loss| loss.lost).sum()
    }

    /// Returns the total loss, including [`own`](Blame::own): the report's
    /// [`lost_to_sharing`](crate::report::RunReport::lost_to_sharing).
    pub fn total(&self) -> Span {
        self.shared() + self.own
    }

    /// Returns the total loss at each shared link or port where messages lost time.
    pub fn by_place(&self) -> BTreeMap<Bottleneck, Span> {
        self.sums(|loss| loss.place)
    }

    /// Returns the loss of each delayed message, in the order of messages.
    pub fn slowed(&self) -> BTreeMap<MessageRef, Span> {
        self.sums(|loss| loss.slowed)
    }

    /// Returns the loss that each message caused to others, in the order of messages.
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

/// Returns, for each link or port with a loss, the indices of all shares whose messages moved over it.
fn places(
    messages: &Messages,
    losing: &BTreeMap<usize, Span>,
    machine: &MachineSpec,
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
            // Two places are equal if a node sends to itself.
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

/// The part of one share of a message that matters at one link or port: its time, its rate, and its loss.
#[derive(Clone, Copy, Debug)]
struct SharePiece {
    start: Time,
    end: Time,
    rate: f64,
    /// The loss, if this place is the bottleneck of the share.
    lost: Option<Span>,
}

/// A message that moved over a link or port. Its pieces, in time order, are a range of [`Meeting::pieces`].
#[derive(Debug)]
struct Passing {
    message: MessageRef,
    pieces: Range<usize>,
    start: Time,
    end: Time,
    /// The messages that overlap this one in time at the link or port, as sorted indices; empty if this message lost no time there.
    met: Vec<usize>,
}

/// All messages that moved over one link or port, in the order of senders.
#[derive(Debug)]
struct Meeting {
    place: Bottleneck,
    pieces: Vec<SharePiece>,
    messages: Vec<Passing>,
}

impl Meeting {
    /// Collects the messages of the shares `over`. For each message that lost time at `place`, also finds the messages that overlap it.
    fn of(all: &[Share], over: &[usize], place: Bottleneck, losing: &BTreeMap<usize, Span>) -> Meeting {
        let mut meeting = Meeting { place, pieces: Vec::with_capacity(over.len()), messages: Vec::new() };
        for &share in over {
            let Share { start, end, rate, bottleneck, .. } = all[share];
            let lost = if bottleneck == Some(place) { losing.get(&share).copied() } else { None };
            meeting.pieces.push(SharePiece { start, end, rate, lost });
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

    /// Appends the losses of each message by each other message, in order. Returns the loss that no other message caused.
    fn divide(&self, losses: &mut Vec<Loss>) -> Span {
        let mut own = Span::ZERO;
        let mut weights: Vec<f64> = Vec::new();
        for slowed in &self.messages {
            // For each overlapping message: its index, its pieces that have not ended, and the loss that it has caused so far.
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
                // Messages that moved no bytes during the piece get no blame.
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

/// Returns the bytes that a message, given by its `pieces` in time order, moved during another message's piece.
fn moved(pieces: &[SharePiece], during: &SharePiece) -> f64 {
    let mut bytes = 0.0;
    for piece in pieces.iter().take_while(|piece| piece.start < during.end) {
        let (from, to) = (piece.start.max(during.start), piece.end.min(during.end));
        if from < to {
            bytes += to.since(from).as_secs_f64() * piece.rate;
        }
    }
    bytes
}
