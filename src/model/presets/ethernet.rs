//! A cluster with Ethernet of 100 Gb/s.

use std::sync::Arc;

use super::Preset;
use crate::{
    model::Parameters,
    topology::{Clos, read_nodes},
};

/// The registry entry of the Ethernet cluster, spelled `ethernet:64`.
pub(super) const PRESET: Preset = Preset {
    name: "ethernet",
    shape: "NODES",
    topology: |shape| Ok(Arc::new(Clos::new(read_nodes(shape)?, PORTS, 1)?)),
    parameters: Parameters::ethernet,
    sources: Some(include_str!("ethernet.md")),
};

/// The number of ports of a switch.
const PORTS: usize = 32;

impl Parameters {
    /// A typical cluster of computers with one port of 100 Gb/s Ethernet each, an MPI library that bypasses the kernel, and leaf and
    /// spine switches of 32 ports without oversubscription. It does not model a specific machine.
    ///
    #[doc = include_str!("ethernet.md")]
    ///
    /// Not modeled: congestion control (switches drop or pause packets when their buffers are full, and senders slow down and speed up
    /// again; here messages share bandwidth immediately and evenly) and the choice of spines by a hash of the flow, which puts several
    /// flows on some links and none on others. The resulting errors of flow models are measured by m4 (arXiv 2503.01770). With the TCP
    /// stack of the kernel the start-up of a message takes several times as long (recalled).
    ///
    /// ```
    /// use multicomputer::model::MachineSpec;
    /// let cluster: MachineSpec = "ethernet:64".parse()?;
    /// assert_eq!(cluster.topology().name(), "clos:64:32");
    /// # Ok::<(), multicomputer::model::MachineSpecError>(())
    /// ```
    pub fn ethernet() -> Parameters {
        Parameters::builder()
            .send_overhead(0.965e-6)
            .receive_overhead(0.965e-6)
            .hop(0.3e-6)
            .beta(0.086e-9)
            .gamma(0.2e-9)
            .finish()
    }
}
