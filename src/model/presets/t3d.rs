//! The Cray T3D.

use super::{Preset, torus};
use crate::model::Parameters;

/// The registry entry of the T3D, spelled `t3d:4x4x8`.
pub(super) const PRESET: Preset = Preset {
    name: "t3d",
    shape: "PLANESxROWSxCOLUMNS",
    topology: torus,
    parameters: Parameters::t3d,
    sources: Some(include_str!("t3d.md")),
};

impl Parameters {
    /// The Cray T3D under PVM, a 3-D torus with dimension-ordered wormhole routing, of 32 to 2048 processors (1993 to
    /// 1996).
    ///
    #[doc = include_str!("t3d.md")]
    ///
    /// Differences from the machine: on the T3D two processors shared a switch of the torus and its links. Here each
    /// processor has its own switch, so there are twice as many links for the same number of processors: a real machine
    /// of 64 processors had a torus of 32 switches.
    ///
    /// ```
    /// use multicomputer::{Machine, Span};
    /// let torus = Machine::t3d(4, 4, 8).build()?;
    /// assert_eq!(torus.spec().topology().name(), "torus:4x4x8");
    /// assert_eq!(torus.spec().parameters().barrier(), Some(Span::from_micros(3)));
    /// # Ok::<(), multicomputer::error::ConfigError>(())
    /// ```
    pub fn t3d() -> Parameters {
        Parameters::builder()
            .send_overhead(10.5e-6)
            .receive_overhead(10.5e-6)
            .hop(0.013e-6)
            .beta(37e-9)
            .link_excess(11.0)
            .gamma(0.1e-6)
            .barrier(3e-6)
            .finish()
    }
}
