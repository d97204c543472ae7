//! Selection of table columns for the axes and lines of a chart.

use std::collections::{BTreeMap, BTreeSet};

use multicomputer::units::format_bytes;
use multicomputer_picture::{Axis, Chart, Crossover, Origin, PictureError};

use super::{
    super::count::counted,
    ChartOptions, PlotError,
    columns::{NAMES, X_COLUMNS},
    means::{Line, Lines, note},
    records::{KIND, Records},
    settings::{SETTINGS, follows, setting, title_columns},
};

/// Columns of times; the first one with a number is shown.
const TIMES: [&str; 4] = ["modeled_us", "run_us", "wall_us", "time_us"];

/// Name of the algorithm that chooses among all others, in all libraries.
const AUTO: &str = "auto";

/// Column of lengths.
const BYTES: &str = "bytes";

/// Name of the y axis for bytes over time.
const BANDWIDTH: &str = "bandwidth";

/// More lines than this are distributed over panels.
const MAX_LINES: usize = 10;

/// Maximum number of panels that are made without being asked for.
const MAX_PANELS: usize = 12;

/// The charts of a table: one, or a panel for each value of a column.
pub(super) struct Drawing {
    title: String,
    pub(super) charts: Vec<Chart>,
    /// Number of points that are means of several rows.
    pub(super) means: usize,
}

impl Drawing {
    /// Draws the charts as SVG.
    pub(super) fn to_svg(&self) -> Result<String, PictureError> {
        match &self.charts[..] {
            [chart] => chart.to_svg(),
            panels => Chart::panels(&self.title, panels),
        }
    }

    /// Returns a sentence for each crossover.
    pub(super) fn crossovers(&self) -> Vec<String> {
        let of = |chart: &Chart| {
            let panel = if self.charts.len() > 1 { format!("{}: ", chart.title) } else { String::new() };
            let sentence = |mark: &Crossover| {
                let from = chart.x.shown(mark.at[0]);
                format!("{panel}from {from} on, {} is lower than {}.", mark.to, mark.from)
            };
            chart.marks.iter().map(sentence).collect::<Vec<_>>()
        };
        self.charts.iter().flat_map(of).collect()
    }
}

/// Returns the charts of a table.
pub(super) fn drawing(records: &Records, options: &ChartOptions) -> Result<Drawing, PlotError> {
    let y = y_axis(records, options)?;
    let unusable = records.rows().iter().zip(1..).find(|(row, _)| {
        !records.cell(row, &y.column).is_empty() && records.number(row, &y.column).is_none()
    });
    if let Some((row, nth)) = unusable {
        let (column, given) = (y.column.clone(), records.cell(row, &y.column).to_owned());
        return Err(PlotError::NoNumber { row: nth, column, given });
    }
    let records = &records.clone().filtered(|records, row| y.of(records, row).is_some());
    if records.rows().is_empty() {
        return Err(PlotError::Empty { column: y.column });
    }
    let x = x_column(records, options, &y)?;
    let by = line_columns(records, options, &x, &y)?;
    let panels = panel_column(records, options, &x, &by)?;
    let title = title(records, options, &x, &by);
    let by: Vec<String> = by.into_iter().filter(|column| Some(column) != panels.as_ref()).collect();
    let plot = Plot::new(records, x, y, by);
    let parts = match &panels {
        None => vec![(title.clone(), records.clone())],
        Some(column) => parts(records, column),
    };
    let lines: Vec<(Lines<'_>, Lines<'_>)> = parts.iter().map(|(_, part)| plot.lines(part)).collect();
    let [x_axis, y_axis] = plot.axes(records, &lines);
    let means = lines.iter().map(|(lines, _)| lines.means).sum();
    let chart = |(title, part): &(String, Records)| {
        plot.chart(part, Chart::new(title.as_str(), x_axis.clone(), y_axis.clone()), panels.is_none())
    };
    Ok(Drawing { title, charts: parts.iter().map(chart).collect(), means })
}

