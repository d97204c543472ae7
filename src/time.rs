//! Modeled time: instants ([`Time`]) and intervals ([`Span`]). They are different types; both count whole picoseconds.
//!
//! Integers give "at the same instant" an exact meaning: two nodes that add the same costs in different orders get identical results, on
//! every host. Each rounding error is at most half a picosecond, and 64 bits of picoseconds cover 213 days. Without link sharing, a
//! thousand successive roundings stay below a nanosecond. In a network where many messages share links, sharing amplifies small
//! differences, because a picosecond can decide which of two messages gets a link first; differences of 17 ns have been observed. Even then
//! the times are the same on every host.

use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign, Sub},
    time::Duration,
};

use serde::{Serialize, Serializer};
use thiserror::Error;

const PICOS_PER_SECOND: f64 = 1e12;
const PICOS_PER_NANO: u64 = 1_000;

/// An instant of modeled time, counted from the common start of all node programs.
///
/// ```
/// use multicomputer::{Span, Time};
/// let t = Time::from_micros(65) + Span::from_nanos(500);
/// assert_eq!(t.to_string(), "65.5 us");
/// assert!(t < Time::from_millis(1) && t > Time::from_nanos(65_000));
/// assert_eq!(t.as_micros_f64(), 65.5);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// An interval of modeled time; never negative.
///
/// `Display` chooses the unit and prints the exact interval; a precision is the number of digits after the point, and width, fill and
/// alignment (by default to the right) are those of numbers.
///
/// ```
/// use multicomputer::Span;
/// let span = Span::from_picos(131_666_667);
/// assert_eq!(format!("{span}"), "131.666667 us");
/// assert_eq!(format!("{span:>12.1}|{span:<12.1}|"), "    131.7 us|131.7 us    |");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// The end of representable time; a node whose clock reaches this instant ends the run with an error.
    pub const MAX: Time = Time(u64::MAX);

    /// Creates the instant a number of whole nanoseconds after the start of the run; saturates at [`Time::MAX`].
    pub const fn from_nanos(nanos: u64) -> Time {
        Time(Span::from_nanos(nanos).0)
    }

    /// Creates the instant a number of whole microseconds after the start of the run; saturates at [`Time::MAX`].
    pub const fn from_micros(micros: u64) -> Time {
        Time(Span::from_micros(micros).0)
    }

    /// Creates the instant a number of whole milliseconds after the start of the run; saturates at [`Time::MAX`].
    pub const fn from_millis(millis: u64) -> Time {
        Time(Span::from_millis(millis).0)
    }

    /// Returns the interval since the start of the run.
    pub fn since_start(self) -> Span {
        Span(self.0)
    }

    /// Returns the interval from `earlier` to `self`; zero if `earlier` is later.
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Returns the number of whole picoseconds since the start of the run.
    pub fn as_picos(self) -> u64 {
        self.0
    }

    /// Returns the number of seconds since the start of the run.
    pub fn as_secs_f64(self) -> f64 {
        self.since_start().as_secs_f64()
    }

    /// Returns the number of microseconds since the start of the run.
    pub fn as_micros_f64(self) -> f64 {
        self.since_start().as_micros_f64()
    }
}

impl Span {
    /// The empty interval.
    pub const ZERO: Span = Span(0);
    /// The longest interval, about 213 days.
    pub const MAX: Span = Span(u64::MAX);

    /// Creates an interval of whole picoseconds.
    pub const fn from_picos(picos: u64) -> Span {
        Span(picos)
    }

    /// Creates an interval of whole nanoseconds; saturates at [`Span::MAX`].
    pub const fn from_nanos(nanos: u64) -> Span {
        Span(nanos.saturating_mul(PICOS_PER_NANO))
    }

    /// Creates an interval of whole microseconds; saturates at [`Span::MAX`].
    pub const fn from_micros(micros: u64) -> Span {
        Span::from_nanos(micros.saturating_mul(1_000))
    }

    /// Creates an interval of whole milliseconds; saturates at [`Span::MAX`].
    pub const fn from_millis(millis: u64) -> Span {
        Span::from_micros(millis.saturating_mul(1_000))
    }

