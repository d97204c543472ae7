//! The Thinking Machines CM-5.

use super::{Preset, fat_tree};
use crate::model::Parameters;

/// The registry entry of the CM-5, spelled `cm5:32`.
pub(super) const PRESET: Preset = Preset {
    name: "cm5",
    shape: "NODES",
    topology: fat_tree,
    parameters: Parameters::cm5,
    sources: Some(include_str!("cm5.md")),
};

impl Parameters {
    /// The Connection Machine CM-5 of Thinking Machines with the library CMMD, a 4-ary fat tree of 32 to 1024 nodes
    /// (1991 to 1996).
    ///
    #[doc = include_str!("cm5.md")]
    ///
    /// Differences from the machine: of the control network only the barrier is modeled, not broadcasts and reductions.
    /// Messages on the real machine were packets of 20 bytes with 16 bytes of data, on upward routes chosen at random,
    /// and messages whose length is not a multiple of 16 bytes were slower (printed, the abstract above).
    ///
    /// ```
    /// use multicomputer::{Machine, Span};
    /// let tree = Machine::cm5(32).build()?;
    /// assert_eq!(tree.spec().topology().name(), "fat-tree:32");
    /// assert_eq!(tree.spec().parameters().barrier(), Some(Span::from_micros(4)));
    /// # Ok::<(), multicomputer::error::ConfigError>(())
    /// ```
    pub fn cm5() -> Parameters {
        Parameters::builder()
            .send_overhead(44e-6)
            .receive_overhead(44e-6)
            .active_overheads(1.6e-6, 1.7e-6)
            .hop(0.2e-6)
            .beta(125e-9)
            .gamma(0.25e-6)
            .barrier(4e-6)
            .finish()
    }
}
