//! Positions of numbers along an axis, and its ticks.

use super::{super::canvas::decimal, Axis, Scale};

/// Maximum number of ticks of a numeric axis.
const MAX_TICKS: f64 = 9.0;

/// The visible range of an axis. Positions within it are from 0 to 1.
#[derive(Clone, Debug)]
pub(super) struct Range<'a> {
    axis: &'a Axis,
    low: f64,
    high: f64,
    /// Whether all numbers to be shown are powers of two.
    is_binary: bool,
}

/// A tick of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) place: f64,
    pub(super) label: String,
}

impl<'a> Range<'a> {
    /// Returns the range that contains all numbers, and 0 on a linear axis if `has_zero` is true.
    pub(super) fn of(
        axis: &'a Axis,
        numbers: impl Iterator<Item = f64> + Clone,
        has_zero: bool,
    ) -> Range<'a> {
        let (low, high) = match &axis.scale {
            Scale::Names(names) => (-0.5, names.len() as f64 - 0.5),
            Scale::Linear => {
                let (low, high) = ends(numbers.clone());
                let low = if has_zero { low.min(0.0) } else { low };
                let high = if has_zero { high.max(0.0) } else { high };
                let step = step_of(high - low);
                let high = (high / step).ceil() * step;
                ((low / step).floor() * step, high)
            }
            Scale::Logarithmic => {
                let (low, high) = ends(numbers.clone().map(f64::ln));
                // A margin keeps points off the frame.
                let more = ((high - low) * 0.03).max(0.02);
                (low - more, high + more)
            }
        };
        let is_power = |number: f64| number.log2().fract() == 0.0;
        let is_binary = numbers.clone().all(is_power);
        // A single number is centred.
        let (low, high) = if low < high { (low, high) } else { (low - 0.5, high + 0.5) };
        Range { axis, low, high, is_binary }
    }

    /// Returns the position of a number, from 0 to 1.
    pub(super) fn place(&self, number: f64) -> f64 {
        let number = if self.axis.scale == Scale::Logarithmic { number.ln() } else { number };
        (number - self.low) / (self.high - self.low)
    }

    /// Returns the distance between two neighbouring names of an axis of names, as a fraction of the axis.
    pub(super) fn unit(&self) -> f64 {
        1.0 / (self.high - self.low)
    }

    /// Returns whether 0 is in the range.
    pub(super) fn has_zero(&self) -> bool {
        self.axis.scale == Scale::Linear && self.low <= 0.0 && self.high >= 0.0
    }

    /// Returns the ticks in ascending order.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let numbers: Vec<f64> = match &self.axis.scale {
            Scale::Names(names) => (0..names.len()).map(|nth| nth as f64).collect(),
            Scale::Linear => {
                let step = step_of(self.high - self.low);
                let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
                (first..=last).map(|nth| nth as f64 * step).collect()
            }
            Scale::Logarithmic => self.factors(),
        };
        let tick = |number: f64| Tick { place: self.place(number), label: self.label(number) };
        numbers.into_iter().map(tick).filter(|tick| (0.0..=1.0).contains(&tick.place)).collect()
    }

    /// Returns the ticks of a logarithmic axis: powers of two for bytes or if all numbers are powers of two, otherwise
    /// 1, 2 and 5 of each decade, or only powers of ten for many decades.
    fn factors(&self) -> Vec<f64> {
        if self.axis.unit == "bytes" || self.is_binary {
            let (first, last) = (self.low / 2.0_f64.ln(), self.high / 2.0_f64.ln());
            let every = ((last - first) / MAX_TICKS).ceil().max(1.0) as i64;
            let powers = (first.ceil() as i64..=last.floor() as i64).filter(|power| power % every == 0);
            let powers: Vec<f64> = powers.map(|power| 2.0_f64.powi(power as i32)).collect();
            // With fewer than two powers of two in the range, the decimal ticks below are used.
            if powers.len() > 1 {
                return powers;
            }
        }
        let (first, last) = (self.low / 10.0_f64.ln(), self.high / 10.0_f64.ln());
        let every = ((last - first) / MAX_TICKS).ceil().max(1.0) as i64;
        let within: &[f64] = if last - first > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let decades = (first.floor() as i64..=last.floor() as i64).filter(|power| power % every == 0);
        let numbers: Vec<f64> = decades
            .flat_map(|power| within.iter().map(move |digit| digit * 10.0_f64.powi(power as i32)))
            .filter(|number| (self.low..=self.high).contains(&number.ln()))
            .collect();
        // If the range contains fewer than two of these numbers, the ticks are its ends.
        if numbers.len() > 1 { numbers } else { vec![self.low.exp(), self.high.exp()] }
    }

    /// Formats a number for this axis.
    pub(super) fn label(&self, number: f64) -> String {
        match &self.axis.scale {
            Scale::Names(_) => self.axis.label(number),
            _ if self.axis.unit == "bytes" && number >= 0.0 => bytes(number),
            _ => format_short(number),
        }
    }
}

fn ends(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)))
}

/// Returns the tick distance of a linear axis with a given length: 1, 2 or 5 times a power of ten.
fn step_of(length: f64) -> f64 {
    let least = if length > 0.0 { length / MAX_TICKS } else { 0.1 };
    let power = 10.0_f64.powi(least.log10().floor() as i32);
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|digit| digit * power >= least * 0.999_999);
    digit.unwrap_or(10.0) * power
}

/// Formats bytes in a binary unit: `11.7 KiB`.
pub(super) fn bytes(number: f64) -> String {
    let mut units = [("TiB", 4), ("GiB", 3), ("MiB", 2), ("KiB", 1)].into_iter();
    match units.find(|(_, power)| number >= 1024_f64.powi(*power)) {
        None => format!("{} B", format_short(number)),
        Some((unit, power)) => {
            let value = number / 1024_f64.powi(power);
            let digits = if value < 100.0 && value.fract() != 0.0 { 1 } else { 0 };
            format!("{} {unit}", decimal(value, digits))
        }
    }
}

/// Formats a number with up to four significant digits, without trailing zeros.
pub(super) fn format_short(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let power = number.abs().log10().floor() as i32;
    if !(-4..=9).contains(&power) {
        return format!("{number:.2e}");
    }
    decimal(number, (3 - power).max(0) as usize)
}
