//! The Intel Touchstone Delta.

use super::{Preset, mesh};
use crate::model::Parameters;

/// The registry entry of the Delta, spelled `delta:16x32`.
pub(super) const PRESET: Preset = Preset {
    name: "delta",
    shape: "ROWSxCOLUMNS",
    topology: mesh,
    parameters: Parameters::delta,
    sources: Some(include_str!("delta.md")),
};

impl Parameters {
    /// The Intel Touchstone Delta under NX 3.3, a 2-D mesh with wormhole routing; the machine that was built has 16 x
    /// 36 nodes, 16 x 32 of them for computing (1991 to 1995).
    ///
    #[doc = include_str!("delta.md")]
    ///
    /// ```
    /// use multicomputer::{Machine, Span};
    /// let delta = Machine::delta(16, 32).build()?;
    /// assert_eq!(delta.spec().name(), "delta:16x32");
    /// assert_eq!(delta.spec().parameters().alpha(), Span::from_micros(77));
    /// # Ok::<(), multicomputer::error::ConfigError>(())
    /// ```
    pub fn delta() -> Parameters {
        Parameters::builder()
            .send_overhead(38.5e-6)
            .receive_overhead(38.5e-6)
            .hop(0.1e-6)
            .beta(130e-9)
            .link_excess(3.0)
            .gamma(0.4e-6)
            .finish()
    }
}
