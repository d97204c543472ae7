//! The classes of a panel: six, of equal width, from 0 to the largest value.

use multicomputer::Span;

use super::{
    super::canvas::{decimal, unit_of},
    Measure,
};

/// The number of classes.
pub(super) const CLASSES: usize = 6;

/// Returns the colours of the classes in ascending order: larger values have more contrast on a light display.
pub(super) fn colours(measure: Measure) -> [&'static str; CLASSES] {
    match measure {
        Measure::Bytes => ["#a6cbe3", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#0b3c78"],
        Measure::Busy => ["#a8d8a0", "#74c476", "#41ab5d", "#238b45", "#006d2c", "#004a23"],
        Measure::Shared => ["#fdc08a", "#fd9d55", "#f16913", "#d94801", "#a63603", "#7d2a04"],
    }
}

/// Returns the name of a panel.
pub(super) fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::Bytes => "bytes carried",
        Measure::Busy => "time busy",
        Measure::Shared => "time shared",
    }
}

/// Returns the reason why all values of a measure are zero.
pub(super) fn absence(measure: Measure) -> &'static str {
    match measure {
        Measure::Bytes => "the messages had no bytes",
        Measure::Busy => "no message took time on a link",
        Measure::Shared => "no two messages moved over one link at the same time",
    }
}

/// The scale of a measure: its classes, and the unit of all of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    measure: Measure,
    largest: u64,
    unit: &'static str,
    /// The size of the unit in bytes or picoseconds.
    size: u64,
}

impl Scale {
    pub(super) fn of(measure: Measure, largest: u64) -> Scale {
        let (unit, size) = match measure {
            // The scale has space for six digits: a maximum below 1,000,000 is written in bytes unless it is a multiple of 1024.
            Measure::Bytes => match largest {
                ..1_000_000 if !largest.is_multiple_of(0x400) => ("B", 1),
                0x4000_0000.. => ("GiB", 0x4000_0000),
                0x10_0000.. => ("MiB", 0x10_0000),
                0x400.. => ("KiB", 0x400),
                _ => ("B", 1),
            },
            Measure::Busy | Measure::Shared => unit_of(Span::from_picos(largest)),
        };
        Scale { measure, largest, unit, size }
    }

    /// Returns the class of a value, from 0; `None` for 0. A value on the border of two classes is in the lower one.
    pub(super) fn class(&self, figure: u64) -> Option<usize> {
        let place = (u128::from(figure) * CLASSES as u128).div_ceil(u128::from(self.largest.max(1)));
        (place as usize).min(CLASSES).checked_sub(1)
    }

    pub(super) fn unit(&self) -> &'static str {
        self.unit
    }

    /// Returns the upper limits of the classes, without the unit.
    pub(super) fn borders(&self) -> Vec<String> {
        let largest = self.largest as f64 / self.size as f64;
        (1..=CLASSES).map(|class| decimal(largest * class as f64 / CLASSES as f64, self.digits())).collect()
    }

    /// Formats the largest value with its unit, with the digits of the class limits.
    pub(super) fn largest(&self) -> String {
        format!("{} {}", decimal(self.largest as f64 / self.size as f64, self.digits()), self.unit)
    }

    /// Formats a value with all digits. A number of bytes with many digits is rounded, followed by the exact number.
    pub(super) fn exact(&self, figure: u64) -> String {
        let value = figure as f64 / self.size as f64;
        if self.measure != Measure::Bytes {
            return format!("{} {}", decimal(value, self.size.ilog10() as usize), self.unit);
        }
        let text = format!("{} {}", decimal(value, 3), self.unit);
        match (figure * 1000).is_multiple_of(self.size) {
            true => text,
            false => format!("{text} ({figure} B)"),
        }
    }

    /// Returns the number of decimals for four significant digits; bytes have no decimals.
    fn digits(&self) -> usize {
        let largest = self.largest / self.size;
        let digits = 3_usize.saturating_sub(largest.max(1).ilog10() as usize);
        if self.unit == "B" { digits.saturating_sub(1) } else { digits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_equal_widths_and_the_largest_is_in_the_last() {
        let scale = Scale::of(Measure::Bytes, 60);
        let classes = [0, 1, 10, 11, 20, 59, 60].map(|figure| scale.class(figure));
        assert_eq!(classes, [None, Some(0), Some(0), Some(1), Some(1), Some(5), Some(5)]);
        assert_eq!(Scale::of(Measure::Bytes, u64::MAX).class(u64::MAX), Some(5));
        assert_eq!(Scale::of(Measure::Bytes, 0).class(0), None);
    }

    #[test]
    fn borders_the_largest_figure_and_tooltips_are_in_one_unit() {
        for (measure, largest, borders, title, figures) in [
            (
                Measure::Bytes,
                12 << 10,
                "2 4 6 8 10 12",
                "12 KiB",
                [(1536, "1.5 KiB"), (1000, "0.977 KiB (1000 B)")],
            ),
            (
                Measure::Bytes,
                8000,
                "1333 2667 4000 5333 6667 8000",
                "8000 B",
                [(8000, "8000 B"), (1024, "1024 B")],
            ),
            (
                Measure::Bytes,
                16_776_704,
                "2.667 5.333 8 10.67 13.33 16",
                "16 MiB",
                [(16_776_704, "16 MiB (16776704 B)"), (0, "0 MiB")],
            ),
            (
                Measure::Busy,
                1_500_000,
                "0.25 0.5 0.75 1 1.25 1.5",
                "1.5 us",
                [(1_234_567, "1.234567 us"), (999, "0.000999 us")],
            ),
        ] {
            let scale = Scale::of(measure, largest);
            let figures_told = figures.map(|(figure, _)| scale.exact(figure));
            assert_eq!(figures_told, figures.map(|(_, told)| told.to_owned()));
            assert_eq!(scale.largest(), title);
            let digits: Vec<f64> = scale.borders().iter().map(|border| border.parse().unwrap()).collect();
            let expected: Vec<f64> = borders.split(' ').map(|border| border.parse().unwrap()).collect();
            assert!(
                digits.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 0.01),
                "{digits:?}"
            );
            assert!(title.starts_with(scale.borders().last().unwrap()) && title.ends_with(scale.unit()));
        }
    }
}
