//! The unit in which times are shown: one for all that are to be compared, chosen by the shortest of them.

use multicomputer::Span;

/// A unit, and the number of digits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    name: &'static str,
    /// The time that the last of three digits behind the point stands for, in words.
    precision: &'static str,
    picos: u64,
    /// The shortest time that still shows three digits that count, with three behind the point.
    from: Span,
    decimals: usize,
}

/// Units, the longest first. Seconds only where milliseconds would be no longer read: tables of messages are in
/// milliseconds by custom.
const UNITS: [Unit; 4] = [
    unit("s", "millisecond", 1_000_000_000_000, Span::from_millis(100_000)),
    unit("ms", "microsecond", 1_000_000_000, Span::from_micros(100)),
    unit("us", "nanosecond", 1_000_000, Span::from_nanos(100)),
    unit("ns", "picosecond", 1_000, Span::ZERO),
];

const fn unit(name: &'static str, precision: &'static str, picos: u64, from: Span) -> Unit {
    Unit { name, precision, picos, from, decimals: 3 }
}

impl Unit {
    /// The unit in which the shortest of these times still shows three digits that count: milliseconds from 0.1 ms on,
    /// microseconds from 0.1 us on. Times of 0 have no say.
    pub(super) fn of(times: impl IntoIterator<Item = Span>) -> Unit {
        let shortest = times.into_iter().filter(|time| !time.is_zero()).min();
        let fits = |shortest: Span| UNITS.into_iter().find(|unit| shortest >= unit.from);
        shortest.and_then(fits).unwrap_or(UNITS[1])
    }

    /// The same with six digits behind the point if three do not show all of the times as they are.
    pub(super) fn exact_for(times: &[Span]) -> Unit {
        let unit = Unit::of(times.iter().copied());
        let is_exact = times.iter().all(|time| time.as_picos().is_multiple_of(unit.picos / 1_000));
        Unit { decimals: if is_exact { 3 } else { 6 }, ..unit }
    }

    /// The name as it is written: `ms`.
    pub(super) fn name(self) -> &'static str {
        self.name
    }

    /// The meaning of the star in a table.
    pub(super) fn star(self) -> String {
        format!("* is the fastest, to the {}.", self.precision)
    }

    /// A time without the unit.
    pub(super) fn cell(self, time: Span) -> String {
        format!("{:.*}", self.decimals, time.as_picos() as f64 / self.picos as f64)
    }

    /// A time with its unit: `6.542 ms`.
    pub(super) fn text(self, time: Span) -> String {
        format!("{} {}", self.cell(time), self.name)
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
            (&[][..], "ms"),
            (&[0], "ms"),
            (&[0, 6_542_000_000], "ms"),
            (&[100_000_000, 20_000_000_000_000], "ms"),
            (&[99_999_999, 20_000_000_000_000], "us"),
            (&[1_500_000], "us"),
            (&[99_999, 1_500_000], "ns"),
            (&[1], "ns"),
            (&[100_000_000_000_000], "s"),
        ] {
            assert_eq!(unit(picos).name(), expected, "{picos:?}");
        }
    }
}
