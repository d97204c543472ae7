//! Many amounts of traffic: a table of modeled times as in figures 9 and 10 of the paper, and what is fastest for each.

use std::fmt;

use multicomputer::units::format_bytes;

use super::{
    super::{
        figures,
        table::{
            Align::{Left, Right},
            Table,
        },
        unit::Unit,
    },
    outcome::{Line, Results, Solved},
};

/// What is printed.
pub(super) struct Sweep<'a> {
    /// All with the same algorithms; at least one.
    pub(super) results: &'a Results,
}

/// The traffic as rows are called.
fn traffic(solved: &Solved) -> String {
    format_bytes(solved.task.figures.traffic())
}

impl Sweep<'_> {
    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.results.solved.iter().take(1).flat_map(|solved| &solved.lines)
    }

    /// A row for each traffic, and a column for each algorithm.
    fn times(&self, unit: Unit) -> Table {
        // The star of the fastest stands behind its time.
        let names: Vec<String> = self.lines().map(|line| format!("{}  ", line.algorithm)).collect();
        let names = names.iter().map(|name| (name.as_str(), Right));
        let mut table = Table::new([("traffic", Right)].into_iter().chain(names));
        for solved in &self.results.solved {
            let times = solved.lines.iter().map(|line| solved.time_cell(line, unit));
            table.row([traffic(solved)].into_iter().chain(times));
        }
        table
    }

    /// The least and most times of algorithms that choose at random, if several seeds were tried.
    fn spread(&self, unit: Unit) -> Option<Table> {
        let random: Vec<usize> = self
            .lines()
            .enumerate()
            .filter_map(|(index, line)| line.algorithm.seed().map(|_| index))
            .collect();
        if random.is_empty() || self.results.seeds == 1 {
            return None;
        }
        let names: Vec<&str> = self
            .lines()
            .filter(|line| line.algorithm.seed().is_some())
            .map(|line| line.algorithm.name())
            .collect();
        let names = names.into_iter().map(|name| (name, Right));
        let mut table = Table::new([("traffic", Right)].into_iter().chain(names));
        for solved in &self.results.solved {
            let range = |&index: &usize| match solved.lines[index].times() {
                Some(times) => format!("{} to {}", unit.cell(times.least), unit.cell(times.most)),
                None => "-".to_owned(),
            };
            table.row([traffic(solved)].into_iter().chain(random.iter().map(range)));
        }
        Some(table)
    }

    /// A row for each traffic, with what is fastest.
    fn choices(&self, unit: Unit) -> Table {
        let fastest = unit.title("fastest");
        let mut table = Table::new([
            ("traffic", Right),
            (&fastest[..], Right),
            ("bound", Right),
            ("/ bound", Right),
            ("decided by", Left),
            ("algorithm", Left),
            ("chosen", Left),
        ]);
        for solved in &self.results.solved {
            let Some((line, mean)) = solved.fastest() else { continue };
            table.row([
                traffic(solved),
                unit.cell(mean),
                unit.cell(solved.bound.time()),
                solved.ratio_cell(mean),
                figures::decides(&solved.bound).to_owned(),
                line.algorithm.to_string(),
                line.attempts().first().map_or_else(String::new, |attempt| attempt.chosen.clone()),
            ]);
        }
        table
    }
}

impl fmt::Display for Sweep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.results.solved.first() else { return Ok(()) };
        let machine = first.task.instance.machine().name();
        let generated = first.task.generated.as_ref().map_or_else(String::new, |generated| {
            let (fan_out, nonuniformity) = (generated.fan_out, &generated.nonuniformity);
            format!(", fan-out {fan_out}, non-uniformity {nonuniformity}, seed {}", generated.seed)
        });
        let unit = Unit::of(self.results.solved.iter().flat_map(Solved::times));
        let name = unit.name();
        writeln!(f, "Many-to-many communication: {machine}{generated}; modeled times in {name}\n")?;
        writeln!(f, "{}", self.times(unit))?;
        if let Some(spread) = self.spread(unit) {
            writeln!(
                f,
                "Least and most of {} seeds, whose means are above:\n\n{spread}",
                self.results.seeds
            )?;
        }
        writeln!(f, "{}", self.choices(unit))?;
        writeln!(f, "* is the fastest, to the {}.", unit.precision())?;
        self.results.notes().into_iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}
