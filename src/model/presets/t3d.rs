//! The Cray T3D.

use super::{Preset, torus};
use crate::model::Parameters;

/// The registry entry of the T3D, spelled `t3d:4x4x8`.
pub(super) const PRESET: Preset =
    Preset { name: "t3d", shape: "PLANESxROWSxCOLUMNS", topology: torus, parameters: Parameters::t3d };

impl Parameters {
    /// The Cray T3D under PVM, a 3-D torus with dimension-ordered wormhole routing, of 32 to 2048 processors (1993 to
    /// 1996).
    ///
    /// | parameter | value | how sure | source |
    /// | --- | --- | --- | --- |
    /// | `o_s`, `o_r` | 10.5 us each | recalled | alpha = 21 us with PVM; the two halves are inferred. With `shmem` it was 3 us (recalled) |
    /// | `o_x`, `L` | 0 | chosen | not to be told from the overheads |
    /// | `hop` | 0.013 us | recalled | two clocks of 150 MHz |
    /// | `beta` | 37 ns/B (27 MB/s) | recalled | PVM. Printed for a total exchange with MPI on 64 nodes: 1.745 GB/s together, 27 MB/s a node (Hwang, Wang and Wang, HPCA-3, 1997). With `shmem` it was 7.8 ns/B (recalled) |
    /// | `d` | 2 | chosen | nothing known |
    /// | `k` | 11 | inferred | links of 300 MB/s each way (printed: netlib, TOP500 report 1994; a peak rate) over `beta` |
    /// | `gamma` | 0.1 us/double | inferred | weakly, from the clock |
    /// | `copy` | 0 | chosen | nothing known |
    /// | `barrier` | 3 us | printed | the hardware barrier (Hwang, Wang and Wang) |
    ///
    /// Differences from the machine: there two processors shared a switch of the torus, and its links. Here each
    /// processor has a switch of its own, so that there are twice as many links for as many processors: a real
    /// machine of 64 had a torus of 32 switches.
    ///
    /// ```
    /// use multicomputer::{Machine, Span};
    /// let torus = Machine::t3d(4, 4, 8).build()?;
    /// assert_eq!(torus.description().topology().name(), "torus:4x4x8");
    /// assert_eq!(torus.description().parameters().barrier(), Some(Span::from_micros(3)));
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
