//! Lower bounds as every command shows them, with their reasons.

use multicomputer::{Span, plan::LowerBound};

use super::unit::Unit;

/// The reason that decides a lower bound: of equal ones the first.
pub(super) fn decisive(bound: Span, reasons: &[(&'static str, Span)]) -> &'static str {
    reasons.iter().find(|(_, part)| *part == bound).map_or("", |&(name, _)| name)
}

/// What no algorithm can beat, and which of the reasons for that decides.
pub(super) fn bound_line(bound: Span, reasons: &[(&'static str, Span)], unit: Unit) -> String {
    if bound.is_zero() {
        return format!("Lower bound: 0 {}, as nothing has to be sent.", unit.name());
    }
    let parts: Vec<String> =
        reasons.iter().map(|(name, part)| format!("{name} {}", unit.cell(*part))).collect();
    let decides = decisive(bound, reasons);
    format!("Lower bound: {}, decided by {decides} ({}).", unit.text(bound), parts.join(", "))
}

/// The name of the reason that decides.
pub(super) fn decides(bound: &LowerBound) -> &'static str {
    bound.decisive().map_or("nothing", |reason| reason.name())
}

/// What no algorithm can beat, and why; reasons that do not apply are left out.
pub(super) fn reasons_line(bound: &LowerBound, unit: Unit) -> String {
    let reasons = bound.reasons().iter().map(|&(reason, part)| (reason.name(), part));
    bound_line(bound.time(), &reasons.filter(|(_, part)| !part.is_zero()).collect::<Vec<_>>(), unit)
}

#[cfg(test)]
mod tests {
    use multicomputer::plan::Reason;

    use super::*;

    #[test]
    fn the_reason_that_decides_is_named() {
        let bound = LowerBound::new([
            (Reason::StartUp, Span::from_micros(1000)),
            (Reason::Gossip, Span::ZERO),
            (Reason::Intake, Span::from_micros(2500)),
            (Reason::BothWays, Span::from_micros(2500)),
        ]);
        assert_eq!(
            reasons_line(&bound, Unit::Millis),
            "Lower bound: 2.500 ms, decided by intake (start-up 1.000, intake 2.500, both ways 2.500)."
        );
        let nothing = LowerBound::new([(Reason::StartUp, Span::ZERO)]);
        assert_eq!(reasons_line(&nothing, Unit::Millis), "Lower bound: 0 ms, as nothing has to be sent.");
        assert_eq!((decides(&bound), decides(&nothing)), ("intake", "nothing"));
    }
}
