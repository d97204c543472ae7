//! Lower bounds as every command shows them, with their reasons.

use multicomputer::Span;

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
