//! The Intel Paragon.

use super::{Preset, mesh};
use crate::model::Parameters;

/// The registry entry of the Paragon, spelled `paragon:16x32`.
pub(super) const PRESET: Preset =
    Preset { name: "paragon", shape: "ROWSxCOLUMNS", topology: mesh, parameters: Parameters::paragon };

impl Parameters {
    /// The Intel Paragon XP/S under OSF/1 R1.1 with the NX library, a 2-D mesh with wormhole routing (1993 to 1995).
    ///
    /// | parameter | value | how sure | source |
    /// | --- | --- | --- | --- |
    /// | `o_s`, `o_r` | 92 us each | fitted | alpha = 184 us one way; the two halves are inferred. Printed elsewhere: "order of 100 us" (NAS RNR-94-016) |
    /// | `o_x` | 184 us | fitted | an exchange takes 369 us before its first byte, two start-ups; section 5.1 of the InterCom paper can be read so (inferred) |
    /// | `L` | 0 | chosen | not to be told from the overheads |
    /// | `hop` | 0.04 us | recalled | too small to be identified in the published times |
    /// | `beta` | 30.6 ns/B (32.7 MB/s) | fitted | printed elsewhere: 30 to 35 MB/s (NAS RNR-94-016) |
    /// | `d` | 1.35 = 2 / 1.48 | fitted | a byte takes 1.48 times as long while a node sends and receives |
    /// | `k` | 5.35 | inferred | links of 175 MB/s each way (printed: netlib, TOP500 report 1995) over the fitted `beta` |
    /// | `gamma` | 0.34 us/double | fitted | 0.14 us where InterCom's times are fitted alone |
    /// | `copy` | 0 | fitted | the fit drives it to zero; NX's own broadcast needs about 22 ns/B a forwarding step |
    /// | `barrier` | none | - | no hardware barrier |
    ///
    /// The fit is one set for 24 published times of InterCom (Barnett et al., "Building a High-Performance
    /// Collective Communication Library", 1994) and of s-to-p broadcasting (Hambrusch, Khokhar and Liu, "S-to-P
    /// Broadcasting on Coarse-Grained Machines", Purdue CSD TR 95-060, 1995), with an rms error of 13 %.
    pub fn paragon() -> Parameters {
        Parameters::builder()
            .send_overhead(92e-6)
            .receive_overhead(92e-6)
            .exchange_overhead(184e-6)
            .hop(0.04e-6)
            .beta(30.6e-9)
            .duplex(1.35)
            .link_excess(5.35)
            .gamma(0.34e-6)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;

    #[test]
    fn a_paragon_has_the_published_start_up_and_link_bandwidth() {
        let paragon = Parameters::paragon();
        assert_eq!(paragon.alpha(), Span::from_micros(184));
        assert_eq!(paragon.hop(), Span::from_nanos(40));
        assert!((paragon.link_capacity() / 175e6 - 1.0).abs() < 0.01);
        assert!((paragon.port_capacity() / 32.7e6 - 1.0).abs() < 0.01);
    }
}
