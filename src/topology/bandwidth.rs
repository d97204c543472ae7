//! Bandwidths in the names of topologies: numbers of MB/s.

use super::TopologyError;
use crate::units;

/// Whether a bandwidth is valid for a link: above 0 and finite.
pub(super) fn is_bandwidth(given: f64) -> bool {
    given > 0.0 && given.is_finite()
}

/// Returns a bandwidth in bytes/s if it is valid for a link.
pub(super) fn check_bandwidth(given: f64) -> Result<f64, TopologyError> {
    match is_bandwidth(given) {
        true => Ok(given),
        false => Err(TopologyError::Bandwidth { given: format!("{given:?} B/s") }),
    }
}

/// Reads a bandwidth in MB/s and returns it in bytes/s.
pub(super) fn read_megabytes(text: &str) -> Result<f64, TopologyError> {
    let given = format!("{text} MB/s");
    let bandwidth = units::parse_bytes_per_second(&given).ok().filter(|&read| is_bandwidth(read));
    bandwidth.ok_or(TopologyError::Bandwidth { given })
}

/// Spells a bandwidth in MB/s, as a text that is read back as the same number.
pub(super) fn megabytes(bandwidth: f64) -> String {
    let short = (bandwidth / 1e6).to_string();
    if units::parse_bytes_per_second(&format!("{short} MB/s")) == Ok(bandwidth) {
        return short;
    }
    // The quotient is rounded, so the text has the power of ten as its exponent instead.
    format!("{bandwidth}e-6")
}
