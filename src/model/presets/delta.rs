//! The Intel Touchstone Delta.

use super::{Preset, mesh};
use crate::model::Parameters;

/// The registry entry of the Delta, spelled `delta:16x32`.
pub(super) const PRESET: Preset =
    Preset { name: "delta", shape: "ROWSxCOLUMNS", topology: mesh, parameters: Parameters::delta };

impl Parameters {
    /// The Intel Touchstone Delta under NX 3.3, a 2-D mesh with wormhole routing; the machine that was built has 16 x
    /// 36 nodes, 16 x 32 of them for computing (1991 to 1995).
    ///
    /// | parameter | value | how sure | source |
    /// | --- | --- | --- | --- |
    /// | `o_s`, `o_r` | 38.5 us each | recalled | alpha = 77 us (Dongarra and Dunigan, "Message-passing performance of various computers", NX 3.3.10); the two halves are inferred |
    /// | `o_x`, `L` | 0 | chosen | not to be told from the overheads |
    /// | `hop` | 0.1 us | printed | 75 to 150 ns from node to node (comp.arch, 2 June 1991) |
    /// | `beta` | 130 ns/B (7.7 MB/s) | recalled | between 125 ns/B (8 MB/s; Dongarra and Dunigan) and 135 ns/B (0.54 us a word of four bytes; Foster, "Designing and Building Parallel Programs") |
    /// | `d` | 2 | chosen | nothing known |
    /// | `k` | 3 | inferred | links of 25 MB/s (printed: comp.arch, 2 June 1991) over `beta` are 3.25; 22 MB/s (recalled) are 2.9; 28 MB/s of the routing chip (printed: Fox, CPS 615) are 3.6 |
    /// | `gamma` | 0.4 us/double | inferred | the Paragon's at 40 instead of 50 MHz |
    /// | `copy` | 0 | chosen | nothing known |
    /// | `barrier` | none | - | no hardware barrier |
    ///
    /// ```
    /// use multicomputer::{Machine, Span};
    /// let delta = Machine::delta(16, 32).build()?;
    /// assert_eq!(delta.description().name(), "delta:16x32");
    /// assert_eq!(delta.description().parameters().alpha(), Span::from_micros(77));
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
