//! Link sharing, computed from the transfers of a run: the messages that shared a link, and the shared time of each
//! link.
//!
//! A message occupies all links of its route from the time it takes its sender's out-port until it has left completely.

use std::collections::BTreeMap;

use multicomputer::{
    Span, Time,
    model::Parameters,
    record::Transfer,
    report::RunReport,
    topology::{LinkId, Topology},
};

use super::canvas::rounded;

/// The use of links by messages.
#[derive(Debug)]
pub(super) struct Traffic {
    /// The busy and shared times of each link that carried a message.
    pub(super) links: BTreeMap<LinkId, LinkTimes>,
    /// For each transfer, whether it shared a link with another transfer.
    pub(super) shared: Vec<bool>,
}

/// Times of one link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LinkTimes {
    /// The time with at least one message.
    pub(super) busy: Span,
    /// The time with at least two messages.
    pub(super) shared: Span,
}

/// A message on a link: link, enter time, leave time, index of the transfer. The type is small because a run may have
/// many visits.
type LinkVisit = (u32, Time, Time, u32);

impl Traffic {
    pub(super) fn of(transfers: &[Transfer], topology: &dyn Topology) -> Traffic {
        let (mut visits, mut route): (Vec<LinkVisit>, _) = (Vec::new(), Vec::new());
        for (nth, transfer) in transfers.iter().enumerate() {
            if transfer.entered < transfer.left {
                route.clear();
                topology.route(transfer.from, transfer.to, &mut route);
                let stay = |&link: &LinkId| (link as u32, transfer.entered, transfer.left, nth as u32);
                visits.extend(route.iter().map(stay));
            }
        }
        visits.sort_unstable();
        let mut traffic = Traffic { links: BTreeMap::new(), shared: vec![false; transfers.len()] };
        for visits in visits.chunk_by(|one, next| one.0 == next.0) {
            let times = traffic.count(visits);
            traffic.links.insert(visits[0].0 as LinkId, times);
        }
        traffic
    }

    /// Computes the times of one link from its visits, sorted by entry, and marks the messages that shared the link.
    fn count(&mut self, visits: &[LinkVisit]) -> LinkTimes {
        let mut times = LinkTimes::default();
        // The latest end of the visits so far, and the end of the time with at least two messages.
        let (mut one, mut two) = (Time::ZERO, Time::ZERO);
        for (nth, &(_, entered, left, transfer)) in visits.iter().enumerate() {
            let meets_next = visits.get(nth + 1).is_some_and(|next| next.1 < left);
            self.shared[transfer as usize] |= meets_next || entered < one;
            times.busy += left.since(entered.max(one));
            times.shared += left.min(one).since(entered.max(two));
            two = two.max(left.min(one));
            one = one.max(left);
        }
        times
    }
}

/// Describes the total delay of messages by contention; `None` if it is zero.
pub(super) fn delayed(report: &RunReport) -> Option<String> {
    let lost = report.lost_to_sharing;
    (!lost.is_zero())
        .then(|| format!("Contention delayed messages by {} (sum over messages).", rounded(lost)))
}

/// Returns the time by which a message took longer to leave than n * beta, for any reason; zero for a message that used
/// no link.
pub(super) fn lost(transfer: &Transfer, parameters: &Parameters) -> Span {
    if transfer.entered >= transfer.left {
        return Span::ZERO;
    }
    let took = transfer.left.since(transfer.entered);
    took - Span::from_secs_f64(transfer.bytes as f64 * parameters.beta())
}
