//! Figures as every command shows them: times, the fastest of several, and lower bounds with their reasons.

use multicomputer::Span;

/// A modeled time.
pub(super) fn millis(span: Span) -> String {
    format!("{:.3}", span.as_millis_f64())
}

/// A modeled time with a star at the fastest: `6.542 *`. All cells are equally long behind the point. Times that look
/// the same are marked alike: some differ by the few nanoseconds of a hop.
pub(super) fn starred(time: Span, fastest: Option<Span>) -> String {
    let time = millis(time);
    let mark = if Some(&time) == fastest.map(millis).as_ref() { " *" } else { "  " };
    time + mark
}

/// The reason that decides a lower bound: of equal ones the first.
pub(super) fn decisive(bound: Span, reasons: &[(&'static str, Span)]) -> &'static str {
    reasons.iter().find(|(_, part)| *part == bound).map_or("", |&(name, _)| name)
}

/// What no algorithm can beat, and which of the reasons for that decides.
pub(super) fn bound_line(bound: Span, reasons: &[(&'static str, Span)]) -> String {
    if bound.is_zero() {
        return "Lower bound: 0 ms, as nothing has to be sent.".to_owned();
    }
    let parts: Vec<String> = reasons.iter().map(|(name, part)| format!("{name} {}", millis(*part))).collect();
    let decides = decisive(bound, reasons);
    format!("Lower bound: {} ms, decided by {decides} ({}).", millis(bound), parts.join(", "))
}
