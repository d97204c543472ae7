//! Blame: the losses of messages to sharing, divided among those that shared with them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    AnalysisError, MessageRef,
    messages::{Messages, divide},
};
use crate::{
    model::Description,
    record::{Bottleneck, Share, Trace},
    time::Span,
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
    /// Time and memory in proportion to the pairs of messages that shared a bottleneck.
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
        let mut losses: BTreeMap<(Bottleneck, MessageRef, MessageRef), Span> = BTreeMap::new();
        for (place, shares) in places(messages, &losing, machine) {
            for (share, by) in meetings(&messages.shares, &shares, place, &losing) {
                let (slowed, lost) = (message(&messages.shares[share]), losing[&share]);
                if by.is_empty() {
                    own += lost;
                }
                let weights: Vec<f64> = by.values().copied().collect();
                for (&by, part) in by.keys().zip(divide(lost, &weights)).filter(|(_, part)| !part.is_zero()) {
                    *losses.entry((place, slowed, by)).or_default() += part;
                }
            }
        }
        // What was lost where nothing is shared is rounding.
        let nowhere = |share: &usize| messages.shares[*share].bottleneck.is_none();
        own += losing.iter().filter(|(share, _)| nowhere(share)).map(|(_, &lost)| lost).sum();
        let loss = |((place, slowed, by), lost)| Loss { place, slowed, by, lost };
        Blame { losses: losses.into_iter().map(loss).collect(), own }
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
        }
        for place in &way {
            if let Some(shares) = places.get_mut(place) {
                shares.push(index);
            }
        }
    }
    places
}

/// For each losing share that has this bottleneck, the messages that moved over it at the same time, with the bytes that
/// they moved meanwhile.
fn meetings(
    all: &[Share],
    over: &[usize],
    place: Bottleneck,
    losing: &BTreeMap<usize, Span>,
) -> BTreeMap<usize, BTreeMap<MessageRef, f64>> {
    let loses = |share: usize| all[share].bottleneck == Some(place) && losing.contains_key(&share);
    let mut met: BTreeMap<usize, BTreeMap<MessageRef, f64>> =
        over.iter().filter(|&&share| loses(share)).map(|&share| (share, BTreeMap::new())).collect();
    let mut order = over.to_vec();
    order.sort_by_key(|&share| (all[share].start, all[share].from));
    let mut under_way: Vec<usize> = Vec::new();
    for later in order {
        let begin = all[later].start;
        under_way.retain(|&earlier| all[earlier].end > begin);
        for &earlier in &under_way {
            let together = all[earlier].end.min(all[later].end).since(begin).as_secs_f64();
            for (one, other) in [(earlier, later), (later, earlier)] {
                if let Some(met) = met.get_mut(&one) {
                    *met.entry(message(&all[other])).or_default() += together * all[other].rate;
                }
            }
        }
        under_way.push(later);
    }
    // Whoever moved nothing took nothing away.
    met.values_mut().for_each(|met| met.retain(|_, &mut bytes| bytes > 0.0));
    met
}
