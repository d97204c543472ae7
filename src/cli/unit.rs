//! The unit in which times are shown: one for all that are to be compared, chosen by the shortest of them.

use multicomputer::Span;

/// Units, by the picoseconds that each has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

impl Unit {
    /// The unit in which the shortest of these times still shows three digits that count, with three behind the point:
    /// milliseconds from 0.1 ms on, microseconds from 0.1 us on. Times of 0 have no say.
    pub(super) fn of(times: impl IntoIterator<Item = Span>) -> Unit {
        let shortest = times.into_iter().filter(|time| !time.is_zero()).min();
        // Seconds only where milliseconds would be no longer read: tables of messages are in milliseconds by custom.
        let units = [(Span::from_millis(100_000), Unit::Seconds), (Span::from_micros(100), Unit::Millis)];
        let fits = |shortest| {
            units
                .into_iter()
                .chain([(Span::from_nanos(100), Unit::Micros)])
                .find(|&(from, _)| shortest >= from)
        };
        shortest.map_or(Unit::Millis, |shortest| fits(shortest).map_or(Unit::Nanos, |(_, unit)| unit))
    }

    /// As it is written: `ms`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::Millis => "ms",
            Unit::Micros => "us",
            Unit::Nanos => "ns",
        }
    }

    /// The time that the last of three digits behind the point stands for, in words.
    pub(super) fn precision(self) -> &'static str {
        match self {
            Unit::Seconds => "millisecond",
            Unit::Millis => "microsecond",
            Unit::Micros => "nanosecond",
            Unit::Nanos => "picosecond",
        }
    }

    fn picos(self) -> u64 {
        match self {
            Unit::Seconds => 1_000_000_000_000,
            Unit::Millis => 1_000_000_000,
            Unit::Micros => 1_000_000,
            Unit::Nanos => 1_000,
        }
    }

    /// A time with three digits behind the point, without the unit.
    pub(super) fn cell(self, time: Span) -> String {
        self.with_decimals(time, 3)
    }

    /// A time with so many digits behind the point, without the unit.
    pub(super) fn with_decimals(self, time: Span, decimals: usize) -> String {
        format!("{:.decimals$}", time.as_picos() as f64 / self.picos() as f64)
    }

    /// Whether three digits behind the point show a time as it is.
    pub(super) fn is_exact(self, time: Span) -> bool {
        time.as_picos().is_multiple_of(self.picos() / 1_000)
    }

    /// A time with its unit: `6.542 ms`.
    pub(super) fn text(self, time: Span) -> String {
        format!("{} {}", self.cell(time), self.name())
    }

    /// A title with the unit: `modeled ms`.
    pub(super) fn title(self, title: &str) -> String {
        format!("{title} {}", self.name())
    }

    /// A modeled time with a star at the fastest: `6.542 *`. All cells are equally long behind the point. Times that
    /// look the same are marked alike: some differ by the few nanoseconds of a hop.
    pub(super) fn starred(self, time: Span, fastest: Option<Span>) -> String {
        let time = self.cell(time);
        let mark =
            if Some(&time) == fastest.map(|fastest| self.cell(fastest)).as_ref() { " *" } else { "  " };
        time + mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_time_decides() {
        let unit = |picos: &[u64]| Unit::of(picos.iter().copied().map(Span::from_picos));
        for (picos, expected) in [
            (&[][..], Unit::Millis),
            (&[0], Unit::Millis),
            (&[0, 6_542_000_000], Unit::Millis),
            (&[100_000_000, 20_000_000_000_000], Unit::Millis),
            (&[99_999_999, 20_000_000_000_000], Unit::Micros),
            (&[1_500_000], Unit::Micros),
            (&[99_999, 1_500_000], Unit::Nanos),
            (&[1], Unit::Nanos),
            (&[100_000_000_000_000], Unit::Seconds),
        ] {
            assert_eq!(unit(picos), expected, "{picos:?}");
        }
    }

    #[test]
    fn times_have_three_digits_behind_the_point() {
        let time = Span::from_picos(1_503_200);
        assert_eq!([Unit::Millis, Unit::Micros].map(|unit| unit.cell(time)), ["0.002", "1.503"]);
        assert_eq!([Unit::Micros, Unit::Nanos].map(|unit| unit.is_exact(time)), [false, true]);
        assert_eq!(Unit::Nanos.text(time), "1503.200 ns");
        assert_eq!(Unit::Micros.title("modeled"), "modeled us");
        let cells = [1_503_200, 1_503_300, 1_504_000]
            .map(|picos| Unit::Micros.starred(Span::from_picos(picos), Some(time)));
        assert_eq!(cells, ["1.503 *", "1.503 *", "1.504  "]);
    }
}
