//! Network faults: links with reduced capacity, and aborted flows.

use super::{Fabric, Port, capacity};
use crate::{
    time::Time,
    topology::{LinkId, Topology},
};

impl Fabric {
    /// Reduces the capacity of a link to `factor` times its normal capacity from now on; the caller must settle the shares at this instant.
    pub(crate) fn slow(&mut self, link: LinkId, factor: f64, topology: &dyn Topology) {
        self.slow.insert(link, factor);
        let capacity = capacity(topology, link, self.link_capacity, &self.slow);
        if let Some(place) = (self.places[link] as usize).checked_sub(1).filter(|_| capacity.is_finite()) {
            self.shares.set_capacity((self.first + place) as u32, capacity);
        }
    }

    /// Sets a route for the next message of an out-port that differs from the route of the topology.
    pub(crate) fn detour(&mut self, port: Port, route: Vec<LinkId>) {
        self.detours.insert(port, route);
    }

    /// Returns whether an out-port contains a message.
    pub(crate) fn is_sending(&self, port: Port) -> bool {
        self.ends.contains(self.flow(port))
    }

    /// Returns the out-ports whose messages move over a link, in order.
    pub(crate) fn ports_over(&self, link: LinkId) -> Vec<Port> {
        let Some(place) = self.places[link].checked_sub(1) else { return Vec::new() };
        let crosses =
            |flow: &u32| self.ends.contains(*flow) && self.transfers[*flow as usize].route.contains(&place);
        (0..self.transfers.len() as u32).filter(crosses).map(|flow| self.port(flow)).collect()
    }

    /// Ends the message in an out-port before all its bytes have left.
    pub(crate) fn abort(&mut self, now: Time, port: Port) {
        let flow = self.flow(port);
        self.ends.remove(flow);
        self.leave_links(now, flow);
    }
}
