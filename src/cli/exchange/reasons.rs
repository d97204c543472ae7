//! What decides a lower bound.

use multicomputer::exchange::LowerBound;

use super::super::{figures, unit::Unit};

/// The largest reason.
pub(super) fn decides(bound: &LowerBound) -> &'static str {
    let time = bound.time();
    match time.is_zero() {
        true => "nothing",
        false => figures::decisive(time, &bound.reasons()),
    }
}

/// What no algorithm can beat, and why; reasons that do not apply are left out.
pub(super) fn bound_line(bound: &LowerBound, unit: Unit) -> String {
    let parts = bound.reasons().into_iter().filter(|(_, part)| !part.is_zero());
    figures::bound_line(bound.time(), &parts.collect::<Vec<_>>(), unit)
}

#[cfg(test)]
mod tests {
    use multicomputer::Span;

    use super::*;

    #[test]
    fn the_part_that_decides_is_named() {
        let part = Span::from_micros;
        let bound = LowerBound { start_up: part(1000), traffic: part(2500), ..LowerBound::default() };
        assert_eq!(
            bound_line(&bound, Unit::Millis),
            "Lower bound: 2.500 ms, decided by traffic (start-up 1.000, traffic 2.500)."
        );
        let nothing = LowerBound::default();
        assert_eq!(bound_line(&nothing, Unit::Millis), "Lower bound: 0 ms, as nothing has to be sent.");
        assert_eq!(decides(&nothing), "nothing");
    }
}
