//! The results of a study for people: a table of the columns that vary, and where the fastest algorithm changes.

use std::{collections::BTreeSet, fmt};

use multicomputer::Span;
use multicomputer_study::{Axis, Row, Study, Summary, repeats};

use super::super::{
    count::counted,
    table::{Align, Table},
    unit::Unit,
};

/// Maximum number of rows in the table.
const MAX_ROWS: usize = 100;

/// Maximum number of columns in the map of fastest algorithms.
const MAX_COLUMNS: usize = 16;

/// Columns that describe a case, in the order of a table.
const CASE: [&str; 31] = [
    "operation",
    "machine",
    "nodes",
    "rows",
    "columns",
    "ports",
    "placement",
    "alpha_us",
    "beta_ns_per_byte",
    "send_overhead_us",
    "receive_overhead_us",
    "exchange_overhead_us",
    "latency_us",
    "hop_us",
    "link_excess",
    "gamma_us",
    "rendezvous",
    "machine_hash",
    "noise",
    "faults",
    "root",
    "distribution",
    "sources",
    "fan_out",
    "skew",
    "bytes",
    "element",
    "effort",
    "clock",
    "seed",
    "algorithm",
];

/// Columns that follow from others where those vary: they are shown only if nothing else tells the machines apart.
const DERIVED: [&str; 5] = ["rows", "columns", "send_overhead_us", "receive_overhead_us", "machine_hash"];

/// The choice among all algorithms, which is not a winner itself.
const AUTO: &str = "auto";

/// The results of a study.
pub(super) struct Text<'a> {
    pub(super) study: &'a Study,
    pub(super) rows: &'a [Row],
}

/// A group of repeats with its cells.
struct Line {
    cells: Vec<(String, String)>,
    summary: Option<Summary>,
    ratio: Option<f64>,
    chosen: String,
    restriction: Option<String>,
}

impl Line {
    fn cell(&self, column: &str) -> &str {
        self.cells.iter().find(|(name, _)| name == column).map_or("", |(_, cell)| cell)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seeds = self.study.values(Axis::Seed).map_or(1, <[String]>::len);
        let repeats = repeats(self.rows, seeds);
        let lines: Vec<Line> = repeats
            .iter()
            .map(|(row, summary)| Line {
                cells: row.cells(),
                summary: *summary,
                ratio: summary
                    .zip(row.bound_us)
                    // No bound holds for wall-clock times.
                    .filter(|(_, bound)| *bound > 0.0 && row.ratio.is_some())
                    .map(|(summary, bound)| summary.mean / bound),
                chosen: row.chosen.clone().unwrap_or_default(),
                restriction: row.restriction.clone(),
            })
            .collect();
        let Some(first) = lines.first() else {
            return writeln!(f, "No row: no algorithm is for the operation.");
        };
        let varied = varied(&lines);
        let title = self.study.title.as_deref().map_or_else(String::new, |title| format!("{title}\n"));
        let common: Vec<String> = ["operation", "machine", "algorithm"]
            .iter()
            .filter(|column| !varied.contains(column))
            .map(|column| first.cell(column).to_owned())
            .collect();
        let times =
            lines.iter().filter_map(|line| line.summary).flat_map(|summary| [summary.mean, summary.min]);
        let unit = Unit::of(times.map(span));
        writeln!(f, "{title}{}; times in {}\n", common.join(", "), unit.name())?;
        write!(f, "{}", table(&lines, &varied, unit))?;
        if lines.len() > MAX_ROWS {
            writeln!(f, "... {}: --csv FILE writes all rows", counted(lines.len() - MAX_ROWS, "more row"))?;
        }
        if lines.iter().any(|line| line.summary.is_some_and(|summary| summary.repeats > 1)) {
            writeln!(f, "\nTimes over seeds; 95 % interval of the mean by bootstrap.")?;
        }
        self.winners(&lines, &varied, f)?;
        let restrictions: BTreeSet<&String> =
            lines.iter().filter_map(|line| line.restriction.as_ref()).collect();
        let incomplete = self.rows.iter().any(|row| row.complete == Some(false));
        if incomplete {
            writeln!(
                f,
                "\nThe search for the fastest plan stopped early in some cases: --effort thorough tries all candidates."
            )?;
        }
        for cause in restrictions.iter().take(10) {
            writeln!(f, "Skipped: {cause}.")?;
        }
        Ok(())
    }
}

/// The table of all lines, or of the first.
fn table(lines: &[Line], varied: &[&str], unit: Unit) -> Table {
    let has_repeats = lines.iter().any(|line| line.summary.is_some_and(|summary| summary.repeats > 1));
    let is_number = |column: &str| {
        lines.iter().all(|line| line.cell(column).parse::<f64>().is_ok() || line.cell(column).is_empty())
    };
    let mut titles: Vec<(&str, Align)> = varied
        .iter()
        .map(|&column| (column, if is_number(column) { Align::Right } else { Align::Left }))
        .collect();
    if !varied.contains(&"algorithm") {
        titles.push(("algorithm", Align::Left));
    }
    let of_times: &[&str] =
        if has_repeats { &["mean", "median", "min", "max", "95 % interval"] } else { &["time"] };
    titles.extend(of_times.iter().map(|&title| (title, Align::Right)));
    titles.extend([("/ bound", Align::Right), ("chosen", Align::Left)]);
    let columns: Vec<&str> = titles.iter().map(|(title, _)| *title).collect();
    let mut table = Table::new(titles.clone());
    for line in lines.iter().take(MAX_ROWS) {
        let time = |time: fn(&Summary) -> f64| {
            line.summary.as_ref().map_or("-".to_owned(), |summary| unit.cell(span(time(summary))))
        };
        table.row(columns.iter().map(|&column| match column {
            "time" | "mean" => time(|summary| summary.mean),
            "median" => time(|summary| summary.median),
            "min" => time(|summary| summary.min),
            "max" => time(|summary| summary.max),
            "95 % interval" => {
                format!("{} .. {}", time(|summary| summary.interval[0]), time(|summary| summary.interval[1]))
            }
            "/ bound" => line.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
            "chosen" if line.chosen == line.cell("algorithm") => String::new(),
            "chosen" => line.chosen.clone(),
            column => line.cell(column).to_owned(),
        }));
    }
    table
}

