//! Ticks of the time axis, at round values in a suitable unit.

use multicomputer::{Span, Time};

use super::super::canvas::{decimal, unit_of};

/// The instants of the ticks with their labels, and the unit of the labels.
pub(super) struct Ticks {
    pub(super) unit: &'static str,
    pub(super) ticks: Vec<(Time, String)>,
}

impl Ticks {
    /// Places ticks at round values, about one per hundred pixels.
    pub(super) fn of(first: Time, last: Time, pixels: f64) -> Ticks {
        let (unit, picos) = unit_of(last.since_start());
        let least = (last.since(first).as_picos() as f64 * 90.0 / pixels).max(1.0);
        let mut step = 1_u64;
        for factor in [2.0, 2.5, 2.0].iter().cycle() {
            if step as f64 >= least {
                break;
            }
            step = (step as f64 * factor) as u64;
        }
        let tick = |at: u64| (Time::ZERO + Span::from_picos(at), decimal(at as f64 / picos as f64, 6));
        let (from, to) = (first.as_picos().div_ceil(step), last.as_picos() / step);
        Ticks { unit, ticks: (from..=to).map(|nth| tick(nth * step)).collect() }
    }
}
