//! Faults of the network: links with less capacity, and flows that end on their way.

use super::{Fabric, Port};
use crate::{
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

    /// Gives the next message of an out-port another route than that of the topology.
    pub(crate) fn detour(&mut self, port: Port, route: Vec<LinkId>) {
        self.detours.insert(port, route);
    }

    /// Whether a message is in this out-port.
    pub(crate) fn is_sending(&self, port: Port) -> bool {
        self.ends.contains(self.flow(port))
    }

    /// The out-ports whose messages move over a link, in order.
    pub(crate) fn ports_over(&self, link: LinkId) -> Vec<Port> {
        let Some(place) = self.places[link].checked_sub(1) else { return Vec::new() };
        let crosses =
            |flow: &u32| self.ends.contains(*flow) && self.transfers[*flow as usize].route.contains(&place);
        (0..self.transfers.len() as u32).filter(crosses).map(|flow| self.port(flow)).collect()
    }

    /// Ends the message in an out-port before all of it has left.
    pub(crate) fn abort(&mut self, now: Time, port: Port) {
        let flow = self.flow(port);
        self.ends.remove(flow);
        self.leave_links(now, flow);
    }
}
