//! The results of a study for people: a table with a column for each axis that varies, and notes.

use std::{collections::BTreeSet, fmt};

use multicomputer::{
    Span,
    units::{format_bytes, parse_bytes},
};
use multicomputer_study::{Layout, Row, Summary, repeats};

use super::{
    super::{
        count::counted,
        table::{Align, Table},
        unit::Unit,
    },
    fastest::Fastest,
    line::Line,
};

/// Maximum number of rows in the table.
const MAX_ROWS: usize = 100;

/// Maximum number of reasons why cases have no time.
const MAX_REASONS: usize = 10;

/// The results of a study.
pub(super) struct Text<'a> {
    pub(super) layout: &'a Layout,
    pub(super) rows: &'a [Row],
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seeds = self.layout.seeds;
        let line = |(row, summary): (_, _)| {
            let row: &Row = row;
            Line { row, case: row.case / seeds as u64, summary }
        };
        let lines: Vec<Line<'_>> = repeats(self.rows, seeds).into_iter().map(line).collect();
        let Some(first) = lines.first() else {
            return writeln!(f, "No row: no algorithm is for the operation.");
        };
        if let Some(title) = &self.layout.title {
            writeln!(f, "{title}")?;
        }
        let is_varied = |names: &[&str]| self.layout.axes.iter().any(|(axis, _)| names.contains(&&axis[..]));
        let times = lines.iter().filter_map(|line| line.summary);
        let unit = Unit::of(times.flat_map(|summary| [summary.mean, summary.min]).map(span));
        let mut common = vec![&first.row.operation[..], &first.row.machine];
        if is_varied(&["operation"]) {
            common.remove(0);
        }
        if is_varied(&["machine", "nodes", "shape"]) {
            common.pop();
        }
        let common = common.into_iter().map(str::to_owned).chain(fixed(self.layout));
        let common: String = common.map(|what| format!("{what}, ")).collect();
        write!(f, "{common}times in {}\n\n{}", unit.name(), self.table(&lines, unit))?;
        if lines.len() > MAX_ROWS {
            writeln!(f, "... {}: --csv FILE writes all rows", counted(lines.len() - MAX_ROWS, "more row"))?;
        }
        if seeds > 1 {
            writeln!(f, "\nTimes over {seeds} seeds; 95 % interval of the mean by bootstrap.")?;
        }
        if let Some(fastest) = Fastest::of(self.layout, &lines) {
            write!(f, "{fastest}")?;
        }
        if self.rows.iter().any(|row| row.complete == Some(false)) {
            writeln!(
                f,
                "\nThe search for the fastest plan stopped early in some cases: --effort thorough tries all candidates."
            )?;
        }
        let reasons: BTreeSet<&String> =
            self.rows.iter().filter_map(|row| row.restriction.as_ref()).collect();
        reasons.iter().take(MAX_REASONS).try_for_each(|reason| writeln!(f, "Skipped: {reason}."))
    }
}

impl Text<'_> {
    /// The table of the first lines: the values of the axes as they were written, and the times.
    fn table(&self, lines: &[Line<'_>], unit: Unit) -> Table {
        let has_seeds = self.layout.seeds > 1;
        let axes = self.layout.axes.iter().map(|(axis, _)| (&axis[..], Align::Right));
        let times: &[&str] =
            if has_seeds { &["mean", "median", "min", "max", "95 % interval"] } else { &["time"] };
        let times = times.iter().chain(&["/ bound"]).map(|&title| (title, Align::Right));
        let algorithm = [("algorithm", Align::Left)];
        let mut table = Table::new(axes.chain(algorithm).chain(times).chain([("chosen", Align::Left)]));
        for line in lines.iter().take(MAX_ROWS) {
            let values = self.layout.values(line.case).into_iter().map(|(_, value)| value.to_owned());
            let time = |time: fn(&Summary) -> f64| {
                line.summary.as_ref().map_or("-".to_owned(), |summary| unit.cell(span(time(summary))))
            };
            let mut times = vec![time(|summary| summary.mean)];
            if has_seeds {
                times.extend([
                    time(|summary| summary.median),
                    time(|summary| summary.min),
                    time(|summary| summary.max),
                ]);
                let ends = [time(|summary| summary.interval[0]), time(|summary| summary.interval[1])];
                times.push(ends.join(" .. "));
            }
            times.push(line.ratio().map_or("-".to_owned(), |ratio| format!("{ratio:.2}")));
            let chosen = line.row.chosen.clone().filter(|chosen| *chosen != line.row.algorithm);
            let cells = values.chain([line.row.algorithm.clone()]).chain(times);
            table.row(cells.chain([chosen.unwrap_or_default()]));
        }
        table
    }
}

/// The axes with one value, as it was written; a length in units of 1000 bytes is followed by its bytes.
fn fixed(layout: &Layout) -> impl Iterator<Item = String> + '_ {
    layout.fixed.iter().map(|(axis, value)| {
        let is_decimal = axis == "bytes" && value.ends_with('B') && !value.ends_with("iB");
        let bytes = parse_bytes(value).ok().filter(|_| is_decimal);
        let understood = bytes.map_or_else(String::new, |bytes| format!(" = {}", format_bytes(bytes)));
        format!("{axis} {value}{understood}")
    })
}

/// A time of a row, which is in microseconds.
fn span(micros: f64) -> Span {
    Span::from_picos((micros * 1e6).round() as u64)
}
