//! The host's own threads, with measured parameters.

use std::sync::Arc;

use super::Preset;
use crate::{
    model::Parameters,
    topology::{Complete, TopologyError, read_nodes},
};

/// The registry entry of the host, spelled `host:16`.
pub(super) const PRESET: Preset = Preset {
    name: "host",
    shape: "NODES",
    topology: |shape| Ok(Arc::new(network(read_nodes(shape)?)?)),
    parameters: Parameters::host,
    sources: None,
};

/// Creates the network of `nodes` threads, in which every two threads are neighbours.
pub(crate) fn network(nodes: usize) -> Result<Complete, TopologyError> {
    Complete::new(nodes).map_err(|cause| match cause {
        TopologyError::TooManyLinks { .. } => TopologyError::Nodes {
            topology: "host",
            given: nodes,
            allowed: "1 to 46341, as each is next to every other",
        },
        cause => cause,
    })
}

impl Parameters {
    /// Threads of one host that pass messages by reference, for plans under the [host's clock](crate::Clock::Host). The values were
    /// measured with 16 nodes on a virtual machine with two cores by `multicomputer calibrate`, which writes the same parameters
    /// for any other host. `L` and the barrier hold for nodes that share a core with seven others; they are far too large if each
    /// node has its own core. `host:16` is this machine as a model, by default in virtual time;
    /// [`Machine::host`](crate::Machine::host) runs without a model.
    ///
    /// | parameter | value | how sure |
    /// | --- | --- | --- |
    /// | `o_s`, `o_r` | 0.16 us each | measured |
    /// | `L` | 20 us: the remaining time of a step that all nodes take at once | measured |
    /// | `beta` | 0: no byte is moved | measured |
    /// | `gamma` | 4 ns per element of 8 bytes | measured |
    /// | `copy` | 0.13 ns/B | measured |
    /// | barrier | 7 us | measured |
    pub fn host() -> Parameters {
        Parameters::builder()
            .send_overhead(0.16e-6)
            .receive_overhead(0.16e-6)
            .latency(20e-6)
            .gamma(4e-9)
            .copy(0.13e-9)
            .barrier(7e-6)
            .finish()
    }
}