/// Returns the column whose values have a panel each: the given one; without one, for many lines, the first column that distinguishes lines in
/// addition to the algorithm.
fn panel_column(
    records: &Records,
    options: &ChartOptions,
    x: &str,
    by: &[String],
) -> Result<Option<String>, PlotError> {
    match options.panels.as_deref() {
        Some("none") => return Ok(None),
        Some(column) => return known(records, column).map(Some),
        None if x.is_empty() => return Ok(None),
        None => {}
    }
    let lines: BTreeSet<Vec<&str>> = records
        .rows()
        .iter()
        .map(|row| by.iter().map(|column| records.cell(row, column)).collect())
        .collect();
    let is_panel = |column: &&String| {
        !["algorithm", "interval"].contains(&column.as_str())
            && (2..=MAX_PANELS).contains(&records.variety(column))
    };
    Ok(by.iter().find(is_panel).filter(|_| lines.len() > MAX_LINES).cloned())
}

/// Returns the rows of each value of a column, in the order of the table, with the value as a title.
fn parts(records: &Records, column: &str) -> Vec<(String, Records)> {
    let mut values: Vec<&str> = Vec::new();
    for row in records.rows() {
        let value = records.cell(row, column);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let part = |value: &&str| {
        let part = records.clone().filtered(|records, row| records.cell(row, column) == *value);
        let title = part.rows().first().map_or_else(String::new, |row| label(&part, row, column));
        (if title.is_empty() { format!("no {}", column.replace('_', " ")) } else { title }, part)
    };
    values.iter().map(part).collect()
}

/// The axes and the keys of the lines, for all panels.
struct Plot {
    /// The column of the x axis; empty if the names of the lines are the x axis.
    x: String,
    y: YAxis,
    /// Divisor of the numbers on the y axis, and the unit after division.
    unit: (f64, &'static str),
    by: Vec<String>,
    /// The columns that distinguish problems.
    others: Vec<String>,
    /// The names on the x axis, if it is not one of numbers.
    names: Option<Vec<String>>,
}

impl Plot {
    fn new(records: &Records, x: String, y: YAxis, by: Vec<String>) -> Plot {
        let others = by.iter().filter(|key| *key != "algorithm" && *key != "interval").cloned().collect();
        let unit = y.unit(records);
        let mut plot = Plot { x, y, unit, by, others, names: None };
        let has_names =
            plot.x.is_empty() || records.rows().iter().any(|row| records.number(row, &plot.x).is_none());
        if has_names {
            let mut names: Vec<(String, f64)> = Vec::new();
            for row in records.rows() {
                let name = plot.text(records, row);
                if !names.iter().any(|(known, _)| *known == name) {
                    names.push((name, plot.y.of(records, row).unwrap_or(0.0)));
                }
            }
            // Bars of lines are sorted; the values of a column keep their order.
            if plot.x.is_empty() {
                names.sort_by(|one, other| one.1.total_cmp(&other.1));
            }
            plot.names = Some(names.into_iter().map(|(name, _)| name).collect());
        }
        plot
    }

    /// The columns that distinguish lines: none if every line is a bar.
    fn keys(&self) -> &[String] {
        if self.x.is_empty() { &[] } else { &self.by }
    }

    /// The name of the row on an x axis of names.
    fn text(&self, records: &Records, row: &[String]) -> String {
        if self.x.is_empty() { name(records, row, &self.by) } else { label(records, row, &self.x) }
    }

    fn place(&self, records: &Records, row: &[String]) -> Option<f64> {
        match &self.names {
            None => records.number(row, &self.x),
            Some(names) => {
                let text = self.text(records, row);
                names.iter().position(|name| *name == text).map(|place| place as f64)
            }
        }
    }

    /// The lines, and the lower bounds.
    fn lines<'a>(&self, records: &'a Records) -> (Lines<'a>, Lines<'a>) {
        let scale = self.unit.0;
        let bound = |row: &[String]| records.number(row, "bound_us").filter(|_| self.y.is_time());
        let lines = Lines::of(records, self.keys(), |row| {
            Some([self.place(records, row)?, self.y.of(records, row)? / scale])
        });
        let bounds =
            Lines::of(records, &self.others, |row| Some([self.place(records, row)?, bound(row)? / scale]));
        (lines, bounds)
    }

    /// The axes for the lines and the bounds of all panels.
    fn axes(&self, records: &Records, panels: &[(Lines<'_>, Lines<'_>)]) -> [Axis; 2] {
        let numbers = |axis: usize| panels.iter().flat_map(move |(lines, _)| lines.numbers(axis));
        let bounds = panels.iter().flat_map(|(_, bounds)| bounds.numbers(1));
        let x = match &self.names {
            Some(names) if self.x.is_empty() => {
                // Every name stands for a line.
                let with_note = |shown: &String| {
                    let rows = records.rows().iter().filter(|row| name(records, row, &self.by) == *shown);
                    let rows: Vec<(f64, &[String])> =
                        rows.filter_map(|row| Some((self.y.of(records, row)?, &row[..]))).collect();
                    format!("{shown}{}", note(records, &[rows]).text)
                };
                Axis::names("", names.iter().map(with_note))
            }
            Some(names) => Axis::names(self.x.as_str(), names.iter().cloned()),
            None => {
                let known = X_COLUMNS.into_iter().find(|(column, ..)| *column == self.x);
                let (_, name, unit) = known.unwrap_or((&self.x, &self.x, ""));
                axis(name, unit, numbers(0), if unit == "bytes" { 4.0 } else { 16.0 })
            }
        };
        let y = match self.names {
            Some(_) => Axis::linear(self.y.title(), self.unit.1),
            None => axis(&self.y.title(), self.unit.1, numbers(1).chain(bounds), 20.0),
        };
        [x, y]
    }

    /// Fills in the lines of a chart, which has its title and axes. Equal lines are drawn once if `has_merged` is true.
    fn chart(&self, records: &Records, mut chart: Chart, has_merged: bool) -> Chart {
        let (lines, bounds) = self.lines(records);
        for line in bounds.lines {
            let name = ["bound", &name(records, line.row, &self.others)].join(" ").trim_end().to_owned();
            chart.add(name + &line.note, Origin::Bound, line.points);
        }
        if self.y.is_time() {
            chart.marks =
                crossovers(records, &self.others, &chart, &lines, |row| name(records, row, self.keys()));
        }
        let mut drawn: Vec<(String, Line<'_>)> = Vec::new();
        for line in lines.lines {
            let name = match self.keys() {
                [] => self.y.title(),
                keys => name(records, line.row, keys) + &line.note,
            };
            let is_equal = |(_, other): &&mut (String, Line<'_>)| {
                other.points == line.points && other.intervals == line.intervals
            };
            match drawn.iter_mut().find(is_equal).filter(|_| has_merged && self.names.is_none()) {
                Some((names, _)) => *names += &format!(" = {name}"),
                None => drawn.push((name, line)),
            }
        }
        for (name, line) in drawn {
            if line.intervals.is_empty() {
                chart.add(name, Origin::Modeled, line.points);
            } else {
                let points = line.points.iter().zip(&line.intervals);
                chart.add_with_intervals(name, points.map(|(&[x, y], &[low, high])| [x, y, low, high]));
            }
        }
        chart
    }
}

/// Returns the name of a line: its cells in the columns `keys`.
fn name(records: &Records, row: &[String], keys: &[String]) -> String {
    let texts = keys.iter().filter(|key| *key != "interval").map(|key| label(records, row, key));
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Returns the crossovers where another algorithm becomes the fastest, among lines that differ in the algorithm only.
/// *Auto* is excluded, because it chooses the fastest itself.
fn crossovers(
    records: &Records,
    others: &[String],
    axes: &Chart,
    lines: &Lines<'_>,
    name: impl Fn(&[String]) -> String,
) -> Vec<Crossover> {
    let mut groups: BTreeMap<Vec<&str>, Chart> = BTreeMap::new();
    for line in &lines.lines {
        if records.cell(line.row, "algorithm") != AUTO {
            let key = others.iter().map(|column| records.cell(line.row, column)).collect();
            let empty = || Chart::new("", axes.x.clone(), axes.y.clone());
            let group = groups.entry(key).or_insert_with(empty);
            group.add(name(line.row), Origin::Modeled, line.points.iter().copied());
        }
    }
    groups.values().flat_map(Chart::crossovers).collect()
}

/// Returns an axis of numbers: logarithmic if all numbers are positive and the ratio of their maximum to their minimum
/// is at least `factor`.
fn axis(name: &str, unit: &str, numbers: impl Iterator<Item = f64>, factor: f64) -> Axis {
    let (least, most) =
        numbers.fold((f64::INFINITY, 0.0_f64), |(least, most), number| (least.min(number), most.max(number)));
    if least > 0.0 && most >= factor * least {
        Axis::logarithmic(name, unit)
    } else {
        Axis::linear(name, unit)
    }
}

/// Quantity on the y axis.
struct YAxis {
    column: String,
    /// Whether it is bytes over the time of the column.
    is_bandwidth: bool,
}

fn y_axis(records: &Records, options: &ChartOptions) -> Result<YAxis, PlotError> {
    let has_numbers = |column: &str| records.rows().iter().any(|row| records.number(row, column).is_some());
    let time = || TIMES.into_iter().find(|column| has_numbers(column)).map(str::to_owned);
    let no_time = || PlotError::NoTime { header: records.header().join(", ") };
    match options.y.as_deref() {
        None => Ok(YAxis { column: time().ok_or_else(no_time)?, is_bandwidth: false }),
        Some(BANDWIDTH) => {
            if !has_numbers(BYTES) {
                return Err(PlotError::NoBytes { header: records.header().join(", ") });
            }
            Ok(YAxis { column: time().ok_or_else(no_time)?, is_bandwidth: true })
        }
        Some(column) => Ok(YAxis { column: known(records, column)?, is_bandwidth: false }),
    }
}

/// Returns `column`, or an error if the table does not have it.
fn known(records: &Records, column: &str) -> Result<String, PlotError> {
    match records.has(column) {
        true => Ok(column.to_owned()),
        false => Err(PlotError::NoColumn { given: column.to_owned(), header: records.header().to_vec() }),
    }
}

impl YAxis {
    fn is_time(&self) -> bool {
        !self.is_bandwidth && self.column.ends_with("_us")
    }

    fn of(&self, records: &Records, row: &[String]) -> Option<f64> {
        let number = records.number(row, &self.column)?;
        if !self.is_bandwidth {
            return Some(number);
        }
        // The length of each source's message in an s-to-p broadcast. Bytes over microseconds are MB/s.
        let sources = records.number(row, "sources").unwrap_or(1.0);
        (number > 0.0).then_some(sources * records.number(row, BYTES)? / number)
    }

    fn title(&self) -> String {
        match &self.column[..] {
            _ if self.is_bandwidth => BANDWIDTH.to_owned(),
            "wall_us" => "wall time".to_owned(),
            _ if self.is_time() => "time".to_owned(),
            column => column.replace('_', " "),
        }
    }

    /// Returns the divisor of numbers, and the unit after division.
    fn unit(&self, records: &Records) -> (f64, &'static str) {
        if self.is_bandwidth {
            return (1.0, "MB/s");
        }
        if !self.is_time() {
            return (1.0, "");
        }
        let most = records.rows().iter().filter_map(|row| self.of(records, row)).fold(0.0, f64::max);
        match most {
            1e6.. => (1e6, "s"),
            1e3.. => (1e3, "ms"),
            _ => (1.0, "us"),
        }
    }
}

/// Returns the x column; empty if rows differ in the algorithm only.
fn x_column(records: &Records, options: &ChartOptions, y: &YAxis) -> Result<String, PlotError> {
    if let Some(column) = &options.x {
        return known(records, column);
    }
    let varieties = X_COLUMNS.into_iter().map(|(column, ..)| (column, records.variety(column)));
    // The first of several columns with the most distinct values.
    let (column, variety) = varieties.rev().max_by_key(|(_, variety)| *variety).unwrap_or_default();
    let is_number = |column: &str| records.rows().iter().all(|row| records.number(row, column).is_some());
    // Machines of one kind with the same number of nodes that no other column distinguishes must not share a point.
    let is_ambiguous = ["nodes", "size"].contains(&column) && {
        let settings = SETTINGS.into_iter().map(|(column, ..)| column);
        let settings = settings.filter(|column| !["topology", "machine", "machine_hash"].contains(column));
        !follows(records, "machine", &[column, KIND].into_iter().chain(settings).collect::<Vec<_>>())
    };
    if is_ambiguous {
        return Ok("machine".to_owned());
    }
    if variety > 1 && is_number(column) {
        return Ok(column.to_owned());
    }
    // A table of another program: the first column of numbers that varies.
    if X_COLUMNS.iter().all(|(column, ..)| !records.has(column)) {
        let varies =
            |column: &&String| **column != y.column && is_number(column) && records.variety(column) > 1;
        if let Some(column) = records.header().iter().find(varies) {
            return Ok(column.clone());
        }
    }
    let names = NAMES.into_iter().filter(|column| !["clock", KIND].contains(column));
    let name = names.into_iter().find(|column| records.variety(column) > 1);
    Ok(name.unwrap_or_default().to_owned())
}

/// Returns the columns that distinguish lines.
fn line_columns(
    records: &Records,
    options: &ChartOptions,
    x: &str,
    y: &YAxis,
) -> Result<Vec<String>, PlotError> {
    if let Some(by) = &options.by {
        return by.iter().map(|column| known(records, column)).collect();
    }
    // Settings are looked at below: they may follow from the machine.
    let numbers = X_COLUMNS.into_iter().map(|(column, ..)| column).filter(|column| setting(column).is_none());
    // Excludes columns that depend on x, and the clock if the time does not depend on it.
    let is_shown = |column: &str| match column {
        _ if column == x => false,
        KIND => ["nodes", "size"].contains(&x),
        "machine" | "nodes" | "size" => !["machine", "nodes", "size"].contains(&x),
        "clock" => y.column != "modeled_us",
        _ => true,
    };
    let varied =
        NAMES.into_iter().chain(numbers).filter(|column| is_shown(column) && records.variety(column) > 1);
    let machine = |column: &str| ["nodes", "size"].contains(&column) && records.variety("machine") > 1;
    let varied = varied.filter(|column| !machine(column));
    let algorithm = records.has("algorithm").then_some("algorithm");
    let mut by: Vec<String> = algorithm.into_iter().chain(varied).map(str::to_owned).collect();
    // If x distinguishes machines, their parameters depend on x; otherwise, they distinguish lines.
    let is_x_of_machines = ["machine", "nodes", "size"].contains(&x) || setting(x).is_some();
    for (column, ..) in SETTINGS {
        let place = is_x_of_machines.then(|| x.to_owned());
        let known: Vec<&str> = by.iter().chain(&place).map(String::as_str).collect();
        if !known.contains(&column) && !follows(records, column, &known) {
            by.push(column.to_owned());
        }
    }
    Ok(by)
}

/// Formats a cell for a legend: a number with its name.
pub(super) fn label(records: &Records, row: &[String], column: &str) -> String {
    let text = records.cell(row, column);
    match (setting(column), X_COLUMNS.into_iter().find(|(name, ..)| *name == column)) {
        _ if text.is_empty() => String::new(),
        _ if column == "ports" => counted(text.parse().unwrap_or(0_usize), "port"),
        (Some((_, before, after)), _) => match records.number(row, column) {
            // Shows 1.000000 as 1.
            Some(number) if column == "alpha_us" => format!("{before}{number}{after}"),
            _ => format!("{before}{text}{after}"),
        },
        (None, Some((.., "bytes"))) => text.parse().map_or_else(|_| text.to_owned(), format_bytes),
        (None, Some((_, name, unit))) => format!("{text} {}", if unit.is_empty() { name } else { unit }),
        (None, None) => text.to_owned(),
    }
}

/// Returns the title: the given one, or the cells that are the same in all rows.
fn title(records: &Records, options: &ChartOptions, x: &str, by: &[String]) -> String {
    if let Some(title) = &options.title {
        return title.clone();
    }
    let columns = ["operation", "name", "machine", "distribution", "sources", "bytes", "algorithm"];
    let is_same = |column: &&str| records.has(column) && records.variety(column) == 1;
    let is_shown =
        |column: &&str| *column != x && (*column == "algorithm" || !by.iter().any(|other| other == column));
    let first = records.rows().first().map(Vec::as_slice).unwrap_or_default();
    let texts = columns.iter().filter(|column| is_same(column) && is_shown(column));
    let texts = texts.map(|column| label(records, first, column)).filter(|text| !text.is_empty());
    let settings = title_columns(records).into_iter().filter(|column| is_same(column) && is_shown(column));
    let texts: Vec<String> = texts.chain(settings.map(|column| label(records, first, column))).collect();
    if texts.is_empty() { "Plot".to_owned() } else { texts.join(", ") }
}
