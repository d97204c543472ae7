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
    /// Google TPU v5p: a slice of chips in a 3-D torus, 4x4x4 to 16x16x24 of the 8960 chips of a pod (since 2023).
    ///
    #[doc = include_str!("tpu_v5p.md")]
    ///
    /// Not modeled:
    ///
    /// * the fixed direction of each of a chip's six ports: here a message takes any free port. Two messages to different nodes
    ///   that leave in the same direction share the link and occupy two ports;
    /// * the twisted tori of some slices (4x4x8 and others), and slices of less than 4x4x4 without wraparound links;
    /// * the start-up cost of a call, which is unknown, and congestion control.
    ///
    /// ```
    /// use multicomputer::model::MachineSpec;
    /// let slice: MachineSpec = "tpu-v5p:4x4x4".parse()?;
    /// assert_eq!(slice.topology().name(), "torus:4x4x4");
    /// # Ok::<(), multicomputer::model::MachineSpecError>(())
    /// ```
    pub fn tpu_v5p() -> Parameters {
        Parameters::builder().hop(0.5e-6).beta(0.01e-9).ports(6).gamma(8.7e-12).finish()
    }
}
