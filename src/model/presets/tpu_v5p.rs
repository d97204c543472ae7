//! A slice of Google's TPU v5p.

use super::{Preset, torus};
use crate::model::Parameters;

/// The registry entry of TPU v5p, spelled `tpu-v5p:4x4x4`.
pub(super) const PRESET: Preset = Preset {
    name: "tpu-v5p",
    shape: "PLANESxROWSxCOLUMNS",
    topology: torus,
    parameters: Parameters::tpu_v5p,
    sources: Some(include_str!("tpu_v5p.md")),
};

impl Parameters {
    /// Google TPU v5p, a slice of chips in a 3-D torus, 4x4x4 to 16x16x24 of the 8960 of a pod (since 2023).
    ///
    #[doc = include_str!("tpu_v5p.md")]
    ///
    /// Left out:
    ///
    /// * that each of a chip's six ports is that of one direction: here a message takes any that is free, and two of different
    ///   nodes that leave in one direction share the link and keep two ports;
    /// * the twisted tori of some slices (4x4x8 and others), and that slices of less than 4x4x4 have no links around;
    /// * the start-up of a call, of which nothing is known here, and congestion control.
    ///
    /// ```
    /// use multicomputer::model::Description;
    /// let slice: Description = "tpu-v5p:4x4x4".parse()?;
    /// assert_eq!(slice.topology().name(), "torus:4x4x4");
    /// # Ok::<(), multicomputer::model::DescriptionError>(())
    /// ```
    pub fn tpu_v5p() -> Parameters {
        Parameters::builder().hop(0.5e-6).beta(0.01e-9).ports(6).gamma(8.7e-12).finish()
    }
}
