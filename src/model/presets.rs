//! Machines by name: the parameters of real machines, and where every figure comes from.
//!
//! How sure a figure is:
//!
//! * **printed**: in one of the papers whose algorithms run here, or in another page named beside it;
//! * **fitted**: found by a fit of the timing model to published times;
//! * **inferred**: deduced from other figures;
//! * **recalled**: from memory, not verified against a source;
//! * **chosen**: not a figure of a machine.
//!
//! To add a machine, add its constructor here and its line in the registry (`PRESETS`).

use super::parameters::Parameters;

/// The names of all presets, as [`by_name`] reads them.
pub const NAMES: [&str; PRESETS.len()] = {
    let mut names = [""; PRESETS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = PRESETS[index].name;
        index += 1;
    }
    names
};

/// The parameters of a machine known by name; `None` if there is no such machine.
///
/// ```
/// use multicomputer::model::{Parameters, presets};
/// assert_eq!(presets::by_name("paragon"), Some(Parameters::paragon()));
/// assert_eq!(presets::by_name("abacus"), None);
/// assert_eq!(presets::NAMES, ["hockney", "paragon"]);
/// ```
pub fn by_name(name: &str) -> Option<Parameters> {
    find(name).map(|preset| (preset.parameters)())
}

/// A machine known by name.
pub(super) struct Preset {
    /// As the command line spells it.
    pub(super) name: &'static str,
    /// The name of its topology; a shape behind a colon makes it complete.
    pub(super) topology: &'static str,
    /// A picture of that shape.
    pub(super) shape: &'static str,
    /// Makes its parameters.
    pub(super) parameters: fn() -> Parameters,
}

/// The registry: every preset, in alphabetical order.
pub(super) const PRESETS: [Preset; 2] = [
    Preset { name: "hockney", topology: "mesh", shape: "ROWSxCOLUMNS", parameters: Parameters::hockney },
    Preset { name: "paragon", topology: "mesh", shape: "ROWSxCOLUMNS", parameters: Parameters::paragon },
];

/// The preset of this name.
pub(super) fn find(name: &str) -> Option<Preset> {
    PRESETS.into_iter().find(|preset| preset.name == name)
}

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

    /// Hockney's two-parameter model, alpha + n * beta, with links as fast as ports: a reference for comparisons,
    /// not a real machine.
    ///
    /// | parameter | value | how sure |
    /// | --- | --- | --- |
    /// | `o_s`, `o_r` | 65 us each, alpha = 130 us | chosen |
    /// | `beta` | 50 ns/B (20 MB/s) | chosen |
    /// | `d`, `k` | 2, 1 | chosen |
    /// | all else | 0, no barrier | chosen |
    ///
    /// Links with excess bandwidth are one call away:
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{time::Span, topology};

    #[test]
    fn presets_are_within_the_limits_of_the_builder() {
        for name in NAMES {
            let parameters = by_name(name).unwrap();
            assert_eq!(parameters.to_builder().build(), Ok(parameters), "{name}");
        }
    }

    #[test]
    fn presets_stand_in_alphabetical_order_on_known_topologies() {
        assert!(NAMES.is_sorted());
        for preset in PRESETS {
            let spelling = format!("{}:{}", preset.topology, preset.shape);
            assert!(topology::spellings().split(", ").any(|known| known == spelling), "{}", preset.name);
        }
    }

    #[test]
    fn a_paragon_has_the_published_start_up_and_link_bandwidth() {
        let paragon = Parameters::paragon();
        assert_eq!(paragon.alpha(), Span::from_micros(184));
        assert_eq!(paragon.hop(), Span::from_nanos(40));
        assert!((paragon.link_capacity() / 175e6 - 1.0).abs() < 0.01);
        assert!((paragon.port_capacity() / 32.7e6 - 1.0).abs() < 0.01);
    }
}
