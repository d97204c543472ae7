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

/// The ports of a switch.
const PORTS: usize = 32;

impl Parameters {
    /// A plain cluster of computers with one port of 100 Gb/s Ethernet each, whose MPI library goes past the kernel, below leaf
    /// and spine switches of 32 ports without oversubscription. Not a machine that exists, but one as many have it.
    ///
    #[doc = include_str!("ethernet.md")]
    ///
    /// Left out: congestion control above all. Switches drop or pause packets when their buffers are full, senders
    /// slow down and speed up again, and none of that is here: messages share what there is at once and evenly. The
    /// choice among spines by a hash of the flow, by which some links get several flows and others none, is not there
    /// either. How far models of flows are off for these reasons is measured by m4 (arXiv 2503.01770). Over the TCP stack of the
    /// kernel a message starts several times more slowly (recalled).
    ///
    /// ```
    /// use multicomputer::model::Description;
    /// let cluster: Description = "ethernet:64".parse()?;
    /// assert_eq!(cluster.topology().name(), "clos:64:32");
    /// # Ok::<(), multicomputer::model::DescriptionError>(())
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
