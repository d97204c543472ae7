//! The classes of a panel: six, of equal width, from 0 to the largest figure.

use super::{
    super::canvas::{decimal, unit_of},
    Measure,
};
use crate::time::Span;

/// The number of classes.
pub(super) const CLASSES: usize = 6;

/// Colours of the classes, from the smallest figures to the largest: towards what stands out on a light display.
pub(super) fn colours(measure: Measure) -> [&'static str; CLASSES] {
    match measure {
        Measure::Bytes => ["#a6cbe3", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#0b3c78"],
        Measure::Busy => ["#a8d8a0", "#74c476", "#41ab5d", "#238b45", "#006d2c", "#004a23"],
        Measure::Shared => ["#fdc08a", "#fd9d55", "#f16913", "#d94801", "#a63603", "#7d2a04"],
    }
}

/// The name of a panel.
pub(super) fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::Bytes => "bytes carried",
        Measure::Busy => "time busy",
        Measure::Shared => "time shared",
    }
}

/// The class of a figure, counted from 0; `None` for 0. A figure at the border of two is in the lower one.
pub(super) fn class(figure: u64, largest: u64) -> Option<usize> {
    let place = (u128::from(figure) * CLASSES as u128).div_ceil(u128::from(largest.max(1)));
    (place as usize).min(CLASSES).checked_sub(1)
}

/// The upper ends of the classes, and their unit.
pub(super) fn borders(measure: Measure, largest: u64) -> (Vec<String>, &'static str) {
    let (unit, size) = match measure {
        Measure::Bytes => match largest {
            0x4000_0000.. => ("GiB", 0x4000_0000),
            0x10_0000.. => ("MiB", 0x10_0000),
            0x400.. => ("KiB", 0x400),
            _ => ("bytes", 1),
        },
        Measure::Busy | Measure::Shared => unit_of(Span::from_picos(largest)),
    };
    let largest = largest as f64 / size as f64;
    let digits = if largest >= 100.0 {
        0
    } else if largest >= 10.0 {
        1
    } else {
        2
    };
    let border = |class: usize| decimal(largest * class as f64 / CLASSES as f64, digits);
    ((1..=CLASSES).map(border).collect(), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_equal_widths_and_the_largest_is_in_the_last() {
        let classes = [0, 1, 10, 11, 20, 59, 60].map(|figure| class(figure, 60));
        assert_eq!(classes, [None, Some(0), Some(0), Some(1), Some(1), Some(5), Some(5)]);
        assert_eq!(class(u64::MAX, u64::MAX), Some(5));
        assert_eq!(class(0, 0), None);
    }

    #[test]
    fn borders_are_in_a_fitting_unit() {
        let (borders, unit) = borders(Measure::Bytes, 12 * 1024);
        assert_eq!((borders.join(" "), unit), ("2 4 6 8 10 12".to_owned(), "KiB"));
        let (borders, unit) = super::borders(Measure::Busy, 1_500_000);
        assert_eq!((borders.join(" "), unit), ("0.25 0.5 0.75 1 1.25 1.5".to_owned(), "us"));
    }
}
