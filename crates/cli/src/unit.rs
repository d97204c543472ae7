//! Unit of times in a table: one for all times that are compared, chosen by the shortest time.

use multicomputer::Span;

/// A unit, and the number of decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    name: &'static str,
    /// Name of a thousandth of the unit, the last of three decimals.
    precision: &'static str,
    picos: u64,
    /// Shortest time with three significant digits at three decimals.
    from: Span,
    decimals: usize,
}

/// Units, longest first. Seconds start at 100 s only, because tables of message times are customarily in milliseconds.
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
    /// Returns the largest unit in which the shortest time has three significant digits: milliseconds from 0.1 ms on,
    /// microseconds from 0.1 us on. Zero times are ignored.
    pub(super) fn of(times: impl IntoIterator<Item = Span>) -> Unit {
        let shortest = times.into_iter().filter(|time| !time.is_zero()).min();
        let fits = |shortest: Span| UNITS.into_iter().find(|unit| shortest >= unit.from);
        shortest.and_then(fits).unwrap_or(UNITS[1])
    }

    /// Returns the unit of [`of`](Self::of), with six decimals if three do not show all times exactly.
    pub(super) fn exact_for(times: &[Span]) -> Unit {
        let unit = Unit::of(times.iter().copied());
        let is_exact = times.iter().all(|time| time.as_picos().is_multiple_of(unit.picos / 1_000));
        Unit { decimals: if is_exact { 3 } else { 6 }, ..unit }
    }

    /// Returns the symbol: `ms`.
    pub(super) fn name(self) -> &'static str {
        self.name
    }

    /// Returns the legend of the star in a table.
    pub(super) fn star(self) -> String {
        format!("* is the fastest, to the {}.", self.precision)
    }

    /// Formats a time without the unit.
    pub(super) fn cell(self, time: Span) -> String {
        format!("{:.*}", self.decimals, time.as_picos() as f64 / self.picos as f64)
    }

    /// Formats a time with its unit: `6.542 ms`.
    pub(super) fn text(self, time: Span) -> String {
        format!("{} {}", self.cell(time), self.name)
    }

    /// Formats a modeled time, with a star if it is the fastest: `6.542 *`. All cells have the same length after the
    /// decimal point. Equal texts are marked alike: some times differ only by the few nanoseconds of a hop.
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
