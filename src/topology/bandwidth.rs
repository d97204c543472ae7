//! Bandwidths in the names of topologies: numbers of MB/s.

use super::TopologyError;
use crate::units;

/// Whether links can have it: above 0 and finite.
pub(super) fn is_bandwidth(given: f64) -> bool {
    given > 0.0 && given.is_finite()
}

/// A bandwidth in bytes/s that links can have.
pub(super) fn check_bandwidth(given: f64) -> Result<f64, TopologyError> {
    match is_bandwidth(given) {
        true => Ok(given),
        false => Err(TopologyError::Bandwidth { given: format!("{given:?} B/s") }),
    }
}

/// Reads a bandwidth in MB/s, as bytes/s.
pub(super) fn read_megabytes(text: &str) -> Result<f64, TopologyError> {
    let given = format!("{text} MB/s");
    let bandwidth = units::parse_bytes_per_second(&given).ok().filter(|&read| is_bandwidth(read));
    bandwidth.ok_or(TopologyError::Bandwidth { given })
}

/// A bandwidth in MB/s, as a text that is read back as the same number.
pub(super) fn megabytes(bandwidth: f64) -> String {
    let short = (bandwidth / 1e6).to_string();
    if units::parse_bytes_per_second(&format!("{short} MB/s")) == Ok(bandwidth) {
        return short;
    }
    // The division was rounded: the power of ten goes into the exponent instead.
    format!("{bandwidth}e-6")
}