    /// Returns the interval of whole picoseconds nearest to a number of seconds. A number that is too large, or infinite, gives
    /// [`Span::MAX`], with which a run ends in [`RunError::TimeOverflow`](crate::error::RunError::TimeOverflow).
    ///
    /// # Panics
    /// If `seconds` is NaN, or negative by half a picosecond or more: the result of an erroneous calculation.
    /// [`try_from_secs_f64`](Span::try_from_secs_f64) returns an error instead.
    #[track_caller]
    pub fn from_secs_f64(seconds: f64) -> Span {
        Span::try_from_secs_f64(seconds).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the interval of whole picoseconds nearest to a number of seconds, like [`from_secs_f64`](Span::from_secs_f64), for numbers
    /// that may be invalid.
    ///
    /// # Errors
    /// [`SpanError`] if `seconds` is NaN, or negative by half a picosecond or more.
    pub fn try_from_secs_f64(seconds: f64) -> Result<Span, SpanError> {
        match (seconds * PICOS_PER_SECOND).round() {
            picos if picos >= 0.0 => Ok(Span(picos as u64)),
            picos if picos < 0.0 => Err(SpanError::Negative { seconds }),
            _ => Err(SpanError::NotANumber),
        }
    }

    /// Returns the time of `flops` floating-point operations at `rate` operations per second: the usual estimate of the computation time of
    /// a node program. Saturates at [`Span::MAX`].
    ///
    /// The rate is the one that the code sustains on the modeled processor, not the processor's peak. `docs/computation.md` describes how
    /// to choose it.
    ///
    /// ```
    /// use multicomputer::{Machine, Span, prelude::*};
    ///
    /// // Each node multiplies its 64 x 64 blocks at 10 Mflop/s.
    /// let run = Machine::paragon(2, 2).build()?.run(|node| Ok(node.compute(Span::from_flops(2 * 64_u64.pow(3), 10e6))?))?;
    /// assert_eq!(run.report.makespan.to_string(), "52.4288 ms");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `rate` is not a positive number.
    #[track_caller]
    pub fn from_flops(flops: u64, rate: f64) -> Span {
        assert!(
            rate > 0.0,
            "a rate of {rate} operations per second is not possible: it must be a positive number"
        );
        Span::from_secs_f64(flops as f64 / rate)
    }

    /// Returns the number of whole picoseconds.
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// Returns the number of seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PICOS_PER_SECOND
    }

    /// Returns the number of milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns the number of microseconds.
    pub fn as_micros_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns whether the interval is empty.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Returns the interval multiplied by `count`; saturates at [`Span::MAX`].
    pub const fn times(self, count: u64) -> Span {
        Span(self.0.saturating_mul(count))
    }
}

/// The reason why a number of seconds is not an interval of time.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SpanError {
    /// The number is negative.
    #[error("an interval of {seconds} s is negative; allowed is any number from 0")]
    Negative {
        /// The number given.
        seconds: f64,
    },
    /// The number is NaN.
    #[error("NaN seconds are no interval of time; allowed is any number from 0")]
    NotANumber,
}

/// Converts a duration of the standard library, in whole nanoseconds, to modeled time; saturates at [`Span::MAX`].
impl From<Duration> for Span {
    fn from(duration: Duration) -> Span {
        u64::try_from(duration.as_nanos()).map_or(Span::MAX, Span::from_nanos)
    }
}

impl Add<Span> for Time {
    type Output = Time;
    /// Adds an interval; saturates at [`Time::MAX`], at which a run ends with an error.
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    /// Subtracts an interval; saturates at the start of the run.
    fn sub(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }
}

impl Sub for Time {
    type Output = Span;
    /// Returns the interval from `earlier` to `self`.
    ///
    /// # Panics
    /// If `earlier` is later than `self`. [`Time::since`] returns zero instead.
    #[track_caller]
    fn sub(self, earlier: Time) -> Span {
        assert!(
            earlier <= self,
            "the interval from {earlier} to {self} is negative: subtract the earlier instant, or use `since`, which gives zero"
        );
        self.since(earlier)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Span;
    /// Subtracts an interval; saturates at zero.
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Span {
        spans.fold(Span::ZERO, Add::add)
    }
}

impl fmt::Display for Span {
    /// Writes the interval in the largest unit in which it is at least 1 (before rounding): `1.5 ms`, `131.666667 us`. Without a precision
    /// the text is exact.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, digits) = match self.0 {
            0 | 1_000_000_000_000.. => ("s", 12),
            1_000_000_000.. => ("ms", 9),
            1_000_000.. => ("us", 6),
            1_000.. => ("ns", 3),
            _ => ("ps", 0),
        };
        let (kept, padding) = match f.precision() {
            Some(precision) => (digits.min(precision), precision.saturating_sub(digits)),
            None => (digits, 0),
        };
        // The number is counted in units of its last digit; half a unit is rounded up.
        let last = 10_u64.pow((digits - kept) as u32);
        let number = self.0 / last + u64::from(self.0 % last >= last.div_ceil(2));
        let (whole, rest) = (number / 10_u64.pow(kept as u32), number % 10_u64.pow(kept as u32));
        let mut fraction = if kept > 0 { format!("{rest:0kept$}") } else { String::new() };
        match f.precision() {
            Some(_) => fraction.extend(std::iter::repeat_n('0', padding)),
            None => fraction.truncate(fraction.trim_end_matches('0').len()),
        }
        let point = if fraction.is_empty() { "" } else { "." };
        f.pad_integral(true, "", &format!("{whole}{point}{fraction} {unit}"))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.since_start().fmt(f)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Span({self})")
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Time({self})")
    }
}

