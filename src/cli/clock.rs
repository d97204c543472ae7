//! Clocks as the command line spells them: `virtual`, `real`, `real:4`, `host`.

use multicomputer::{Clock, Dilation};

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
        _ => Err("allowed are `virtual`, `real` (the dilation is measured), `real:DILATION` such as `real:4`, and `host`"
            .to_owned()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read() {
        assert_eq!([read("virtual"), read("host")], [Ok(Clock::Virtual), Ok(Clock::Host)]);
        assert_eq!(read("real"), Ok(Clock::RealTime { dilation: Dilation::Auto }));
        assert_eq!(read("real:2.5"), Ok(Clock::RealTime { dilation: Dilation::Fixed(2.5) }));
    }

    #[test]
    fn what_is_no_clock_is_refused() {
        for text in ["", "Real", "virtual:2", "wall:3", "host:2"] {
            assert!(read(text).unwrap_err().starts_with("allowed are `virtual`"), "{text}");
        }
        for dilation in ["", "0", "-1", "inf", "nan", "fast"] {
            assert!(read(&format!("real:{dilation}")).unwrap_err().contains("is no dilation"), "{dilation}");
        }
    }
}
