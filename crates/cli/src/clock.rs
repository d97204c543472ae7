//! Clocks as the command line spells them: `virtual`, `real`, `real:4`, `host`.

use multicomputer::{Clock, Dilation, names};

/// Reads a clock.
pub(super) fn read(text: &str) -> Result<Clock, String> {
    match text.split_once(':') {
        None if text == "virtual" => Ok(Clock::Virtual),
        None if text == "host" => Ok(Clock::Host),
        None if text == "real" => Ok(Clock::RealTime { dilation: Dilation::Auto }),
        Some(("real", dilation)) => match dilation.parse() {
            Ok(dilation) if dilation > 0.0 && f64::is_finite(dilation) => {
                Ok(Clock::RealTime { dilation: Dilation::Fixed(dilation) })
            }
            _ => Err(format!(
                "`{dilation}` is no dilation: it must be a positive number, at most 1e9: the wall seconds of one modeled \
                 second"
            )),
        },
        _ => Err(format!(
            "{} are `virtual`, `real` (the dilation is measured), `real:DILATION` such as `real:4`, and `host`",
            names::allowed(text, ["virtual", "real", "host"])
        )),
    }
}

/// The kind of a clock, for tables and file names.
pub(super) fn name(clock: Clock) -> &'static str {
    match clock {
        Clock::Virtual => "virtual",
        Clock::RealTime { .. } => "real",
        Clock::Host => "host",
        _ => "other",
    }
}

/// The kind of the times of runs under a clock, in a word.
pub(super) fn kind_of_time(clock: Clock) -> &'static str {
    match clock {
        Clock::Virtual | Clock::RealTime { .. } => "modeled",
        _ => "wall",
    }
}
