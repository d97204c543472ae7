//! Many lengths: a table of modeled times, and what is fastest for each.

use std::fmt;

use super::{
    super::{
        figures::decides,
        table::{
            Align::{Left, Right},
            Table,
        },
        unit::Unit,
    },
    outcome::{Results, Solved},
};

/// What is printed.
pub(super) struct Sweep<'a> {
    pub(super) results: &'a Results,
    /// All of one operation, with the same algorithms; at least one.
    pub(super) solved: &'a [Solved],
}

impl Sweep<'_> {
    /// A row for each length, and a column for each algorithm.
    fn times(&self, unit: Unit) -> Table {
        let algorithms = self.solved.iter().take(1).flat_map(|solved| &solved.lines);
        // The star of the fastest stands behind its time.
        let names: Vec<String> = algorithms.map(|line| format!("{}  ", line.algorithm)).collect();
        let names = names.iter().map(|name| (name.as_str(), Right));
        let mut table = Table::new([("bytes", Right)].into_iter().chain(names));
        for solved in self.solved {
            let times = solved.lines.iter().map(|line| solved.time_cell(line, unit));
            table.row([solved.task.task.bytes().to_string()].into_iter().chain(times));
        }
        table
    }

    /// A row for each length, with what is fastest.
    fn choices(&self, unit: Unit) -> Table {
        let fastest = unit.title("fastest");
        let mut table = Table::new([
            ("bytes", Right),
            (&fastest[..], Right),
            ("bound", Right),
            ("/ bound", Right),
            ("decided by", Left),
            ("algorithm", Left),
            ("chosen", Left),
        ]);
        for solved in self.solved {
            let Some((line, figures)) = solved.fastest() else { continue };
            table.row([
                solved.task.task.bytes().to_string(),
                unit.cell(figures.predicted),
                unit.cell(solved.bound.time()),
                solved.ratio_cell(figures.predicted),
                decides(&solved.bound).to_owned(),
                line.algorithm.clone(),
                figures.chosen.clone(),
            ]);
        }
        table
    }

    /// Which algorithms do not work, how often and why.
    fn left_out(&self) -> Vec<String> {
        let causes = || {
            let lines = self.solved.iter().flat_map(|solved| &solved.lines);
            lines.filter_map(|line| line.figures.as_ref().err())
        };
        let mut notes = Vec::new();
        for (index, cause) in causes().enumerate() {
            if causes().take(index).any(|earlier| earlier == cause) {
                continue;
            }
            let times = causes().filter(|other| *other == cause).count();
            notes.push(match self.solved.len() {
                lengths if lengths == times => format!("Left out: {cause}."),
                lengths => format!("Left out for {times} of {lengths} lengths: {cause}."),
            });
        }
        notes
    }
}

impl fmt::Display for Sweep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.solved.first() else { return Ok(()) };
        let unit = Unit::of(self.solved.iter().flat_map(Solved::times));
        let (operation, place) = (first.task.task.operation(), first.task.place());
        writeln!(f, "Collective communication: {operation}, {place}; modeled times in {}\n", unit.name())?;
        writeln!(f, "{}\n{}", self.times(unit), self.choices(unit))?;
        writeln!(f, "* is the fastest, to the {}.", unit.precision())?;
        let notes = self.results.notes(self.solved).into_iter().chain(self.left_out());
        notes.into_iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}
