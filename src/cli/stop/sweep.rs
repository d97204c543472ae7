//! Many problems: a table of modeled times.

use std::{collections::BTreeSet, fmt};

use multicomputer::stop::Algorithm;

use super::{
    super::{
        clock,
        table::{
            Align::{Left, Right},
            Table,
        },
        unit::Unit,
    },
    differences::Differences,
    outcome::Results,
};

/// With more algorithms than this a row for each problem would be too wide; then each run has a row of its own.
const WIDEST: usize = 8;

/// What is printed.
pub(super) struct Sweep<'a> {
    pub(super) results: &'a Results,
    pub(super) differences: Differences,
}

impl Sweep<'_> {
    /// The algorithms of all problems, in the order of the registry.
    fn algorithms(&self) -> Vec<Algorithm> {
        let outcomes = self.results.solved.iter().flat_map(|solved| &solved.outcomes);
        let run: BTreeSet<Algorithm> = outcomes.map(|outcome| outcome.algorithm).collect();
        Algorithm::all().filter(|algorithm| run.contains(algorithm)).collect()
    }

    /// A row for each problem, and a column for each algorithm.
    fn wide(&self, algorithms: &[Algorithm], unit: Unit) -> Table {
        // The star of the fastest stands behind its time.
        let names: Vec<String> = algorithms.iter().map(|algorithm| format!("{algorithm}  ")).collect();
        let names = names.iter().map(|name| (name.as_str(), Right));
        let mut table =
            Table::new(self.differences.titles().into_iter().chain(names).chain([("bound", Right)]));
        for solved in &self.results.solved {
            let mut cells = self.differences.cells(&solved.task);
            cells.extend(algorithms.iter().map(|&algorithm| {
                let outcome = solved.outcomes.iter().find(|outcome| outcome.algorithm == algorithm);
                outcome.map_or_else(|| "-  ".to_owned(), |outcome| solved.time_cell(outcome, unit))
            }));
            cells.push(unit.cell(solved.bound.time()));
            table.row(cells);
        }
        table
    }

    /// A row for each run.
    fn long(&self, unit: Unit) -> Table {
        let modeled = unit.title("modeled") + "  ";
        let columns = [
            ("algorithm", Left),
            (&modeled[..], Right),
            ("bound", Right),
            ("/ bound", Right),
            ("variant", Left),
        ];
        let mut table = Table::new(self.differences.titles().into_iter().chain(columns));
        for solved in &self.results.solved {
            for outcome in &solved.outcomes {
                let mut cells = self.differences.cells(&solved.task);
                let ratio = solved.bound.ratio(outcome.modeled);
                cells.extend([
                    outcome.algorithm.to_string(),
                    solved.time_cell(outcome, unit),
                    unit.cell(solved.bound.time()),
                    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
                    outcome.variant.clone(),
                ]);
                table.row(cells);
            }
        }
        table
    }
}

impl fmt::Display for Sweep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sweep { results, differences } = self;
        let Some(first) = results.solved.first() else { return Ok(()) };
        let mut parts = differences.common(&first.task);
        parts.push(format!("{} time", clock::name(results.clock)));
        let unit = results.unit();
        writeln!(f, "S-to-p broadcasting: {}; modeled times in {}\n", parts.join(", "), unit.name())?;
        let algorithms = self.algorithms();
        let table = if algorithms.len() > WIDEST { self.long(unit) } else { self.wide(&algorithms, unit) };
        writeln!(f, "{table}")?;
        results.notes().into_iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}
