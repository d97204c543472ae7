//! One problem with all that is known of it: where the sources are, how every algorithm does, and why.

use std::fmt;

use multicomputer::stop::picture;

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
        writeln!(f, "{}", figures::reasons_line(&solved.bound, results.unit()))?;
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
