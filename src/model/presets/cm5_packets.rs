//! The Thinking Machines CM-5 with processors that move every packet.

use std::sync::Arc;

use super::{Preset, read_nodes};
use crate::{
    model::Parameters,
    topology::{FatTree, Topology, TopologyError},
};

/// The registry entry, spelled `cm5-packets:32`.
pub(super) const PRESET: Preset = Preset {
    name: "cm5-packets",
    shape: "NODES",
    topology: fat_tree,
    parameters: Parameters::cm5_packets,
    sources: Some(include_str!("cm5_packets.md")),
};

/// The data bandwidth per node on each level, in bytes/s: 16 of the 20 bytes of a packet are data.
const BANDWIDTHS: [f64; 3] = [16e6, 8e6, 4e6];

fn fat_tree(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    Ok(Arc::new(FatTree::with(read_nodes(shape)?, 4, &BANDWIDTHS)?))
}

impl Parameters {
    /// The Connection Machine CM-5 as programmed with active messages: data moves as packets of 16 bytes, and the processors at both
    /// ends spend time on each packet. [`cm5`](Parameters::cm5) models the library CMMD, whose messages move without the processor.
    ///
    #[doc = include_str!("cm5_packets.md")]
    ///
    /// A message is modeled as a flow, not as a train of packets. Its bottleneck is the processor of a node, so the two ports of a
    /// node together stand for its processor, which moves one packet at a time, in or out. Differences from the machine: sending and
    /// receiving a packet take the same time (1.65 us instead of 1.6 and 1.7), the last packet of a message is not padded, and a
    /// processor that computes does not slow incoming messages.
    ///
    /// ```
    /// use multicomputer::model::{MachineSpec, Parameters};
    ///
    /// let tree: MachineSpec = "cm5-packets:32".parse()?;
    /// // A packet each way takes 3.3 us.
    /// let both_ways = tree.parameters().transfer(16) + tree.parameters().transfer(16);
    /// assert_eq!(both_ways.to_string(), "3.3 us");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cm5_packets() -> Parameters {
        Parameters::builder()
            .send_overhead(1.6e-6)
            .receive_overhead(1.7e-6)
            .hop(0.2e-6)
            .beta(103.125e-9)
            .duplex(1.0)
            .gamma(0.25e-6)
            .barrier(4e-6)
            .finish()
    }
}
