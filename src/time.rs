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

const PICOS_PER_SECOND: f64 = 1e12;
const PICOS_PER_NANO: u64 = 1_000;

/// An instant of modeled time, counted from the common start of all node programs.
///
/// ```
/// use multicomputer::{Span, Time};
/// let t = Time::ZERO + Span::from_micros(65) + Span::from_nanos(500);
/// assert_eq!(t.to_string(), "65.5 us");
/// assert_eq!(t.as_micros_f64(), 65.5);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// An interval of modeled time; never negative.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// The end of representable time; a node whose clock reaches this instant ends the run with an error.
    pub const MAX: Time = Time(u64::MAX);

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

    /// Returns the representable interval nearest to a number of seconds. A negative number gives zero. A number that is too large, or
    /// infinite, gives [`Span::MAX`], with which a run ends in [`RunError::TimeOverflow`](crate::error::RunError::TimeOverflow).
    ///
    /// # Panics
    /// If `seconds` is NaN, which is the result of an erroneous calculation.
    #[track_caller]
    pub fn from_secs_f64(seconds: f64) -> Span {
        assert!(!seconds.is_nan(), "NaN is not a number of seconds");
        Span((seconds * PICOS_PER_SECOND).round() as u64)
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
    /// Writes the exact interval in the largest unit in which it is at least 1: `1.5 ms`, `131.666667 us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, picos) = match self.0 {
            0 => return f.write_str("0 s"),
            1_000_000_000_000.. => ("s", 1_000_000_000_000),
            1_000_000_000.. => ("ms", 1_000_000_000),
            1_000_000.. => ("us", 1_000_000),
            1_000.. => ("ns", 1_000),
            _ => ("ps", 1),
        };
        let (whole, rest) = (self.0 / picos, self.0 % picos);
        if rest == 0 {
            return write!(f, "{whole} {unit}");
        }
        let digits = picos.ilog10() as usize;
        let fraction = format!("{rest:0digits$}");
        write!(f, "{whole}.{} {unit}", fraction.trim_end_matches('0'))
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
        assert_eq!(Span::from_secs_f64(-1.0), Span::ZERO);
        assert_eq!(Span::from_secs_f64(f64::NEG_INFINITY), Span::ZERO);
        assert_eq!(Span::from_secs_f64(1e300), Span::MAX);
        assert_eq!(Span::from_secs_f64(f64::INFINITY), Span::MAX);
    }

    #[test]
    #[should_panic(expected = "NaN is not a number of seconds")]
    fn what_is_no_number_is_no_interval() {
        Span::from_secs_f64(f64::NAN);
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
    }
}