/// Serializes an interval as seconds.
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_secs_f64())
    }
}

/// Serializes an instant as seconds since the start of the run.
impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_picosecond() {
        assert_eq!(Span::from_secs_f64(65e-6), Span::from_micros(65));
        assert_eq!(Span::from_secs_f64(1e-12 * 1.4), Span::from_picos(1));
        assert_eq!(Span::from_secs_f64(-0.4e-12), Span::ZERO);
        assert_eq!(Span::from_secs_f64(1e300), Span::MAX);
        assert_eq!(Span::from_secs_f64(f64::INFINITY), Span::MAX);
    }

    #[test]
    fn negative_seconds_and_nan_are_errors() {
        let text = |seconds| Span::try_from_secs_f64(seconds).unwrap_err().to_string();
        assert_eq!(text(-1.0), "an interval of -1 s is negative; allowed is any number from 0");
        assert_eq!(
            text(f64::NEG_INFINITY),
            "an interval of -inf s is negative; allowed is any number from 0"
        );
        assert_eq!(text(f64::NAN), "NaN seconds are no interval of time; allowed is any number from 0");
    }

    #[test]
    #[should_panic(expected = "an interval of -1 s is negative")]
    fn negative_seconds_panic() {
        Span::from_secs_f64(-1.0);
    }

    #[test]
    #[should_panic(
        expected = "a rate of 0 operations per second is not possible: it must be a positive number"
    )]
    fn operations_need_a_rate() {
        Span::from_flops(1, 0.0);
    }

    #[test]
    fn instants_are_subtracted() {
        let (early, late) = (Time(2_000), Time(5_000));
        assert_eq!(late - early, Span::from_nanos(3));
        let message = *std::panic::catch_unwind(|| early - late).unwrap_err().downcast::<String>().unwrap();
        assert!(message.starts_with("the interval from 5 ns to 2 ns is negative: "), "{message}");
    }

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Time::MAX + Span::from_nanos(1), Time::MAX);
        assert_eq!(Span::from(Duration::MAX), Span::MAX);
        assert_eq!(Span::from_nanos(1) - Span::from_nanos(2), Span::ZERO);
        assert_eq!(Time::ZERO.since(Time::MAX), Span::ZERO);
    }

    #[test]
    fn shown_in_the_unit_that_fits() {
        assert_eq!(Span::ZERO.to_string(), "0 s");
        assert_eq!(Span::from_picos(131_666_667).to_string(), "131.666667 us");
        assert_eq!(Span::from_millis(1500).to_string(), "1.5 s");
        assert_eq!(Span::from_picos(7).to_string(), "7 ps");
        assert_eq!(Span::MAX.to_string(), "18446744.073709551615 s");
    }

    #[test]
    fn width_alignment_and_precision_are_those_of_numbers() {
        let span = Span::from_picos(131_666_667);
        assert_eq!(format!("{span:.3}|{span:.0}|{span:.8}"), "131.667 us|132 us|131.66666700 us");
        assert_eq!(
            format!("{span:>12.3}|{span:<12.3}|{span:*^12.1}"),
            "  131.667 us|131.667 us  |**131.7 us**"
        );
        assert_eq!(format!("{span:15}|{:6}|", Time::ZERO), "  131.666667 us|   0 s|");
        // The unit is chosen before rounding.
        assert_eq!(format!("{:.1}|{:.2}", Span::from_picos(999_960_000), Span::ZERO), "1000.0 us|0.00 s");
        assert_eq!(format!("{:.2}|{:.0}", Span::from_picos(7), Span::from_picos(1_500)), "7.00 ps|2 ns");
        assert_eq!(format!("{:.1}", Span::MAX), "18446744.1 s");
    }
}
