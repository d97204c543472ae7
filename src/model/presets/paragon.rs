//! The Intel Paragon.

use super::{Preset, mesh};
use crate::model::Parameters;

/// The registry entry of the Paragon, spelled `paragon:16x32`.
pub(super) const PRESET: Preset = Preset {
    name: "paragon",
    shape: "ROWSxCOLUMNS",
    topology: mesh,
    parameters: Parameters::paragon,
    sources: Some(include_str!("paragon.md")),
};

impl Parameters {
    /// The Intel Paragon XP/S under OSF/1 R1.1 with the NX library, a 2-D mesh with wormhole routing (1993 to 1995).
    ///
    #[doc = include_str!("paragon.md")]
    ///
    /// One set of parameters was fitted to 24 published times of InterCom (Barnett et al., "Building a High-Performance
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
