//! What decides a lower bound.

use multicomputer::{Span, collective::LowerBound};

use super::super::{figures, unit::Unit};

/// The reasons with their names. Of equal ones the first is named: start-ups before bytes, and ports before links.
fn reasons(bound: &LowerBound) -> [(&'static str, Span); 8] {
    [
        ("start-up", bound.start_up),
        ("gossip", bound.gossip),
        ("intake", bound.intake),
        ("output", bound.output),
        ("both ways", bound.both_ways),
        ("combining", bound.combining),
        ("bisection", bound.bisection),
        ("submesh", bound.submesh),
    ]
}

/// The largest reason.
pub(super) fn decides(bound: &LowerBound) -> &'static str {
    let time = bound.time();
    match time.is_zero() {
        true => "nothing",
        false => figures::decisive(time, &reasons(bound)),
    }
}

/// What no algorithm can beat, and why; reasons that do not apply are left out.
pub(super) fn bound_line(bound: &LowerBound, unit: Unit) -> String {
    let parts = reasons(bound).into_iter().filter(|(_, part)| !part.is_zero());
    figures::bound_line(bound.time(), &parts.collect::<Vec<_>>(), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_decides_is_named() {
        let part = Span::from_micros;
        let bound = LowerBound {
            start_up: part(1000),
            intake: part(2500),
            output: part(2500),
            ..LowerBound::default()
        };
        assert_eq!(
            bound_line(&bound, Unit::Millis),
            "Lower bound: 2.500 ms, decided by intake (start-up 1.000, intake 2.500, output 2.500)."
        );
        let nothing = LowerBound::default();
        assert_eq!(bound_line(&nothing, Unit::Millis), "Lower bound: 0 ms, as nothing has to be sent.");
        assert_eq!(decides(&nothing), "nothing");
    }
}
