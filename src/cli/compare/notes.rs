//! Lines under tables: lower bounds, what is fastest, what was left out, and how the host did.

use multicomputer::{Span, plan::LowerBound};

use super::{
    super::{pace, unit::Unit},
    Comparison, Ran, Row, Solved,
};

/// The name of the reason that decides.
pub(in crate::cli) fn decides(bound: &LowerBound) -> &'static str {
    bound.decisive().map_or("nothing", |reason| reason.name())
}

/// The limit that no algorithm can beat, and the reasons; those that do not apply are left out.
pub(in crate::cli) fn bound_line(bound: &LowerBound, unit: Unit) -> String {
    let time = bound.time();
    if time.is_zero() {
        return format!("Lower bound: 0 {}, as nothing has to be sent.", unit.name());
    }
    let parts = bound.reasons().iter().filter(|(_, part)| !part.is_zero());
    let parts: Vec<String> =
        parts.map(|(reason, part)| format!("{} {}", reason.name(), unit.cell(*part))).collect();
    format!("Lower bound: {}, decided by {} ({}).", unit.text(time), decides(bound), parts.join(", "))
}

/// The fastest algorithm for a case, with its time.
pub(in crate::cli) fn fastest_line<C: Comparison>(of: &C, solved: &Solved<C>, unit: Unit) -> Option<String> {
    let (row, time) = solved.fastest(of)?;
    let ratio = solved.case.bound.ratio(time);
    let of_bound = ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} times the lower bound"));
    let how = match (row.name(), row.chosen()) {
        (name, chosen) if name == chosen => name,
        (name, chosen) => format!("{name}, which takes {chosen}"),
    };
    Some(format!("Fastest: {how}: {}{of_bound}.", unit.text(time)))
}

/// Causes for which something was left out, each once: a line each. `of` says in how many cases, ahead of the colon.
pub(in crate::cli) fn left_out(
    causes: impl IntoIterator<Item = impl ToString>,
    of: impl Fn(usize) -> String,
) -> Vec<String> {
    let causes: Vec<String> = causes.into_iter().map(|cause| cause.to_string()).collect();
    let mut notes = Vec::new();
    for (index, cause) in causes.iter().enumerate() {
        if !causes[..index].contains(cause) {
            let times = causes.iter().filter(|other| *other == cause).count();
            notes.push(format!("Left out{}: {cause}.", of(times)));
        }
    }
    notes
}

/// The pace that the host kept, and which times are the host's own.
pub(in crate::cli) fn of_runs<C: Comparison>(of: &C, solved: &[Solved<C>]) -> Vec<String> {
    let rows = solved.iter().flat_map(|solved| solved.rows(of));
    let runs: Vec<&Ran> = rows.flat_map(|row| row.runs().collect::<Vec<_>>()).collect();
    let mut notes = pace::notes(runs.iter().filter_map(|ran| ran.real_time));
    if runs.iter().any(|ran| !ran.is_modeled) {
        notes.push(HOST.to_owned());
    }
    notes
}

/// The note on times under the host's clock.
pub(in crate::cli) const HOST: &str =
    "Times of runs are wall-clock times of this host; predictions and bounds are those of the model.";

/// The times that decide in which unit a table is.
pub(in crate::cli) fn unit_of<'a, C: Comparison + 'a>(
    of: &C,
    solved: impl IntoIterator<Item = &'a Solved<C>>,
    times: impl Fn(&Row<'_, C>) -> Vec<Option<Span>>,
) -> Unit {
    Unit::of(solved.into_iter().flat_map(|solved| {
        let rows = solved.rows(of);
        let times: Vec<Span> = rows.iter().flat_map(&times).flatten().collect();
        times.into_iter().chain([solved.case.bound.time()])
    }))
}
