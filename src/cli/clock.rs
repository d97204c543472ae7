//! Clocks as the command line spells them: `virtual`, `real`, `real:4`, `host`.

use multicomputer::{Clock, Dilation};
use thiserror::Error;

/// A clock that is none.
#[derive(Debug, PartialEq, Error)]
pub(super) enum ClockError {
    /// Neither virtual nor real.
    #[error(
        "allowed are `virtual`, `real` (the dilation is measured), `real:DILATION` such as `real:4`, and `host`"
    )]
    Unknown,
    /// The dilation cannot be kept.
    #[error(
        "`{0}` is no dilation: it must be a positive number, at most 1e9: the wall seconds of one modeled second"
    )]
    Dilation(String),
}

/// Reads a clock.
pub(super) fn read(text: &str) -> Result<Clock, ClockError> {
    match text.split_once(':') {
        None if text == "virtual" => Ok(Clock::Virtual),
        None if text == "host" => Ok(Clock::Host),
        None if text == "real" => Ok(Clock::RealTime { dilation: Dilation::Auto }),
        Some(("real", dilation)) => match dilation.parse() {
            Ok(dilation) if dilation > 0.0 && f64::is_finite(dilation) => {
                Ok(Clock::RealTime { dilation: Dilation::Fixed(dilation) })
            }
            _ => Err(ClockError::Dilation(dilation.to_owned())),
        },
        _ => Err(ClockError::Unknown),
    }
}

/// The kind of a clock, for tables and file names.
pub(super) fn name(clock: Clock) -> &'static str {
    match clock {
        Clock::Virtual => "virtual",
        Clock::RealTime { .. } => "real",
        Clock::Host => "host",
    }
}

/// The kind of the times of runs under a clock, in a word.
pub(super) fn kind_of_time(clock: Clock) -> &'static str {
    match clock {
        Clock::Virtual | Clock::RealTime { .. } => "modeled",
        Clock::Host => "wall",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read() {
        assert_eq!(read("virtual"), Ok(Clock::Virtual));
        assert_eq!(read("real"), Ok(Clock::RealTime { dilation: Dilation::Auto }));
        assert_eq!(read("real:2.5"), Ok(Clock::RealTime { dilation: Dilation::Fixed(2.5) }));
    }

    #[test]
    fn what_is_no_clock_is_refused() {
        for text in ["", "Real", "virtual:2", "wall:3"] {
            assert_eq!(read(text), Err(ClockError::Unknown), "{text}");
        }
        for dilation in ["", "0", "-1", "inf", "nan", "fast"] {
            assert_eq!(read(&format!("real:{dilation}")), Err(ClockError::Dilation(dilation.to_owned())));
        }
    }
}
