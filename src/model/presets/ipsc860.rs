//! The Intel iPSC/860.

use super::{Preset, hypercube};
use crate::model::Parameters;

/// The registry entry of the iPSC/860, spelled `ipsc860:64`.
pub(super) const PRESET: Preset = Preset {
    name: "ipsc860",
    shape: "NODES",
    topology: hypercube,
    parameters: Parameters::ipsc860,
    sources: Some(include_str!("ipsc860.md")),
};

impl Parameters {
    /// The Intel iPSC/860 under NX, a hypercube of 8 to 128 nodes with e-cube routing (1990 to 1994).
    ///
    #[doc = include_str!("ipsc860.md")]
    ///
    /// Differences from the machine: messages of up to 100 bytes started in 65 to 75 us (recalled), because they were sent eagerly, without
    /// a handshake with the receiver; here all messages start like long ones. The real network was circuit switched: a message held all
    /// links of its route from the first byte to the last, and other messages waited for these links. Here two messages with a common link
    /// share its bandwidth: both are complete when the second was complete on the real machine, and neither blocks other messages on the
    /// rest of its route.
    ///
    /// ```
    /// use multicomputer::{Machine, Span};
    /// let cube = Machine::ipsc860(64).build()?;
    /// assert_eq!(cube.spec().topology().name(), "hypercube:64");
    /// assert_eq!(cube.spec().parameters().alpha(), Span::from_micros(147));
    /// # Ok::<(), multicomputer::error::ConfigError>(())
    /// ```
    pub fn ipsc860() -> Parameters {
        Parameters::builder()
            .send_overhead(73.5e-6)
            .receive_overhead(73.5e-6)
            .hop(10.3e-6)
            .beta(394e-9)
            .link_excess(1.0)
            .gamma(0.4e-6)
            .finish()
    }
}
