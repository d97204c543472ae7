//! The reference machine, Hockney's two-parameter model.

use super::{Preset, mesh};
use crate::model::Parameters;

/// The registry entry of the reference machine, spelled `hockney:10x10`.
pub(super) const PRESET: Preset = Preset {
    name: "hockney",
    shape: "ROWSxCOLUMNS",
    topology: mesh,
    parameters: Parameters::hockney,
    sources: Some(include_str!("hockney.md")),
};

impl Parameters {
    /// Hockney's two-parameter model, alpha + n * beta, with links as fast as ports: a reference for comparisons,
    /// not a real machine.
    ///
    #[doc = include_str!("hockney.md")]
    ///
    /// A variant with excess bandwidth of the links:
    ///
    /// ```
    /// use multicomputer::model::Parameters;
    /// let wide = Parameters::hockney().to_builder().link_excess(2.0).build()?;
    /// assert_eq!(wide.link_capacity(), 40e6);
    /// # Ok::<(), multicomputer::model::ParameterError>(())
    /// ```
    pub fn hockney() -> Parameters {
        Parameters::builder().send_overhead(65e-6).receive_overhead(65e-6).beta(50e-9).finish()
    }
}
