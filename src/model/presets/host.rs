//! The host's own threads, as they have been measured.

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

/// The network of so many threads, each of which is next to every other.
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
    /// Threads of one host that hand messages over by reference, for plans under the [host's clock](crate::Clock::Host):
    /// 16 nodes on a virtual machine with two cores, measured by `multicomputer calibrate`, which writes the same for
    /// any other host. `L` and the barrier are those of nodes that share a core with seven others: where each has a core of
    /// its own they are far too large. `host:16` is this machine as a model, in virtual time unless told otherwise;
    /// [`Machine::host`](crate::Machine::host) runs without one.
    ///
    /// | parameter | value | how sure |
    /// | --- | --- | --- |
    /// | `o_s`, `o_r` | 0.16 us each | measured |
    /// | `L` | 20 us: the rest of a step that all nodes make at once | measured |
    /// | `beta` | 0: no byte is moved | measured |
    /// | `gamma` | 4 ns an element of 8 bytes | measured |
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