/// The columns of a case that differ between lines, without those that others imply.
fn varied(lines: &[Line]) -> Vec<&'static str> {
    // A line without times lacks the columns that follow from its machine or its problem.
    let differs = |column: &&str| {
        let mut cells = lines
            .iter()
            .filter(|line| line.restriction.is_none() || !line.cell(column).is_empty())
            .map(|line| line.cell(column));
        let first = cells.next();
        cells.any(|cell| Some(cell) != first)
    };
    let all: Vec<&str> = CASE.into_iter().filter(differs).collect();
    let has_machines = all.contains(&"machine");
    let has_parameters = all.iter().any(|column| {
        *column != "machine_hash"
            && (column.ends_with("_us") || column.ends_with("_per_byte") || *column == "link_excess")
    });
    let is_shown = |column: &&str| match *column {
        "send_overhead_us" | "receive_overhead_us" => !all.contains(&"alpha_us") && !has_machines,
        "machine_hash" => {
            !has_machines && !has_parameters && !all.contains(&"ports") && !all.contains(&"placement")
        }
        "alpha_us"
        | "beta_ns_per_byte"
        | "hop_us"
        | "link_excess"
        | "gamma_us"
        | "exchange_overhead_us"
        | "ports" => {
            // Machines with other names have other parameters.
            !has_machines
                || lines.iter().any(|line| {
                    lines.iter().any(|other| {
                        line.cell("machine") == other.cell("machine")
                            && line.cell(column) != other.cell(column)
                    })
                })
        }
        column => !DERIVED.contains(&column),
    };
    all.iter().copied().filter(is_shown).collect()
}

impl Text<'_> {
    /// Where the fastest algorithm changes: along the axis with the most values, as a map if two axes vary.
    fn winners(&self, lines: &[Line], varied: &[&str], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = varied.iter().copied().filter(|column| *column != "algorithm").collect();
        let algorithms: BTreeSet<&str> =
            lines.iter().map(|line| line.cell("algorithm")).filter(|name| *name != AUTO).collect();
        if algorithms.len() < 2 || keys.is_empty() {
            return Ok(());
        }
        let values = |column: &str| {
            let mut values: Vec<&str> = Vec::new();
            for line in lines {
                if !values.contains(&line.cell(column)) {
                    values.push(line.cell(column));
                }
            }
            values
        };
        let fastest = |at: &[(&str, &str)]| {
            let here = lines.iter().filter(|line| {
                line.cell("algorithm") != AUTO && at.iter().all(|(key, value)| line.cell(key) == *value)
            });
            let timed = here.filter_map(|line| Some((line.summary?.mean, line.cell("algorithm"))));
            timed.min_by(|one, other| one.0.total_cmp(&other.0)).map_or("-", |(_, name)| name)
        };
        let has_auto = lines.iter().any(|line| line.cell("algorithm") == AUTO);
        let without_auto = if has_auto { ", auto left out" } else { "" };
        let shown = |value: &str| if value.is_empty() { "none".to_owned() } else { value.to_owned() };
        match keys[..] {
            [key] => {
                writeln!(f, "\nFastest algorithm by {key}{without_auto}:")?;
                let mut runs: Vec<(&str, &str, &str)> = Vec::new();
                for value in values(key) {
                    let name = fastest(&[(key, value)]);
                    match runs.last_mut() {
                        Some((last, _, to)) if *last == name => *to = value,
                        _ => runs.push((name, value, value)),
                    }
                }
                runs.iter().try_for_each(|(name, from, to)| match from == to {
                    true => writeln!(f, "  {}: {name}", shown(from)),
                    false => writeln!(f, "  {} to {}: {name}", shown(from), shown(to)),
                })
            }
            [down, across] if values(across).len() <= MAX_COLUMNS => {
                writeln!(f, "\nFastest algorithm{without_auto}, {down} down and {across} across:")?;
                let titles = std::iter::once((down, Align::Right))
                    .chain(values(across).into_iter().map(|value| (value, Align::Left)));
                let mut table = Table::new(titles);
                for row in values(down) {
                    let cells =
                        values(across).into_iter().map(|column| fastest(&[(down, row), (across, column)]));
                    table.row(std::iter::once(row).chain(cells));
                }
                write!(f, "{table}")
            }
            _ => Ok(()),
        }
    }
}

/// A time of a row.
fn span(micros: f64) -> Span {
    Span::from_picos((micros * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_of_a_case_is_a_column_of_rows() {
        let columns = Row::columns();
        assert!(CASE.iter().all(|column| columns.iter().any(|known| known == column)));
    }
}
