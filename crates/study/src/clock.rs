//! The spelling of clocks: `virtual`, `real`, `real:4`, `host`.

use multicomputer::{Clock, Dilation, names};

/// Reads a clock.
///
/// # Errors
///
/// A text with what is wrong and what can be written.
pub fn read(text: &str) -> Result<Clock, String> {
    let (name, dilation) =
        text.split_once(':').map_or((text, None), |(name, dilation)| (name, Some(dilation)));
    match (&names::normalized(name)[..], dilation) {
        ("virtual", None) => Ok(Clock::Virtual),
        ("host", None) => Ok(Clock::Host),
        ("real", None) => Ok(Clock::RealTime { dilation: Dilation::Auto }),
        ("real", Some(dilation)) => match dilation.parse() {
            Ok(dilation) if dilation > 0.0 && f64::is_finite(dilation) => {
                Ok(Clock::RealTime { dilation: Dilation::Fixed(dilation) })
            }
            _ => Err(format!(
                "`{dilation}` is not a dilation, the wall-clock seconds of a modeled second: write a positive number, at most \
                 1e9, such as real:4"
            )),
        },
        _ => {
            let nearest = names::nearest(text, ["virtual", "real", "host"]);
            let known = "virtual, real (the dilation is measured), real:DILATION such as real:4, host";
            Err(names::unknown("clock", text, nearest, known))
        }
    }
}

/// Returns the kind of a clock, for tables and file names: `virtual`, `real` or `host`.
pub fn name(clock: Clock) -> &'static str {
    match clock {
        Clock::Virtual => "virtual",
        Clock::RealTime { .. } => "real",
        Clock::Host => "host",
        _ => "other",
    }
}

/// Returns the kind of the times of runs under a clock: `modeled` or `wall`.
pub fn kind_of_time(clock: Clock) -> &'static str {
    match clock {
        Clock::Virtual | Clock::RealTime { .. } => "modeled",
        _ => "wall",
    }
}
