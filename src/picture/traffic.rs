//! Which messages shared a link, and for how long each link was shared, from the transfers of a run.
//!
//! A message moves over all links of its way from when it takes its sender's out-port to when all of it has left.

use std::collections::BTreeMap;

use super::canvas::rounded;
use crate::{
    model::Parameters,
    record::Transfer,
    report::RunReport,
    time::{Span, Time},
    topology::{LinkId, Topology},
};

/// The use of links by messages.
#[derive(Debug)]
pub(super) struct Traffic {
    /// The times of each link that a message moved over.
    pub(super) links: BTreeMap<LinkId, Use>,
    /// Whether each transfer moved over a link together with another one.
    pub(super) shared: Vec<bool>,
}

/// The times of one link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Use {
    /// The time with at least one message.
    pub(super) busy: Span,
    /// The time with at least two.
    pub(super) shared: Span,
}

/// A message on a link: the link, its times, and its place among the transfers. Small, for there are many.
type Stay = (u32, Time, Time, u32);

impl Traffic {
    pub(super) fn of(transfers: &[Transfer], topology: &dyn Topology) -> Traffic {
        let (mut stays, mut route): (Vec<Stay>, _) = (Vec::new(), Vec::new());
        for (nth, transfer) in transfers.iter().enumerate() {
            if transfer.entered < transfer.left {
                route.clear();
                topology.route(transfer.from, transfer.to, &mut route);
                let stay = |&link: &LinkId| (link as u32, transfer.entered, transfer.left, nth as u32);
                stays.extend(route.iter().map(stay));
            }
        }
        stays.sort_unstable();
        let mut traffic = Traffic { links: BTreeMap::new(), shared: vec![false; transfers.len()] };
        for stays in stays.chunk_by(|one, next| one.0 == next.0) {
            let times = traffic.count(stays);
            traffic.links.insert(stays[0].0 as LinkId, times);
        }
        traffic
    }

    /// Looks at the messages of one link, in the order in which they enter.
    fn count(&mut self, stays: &[Stay]) -> Use {
        let mut times = Use::default();
        // Until when there is one, and until when there are two.
        let (mut one, mut two) = (Time::ZERO, Time::ZERO);
        for (nth, &(_, entered, left, transfer)) in stays.iter().enumerate() {
            let meets_next = stays.get(nth + 1).is_some_and(|next| next.1 < left);
            self.shared[transfer as usize] |= meets_next || entered < one;
            times.busy += left.since(entered.max(one));
            times.shared += left.min(one).since(entered.max(two));
            two = two.max(left.min(one));
            one = one.max(left);
        }
        times
    }
}

/// The delay of all messages by contention, in a sentence; `None` if there is none.
pub(super) fn delayed(report: &RunReport) -> Option<String> {
    let lost = report.lost_to_sharing;
    (!lost.is_zero())
        .then(|| format!("Contention delayed messages by {} (sum over messages).", rounded(lost)))
}

/// The time that a message took to leave beyond n * beta, for whatever reason; none for one that takes no link.
pub(super) fn lost(transfer: &Transfer, parameters: &Parameters) -> Span {
    if transfer.entered >= transfer.left {
        return Span::ZERO;
    }
    let took = transfer.left.since(transfer.entered);
    took - Span::from_secs_f64(transfer.bytes as f64 * parameters.beta())
}
