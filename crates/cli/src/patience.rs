//! Expected wall-clock time of a run in real time: announced before the run if it is long, refused if it exceeds a
//! limit.
//!
//! The expected time is the predicted virtual time multiplied by the dilation.

use std::time::Duration;

use multicomputer::{Clock, Dilation, Span};

use super::{count::counted, error::Error, progress::Progress};

/// Minimum expected time of a run that is announced.
const SHORT: Duration = Duration::from_secs(2);

/// Maximum expected time of a run.
const MAX_WALL_TIME: Duration = Duration::from_secs(3600);

/// Returns an error if a run would exceed [`MAX_WALL_TIME`]; `modeled` is its virtual time.
pub(super) fn check(clock: Clock, modeled: Span, case: &str) -> Result<(), Error> {
    let Some((dilation, seconds)) = expected(clock, modeled) else { return Ok(()) };
    if seconds <= MAX_WALL_TIME.as_secs_f64() {
        return Ok(());
    }
    let way_out = one_digit(MAX_WALL_TIME.as_secs_f64() / modeled.as_secs_f64());
    Err(Error::usage(format!(
        "in real time at dilation {dilation} this run would take {}, and the limit is {}: use a smaller \
         dilation, such as --clock real:{way_out}, or --clock virtual ({case})",
        in_words(seconds),
        in_words(MAX_WALL_TIME.as_secs_f64())
    )))
}

/// Checks a run that is about to start, and announces its expected time if that exceeds [`SHORT`].
pub(super) fn announce(clock: Clock, modeled: Span, case: &str, progress: &Progress) -> Result<(), Error> {
    check(clock, modeled, case)?;
    if let Some((dilation, seconds)) = expected(clock, modeled)
        && seconds > SHORT.as_secs_f64()
    {
        let at_least = match clock {
            Clock::RealTime { dilation: Dilation::Auto } => " at least",
            _ => "",
        };
        let words = in_words(seconds);
        progress.say(&format!(
            "in real time at dilation {dilation} this run will take {words}{at_least} ({case})"
        ));
    }
    Ok(())
}

/// Returns the dilation, or 1 as the minimum if it is measured, and the expected wall-clock seconds; `None` if the
/// clock is not paced.
fn expected(clock: Clock, modeled: Span) -> Option<(f64, f64)> {
    let dilation = match clock {
        Clock::RealTime { dilation: Dilation::Fixed(dilation) } => dilation,
        Clock::RealTime { .. } => 1.0,
        _ => return None,
    };
    Some((dilation, modeled.as_secs_f64() * dilation))
}

/// Rounds a number down to one significant digit: `0.03` for 0.0372.
fn one_digit(number: f64) -> f64 {
    let text = format!("{number:e}");
    let exponent = text.split_once('e').map_or("0", |(_, exponent)| exponent);
    let digit = text.chars().next().unwrap_or('1');
    format!("{digit}e{exponent}").parse().unwrap_or(number)
}

/// Formats a duration: `3.2 s`, `2 min 14 s`, `1 h`, `3 days 4 h`.
fn in_words(seconds: f64) -> String {
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    // At most 2^64 picoseconds at a dilation of 1e9, which is far below 2^64 s.
    let whole = seconds.round() as u64;
    let (minutes, hours, days) = (whole / 60, whole / 3600, whole / 86400);
    let (first, rest, second) = match (days, hours) {
        (0, 0) => (format!("{minutes} min"), whole % 60, "s"),
        (0, hours) => (format!("{hours} h"), minutes % 60, "min"),
        (days, hours) => (counted(days, "day"), hours % 24, "h"),
    };
    if rest == 0 { first } else { format!("{first} {rest} {second}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units() {
        for (seconds, text) in [
            (2.04, "2.0 s"),
            (59.96, "1 min"),
            (134.2, "2 min 14 s"),
            (3600.0, "1 h"),
            (18_720.0, "5 h 12 min"),
            (90_000.0, "1 day 1 h"),
            (273_600.0, "3 days 4 h"),
            (1.8e16, "208333333333 days 8 h"),
        ] {
            assert_eq!(in_words(seconds), text);
        }
    }

    #[test]
    fn a_way_out_is_short_and_not_too_large() {
        assert_eq!([0.0372, 0.9, 12.0, 1e-9].map(one_digit), [0.03, 0.9, 10.0, 1e-9]);
    }
}
