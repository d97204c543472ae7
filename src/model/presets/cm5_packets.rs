//! The Thinking Machines CM-5 whose processors move every packet.

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

/// The bytes of data that the links of a level carry for each node, per second: 16 of the 20 bytes of a packet.
const BANDWIDTHS: [f64; 3] = [16e6, 8e6, 4e6];

fn fat_tree(shape: &str) -> Result<Arc<dyn Topology>, TopologyError> {
    Ok(Arc::new(FatTree::with(read_nodes(shape)?, 4, &BANDWIDTHS)?))
}

impl Parameters {
    /// The Connection Machine CM-5 as active messages see it: data goes as packets of 16 bytes, and the processors at both ends
    /// pay for each of them. [`cm5`](Parameters::cm5) has the library CMMD instead, whose messages move without the processor.
    ///
    #[doc = include_str!("cm5_packets.md")]
    ///
    /// A message is a flow, not a train of packets: what limits it is the processors, so that the two ports of a node are its
    /// processor, which moves one packet at a time, in or out. Differences from the machine: sending is not told from receiving
    /// (1.65 us instead of 1.6 and 1.7), the last packet of a message is not made full, and a processor that computes does not
    /// slow what comes in.
    ///
    /// ```
    /// use multicomputer::model::{Description, Parameters};
    ///
    /// let tree: Description = "cm5-packets:32".parse()?;
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
