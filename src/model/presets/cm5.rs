//! The Thinking Machines CM-5.

use super::{Preset, fat_tree};
use crate::model::Parameters;

/// The registry entry of the CM-5, spelled `cm5:32`.
pub(super) const PRESET: Preset =
    Preset { name: "cm5", shape: "NODES", topology: fat_tree, parameters: Parameters::cm5 };

impl Parameters {
    /// The Connection Machine CM-5 of Thinking Machines with the library CMMD, a 4-ary fat tree of 32 to 1024 nodes
    /// (1991 to 1996).
    ///
    /// | parameter | value | how sure | source |
    /// | --- | --- | --- | --- |
    /// | `o_s`, `o_r` | 44 us each | printed | alpha = 88 us ("Communication overhead on the CM5", abstract); the two halves are inferred. 82 to 95 us elsewhere (recalled) |
    /// | `a_s`, `a_r` | 1.6 us, 1.7 us | printed | to send and to receive an active message of one packet (Ranka, Shankar and Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section 3) |
    /// | `o_x`, `L` | 0 | chosen | not to be told from the overheads |
    /// | `hop` | 0.2 us | recalled | a switch |
    /// | `beta` | 125 ns/B (8 MB/s) | printed | 8.06 MB/s for long messages (netlib, "PVM on MPPs"); 15 MB/s a node for a regular exchange of blocks without CMMD (printed: EXPAR, University of Maryland) |
    /// | `d` | 2 | chosen | nothing known |
    /// | `k` | - | - | every link has its own capacity: 20, 10 and 5 MB/s a node (printed; see [`FatTree`](crate::topology::FatTree)) |
    /// | `gamma` | 0.25 us/double | inferred | 5 Mflop/s without vector units (printed: Ranka, Shankar and Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995) |
    /// | `copy` | 0 | chosen | nothing known |
    /// | `barrier` | 4 us | printed | that of CMMD, on the control network (University of Oregon, pages of Supercomputing 1993) |
    ///
    /// Differences from the machine: of the control network only the barrier is modeled, not its broadcasts and
    /// combines. Messages on the real machine went as packets of 20 bytes with 16 of data, on upward routes chosen at
    /// random, and messages whose length is no multiple of 16 bytes were slower (printed, the abstract above).
    ///
    /// ```
    /// use multicomputer::{Machine, Span};
    /// let tree = Machine::cm5(32).build()?;
    /// assert_eq!(tree.description().topology().name(), "fat-tree:32");
    /// assert_eq!(tree.description().parameters().barrier(), Some(Span::from_micros(4)));
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
