//! Faults of the network: links with less capacity, and flows that end on their way.

use super::Fabric;
use crate::{
    rank::Rank,
    time::Time,
    topology::{LinkId, Topology},
};

impl Fabric {
    /// Gives a link a part of its capacity from now on; the shares are to be settled at this instant.
    pub(crate) fn slow(&mut self, link: LinkId, factor: f64, topology: &dyn Topology) {
        let capacity = topology.capacity(link).unwrap_or(self.link_capacity) * factor;
        self.slow.insert(link, factor);
        if let Some(place) = (self.places[link] as usize).checked_sub(1).filter(|_| capacity.is_finite()) {
            self.shares.set_capacity((self.first + place) as u32, capacity);
        }
    }

    /// Gives the next message of a node another route than that of the topology.
    pub(crate) fn detour(&mut self, source: Rank, route: Vec<LinkId>) {
        self.detours.insert(source, route);
    }

    /// Whether a message of this node is in its out-port.
    pub(crate) fn is_sending(&self, source: Rank) -> bool {
        self.ends.contains(source as u32)
    }

    /// The nodes whose messages move over a link, in order.
    pub(crate) fn senders_over(&self, link: LinkId) -> Vec<Rank> {
        let Some(place) = self.places[link].checked_sub(1) else { return Vec::new() };
        let crosses =
            |&source: &Rank| self.is_sending(source) && self.transfers[source].route.contains(&place);
        (0..self.nodes).filter(crosses).collect()
    }

    /// Ends the message in the out-port of a node before all of it has left.
    pub(crate) fn abort(&mut self, now: Time, source: Rank) {
        self.ends.remove(source as u32);
        self.leave_links(now, source as u32);
    }
}
