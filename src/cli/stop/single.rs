//! One problem with all that is known of it: where the sources are, how every algorithm does, and why.

use std::fmt;

use multicomputer::stop::{LowerBound, picture};

use super::{
    super::{
        clock, figures,
        table::{
            Align::{Left, Right},
            Table,
        },
        unit::Unit,
    },
    differences::Differences,
    growth::{self, Growth},
    outcome::{Results, Solved},
};

/// What is printed.
pub(super) struct Single<'a> {
    pub(super) results: &'a Results,
    pub(super) solved: &'a Solved,
    pub(super) differences: Differences,
}

impl fmt::Display for Single<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Single { results, solved, differences } = self;
        let task = &solved.task;
        let parts = differences.common(task).join(", ");
        writeln!(f, "S-to-p broadcasting: {parts}, {} time\n", clock::name(results.clock))?;
        if let Some(grid) = task.instance.machine().topology().grid() {
            writeln!(f, "{}", picture(grid, task.instance.sources()))?;
        }
        writeln!(f, "{}", algorithms(solved, results.unit()))?;
        writeln!(f, "{}", bound_line(&solved.bound, results.unit()))?;
        for note in results.notes() {
            writeln!(f, "{note}")?;
        }
        let rows: Vec<(String, &Growth)> =
            solved.outcomes.iter().map(|outcome| (outcome.algorithm.to_string(), &outcome.growth)).collect();
        let nodes = growth::table("active nodes after", &rows, |(active, _)| active as u64);
        let bytes = growth::table("longest, in bytes", &rows, |(_, longest)| longest);
        write!(
            f,
            "\nNodes that hold a message, and the most bytes that a node holds, after each iteration:\n\n"
        )?;
        write!(f, "{nodes}\n{bytes}")
    }
}

/// A row for each algorithm.
fn algorithms(solved: &Solved, unit: Unit) -> Table {
    let is_real = solved.outcomes.iter().any(|outcome| outcome.real_time.is_some());
    let modeled = unit.title("modeled") + "  ";
    let columns = [
        Some(("algorithm", Left)),
        // The star of the fastest stands behind it.
        Some((&modeled[..], Right)),
        Some(("/ bound", Right)),
        Some(("iterations", Right)),
        Some(("messages", Right)),
        Some(("bytes", Right)),
        Some(("most loaded link", Left)),
        Some(("its bytes", Right)),
        Some(("busy %", Right)),
        is_real.then_some(("pace", Right)),
        is_real.then_some(("error %", Right)),
        Some(("variant", Left)),
    ];
    let mut table = Table::new(columns.into_iter().flatten());
    let none = || "-".to_owned();
    for outcome in &solved.outcomes {
        let real = outcome.real_time.as_ref();
        let link = outcome.link.as_ref();
        let share = |busy: f64| match outcome.modeled.is_zero() {
            true => none(),
            false => format!("{:.1}", 100.0 * busy / outcome.modeled.as_secs_f64()),
        };
        let cells = [
            Some(outcome.algorithm.to_string()),
            Some(solved.time_cell(outcome, unit)),
            Some(solved.bound.ratio(outcome.modeled).map_or_else(none, |ratio| format!("{ratio:.2}"))),
            Some(outcome.growth.iterations.to_string()),
            Some(outcome.messages.to_string()),
            Some(outcome.bytes.to_string()),
            Some(link.map_or_else(none, |link| link.link.to_string())),
            Some(link.map_or_else(none, |link| link.load.bytes.to_string())),
            Some(link.map_or_else(none, |link| share(link.load.busy.as_secs_f64()))),
            real.map(|real| real.verdict.to_string()),
            real.map(|real| format!("{:.2}", 100.0 * real.error)),
            Some(outcome.variant.clone()),
        ];
        table.row(cells.into_iter().flatten());
    }
    table
}

/// What no algorithm can beat, and which of the reasons for that decides: start-ups before bytes, and ports before
/// links.
fn bound_line(bound: &LowerBound, unit: Unit) -> String {
    let reasons = [
        ("start-up", bound.start_up),
        ("intake", bound.intake),
        ("both ways", bound.both_ways),
        ("bisection", bound.bisection),
        ("submesh", bound.submesh),
    ];
    figures::bound_line(bound.time(), &reasons, unit)
}

#[cfg(test)]
mod tests {
    use multicomputer::Span;

    use super::*;

    #[test]
    fn the_part_that_decides_is_named() {
        let part = Span::from_micros;
        let bound = LowerBound {
            start_up: part(1000),
            intake: part(2000),
            both_ways: part(2500),
            bisection: part(2500),
            submesh: part(100),
        };
        assert_eq!(
            bound_line(&bound, Unit::Millis),
            "Lower bound: 2.500 ms, decided by both ways (start-up 1.000, intake 2.000, both ways 2.500, \
             bisection 2.500, submesh 0.100)."
        );
    }

    #[test]
    fn on_one_node_nothing_decides() {
        let zero = Span::ZERO;
        let bound =
            LowerBound { start_up: zero, intake: zero, both_ways: zero, bisection: zero, submesh: zero };
        assert_eq!(bound_line(&bound, Unit::Millis), "Lower bound: 0 ms, as nothing has to be sent.");
    }
}
