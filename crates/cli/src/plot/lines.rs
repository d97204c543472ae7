//! Selection of table columns for the axes and lines of a chart.

use std::collections::BTreeMap;

use multicomputer_picture::{Axis, Chart, Crossover, Origin};

use super::{
    super::count::counted,
    ChartOptions, PlotError,
    columns::{NAMES, X_COLUMNS},
    means::{Lines, note},
    records::Records,
    settings::{SETTINGS, follows, setting, title_columns},
};

/// Columns of times; the first one with a number is shown.
const TIMES: [&str; 4] = ["modeled_us", "run_us", "wall_us", "time_us"];

/// Name of the algorithm that chooses among all others, in all libraries.
const AUTO: &str = "auto";

/// Name of the y axis for bytes over time.
const BANDWIDTH: &str = "bandwidth";

/// Returns the chart of a table, and the number of points that are means of several rows.
pub(super) fn chart(records: &Records, options: &ChartOptions) -> Result<(Chart, usize), PlotError> {
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
    let name = |row: &[String], keys: &[String]| {
        let texts = keys.iter().filter(|key| *key != "interval").map(|key| label(records, row, key));
        let texts = texts.filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join(", ")
    };
    let (scale, unit) = y.unit(records);
    let is_name = |column: &str| records.rows().iter().any(|row| records.number(row, column).is_none());
    let text = |row: &[String]| if x.is_empty() { name(row, &by) } else { label(records, row, &x) };
    let names = (x.is_empty() || is_name(&x)).then(|| {
        let mut names: Vec<String> = Vec::new();
        for row in records.rows() {
            let text = text(row);
            if !names.contains(&text) {
                names.push(text);
            }
        }
        names
    });
    let place = |row: &[String]| match &names {
        None => records.number(row, &x),
        Some(names) => names.iter().position(|name| *name == text(row)).map(|place| place as f64),
    };

    // Without an x column, every name has its own place.
    let keys: &[String] = if x.is_empty() { &[] } else { &by };
    let lines = Lines::of(records, keys, |row| Some([place(row)?, y.of(records, row)? / scale]));
    let others: Vec<String> =
        by.iter().filter(|key| *key != "algorithm" && *key != "interval").cloned().collect();
    let bound = |row: &[String]| records.number(row, "bound_us").filter(|_| y.is_time());
    let bounds = Lines::of(records, &others, |row| Some([place(row)?, bound(row)? / scale]));

    let x_axis = match &names {
        Some(names) if x.is_empty() => {
            // Every name stands for a line.
            let with_note = |shown: &String| {
                let rows = records.rows().iter().filter(|row| name(row, &by) == *shown);
                let rows: Vec<(f64, &[String])> =
                    rows.filter_map(|row| Some((y.of(records, row)?, &row[..]))).collect();
                format!("{shown}{}", note(records, &[rows]))
            };
            Axis::names("", names.iter().map(with_note))
        }
        Some(names) => Axis::names(x.as_str(), names.iter().cloned()),
        None => {
            let (_, name, unit) =
                X_COLUMNS.into_iter().find(|(column, ..)| *column == x).unwrap_or((&x, &x, ""));
            axis(name, unit, lines.numbers(0), if unit == "bytes" { 4.0 } else { 16.0 })
        }
    };
    let y_axis = match names {
        Some(_) => Axis::linear(y.title(), unit),
        None => axis(&y.title(), unit, lines.numbers(1).chain(bounds.numbers(1)), 20.0),
    };
    let mut chart = Chart::new(title(records, options, &x, &by), x_axis, y_axis);
    for line in bounds.lines {
        let name = ["bound", &name(line.row, &others)].join(" ").trim_end().to_owned();
        chart.add(name + &line.note, Origin::Bound, line.points);
    }
    let marks = if y.is_time() {
        crossovers(records, &others, &chart, &lines, |row| name(row, keys))
    } else {
        Vec::new()
    };
    let means = lines.means;
    for line in lines.lines {
        let name = if keys.is_empty() { y.title() } else { name(line.row, keys) + &line.note };
        chart.add(name, Origin::Modeled, line.points);
    }
    chart.marks = marks;
    Ok((chart, means))
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
    /// Column of bytes, for a bandwidth.
    bytes: Option<String>,
}

fn y_axis(records: &Records, options: &ChartOptions) -> Result<YAxis, PlotError> {
    let has_numbers = |column: &str| records.rows().iter().any(|row| records.number(row, column).is_some());
    let time = || TIMES.into_iter().find(|column| has_numbers(column)).map(str::to_owned);
    let no_time = || PlotError::NoTime { header: records.header().join(", ") };
    match options.y.as_deref() {
        None => Ok(YAxis { column: time().ok_or_else(no_time)?, bytes: None }),
        Some(BANDWIDTH) => {
            let bytes = ["t", "bytes"].into_iter().find(|column| has_numbers(column));
            let bytes = bytes.ok_or_else(|| PlotError::NoBytes { header: records.header().join(", ") })?;
            Ok(YAxis { column: time().ok_or_else(no_time)?, bytes: Some(bytes.to_owned()) })
        }
        Some(column) => Ok(YAxis { column: known(records, column)?, bytes: None }),
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
        self.bytes.is_none() && self.column.ends_with("_us")
    }

    fn of(&self, records: &Records, row: &[String]) -> Option<f64> {
        let number = records.number(row, &self.column)?;
        match &self.bytes {
            None => Some(number),
            // `bytes` is the length of each source's message in an s-to-p broadcast. Bytes over microseconds are MB/s.
            Some(bytes) => {
                let sources = records.number(row, "sources").filter(|_| bytes == "bytes").unwrap_or(1.0);
                (number > 0.0).then_some(sources * records.number(row, bytes)? / number)
            }
        }
    }

    fn title(&self) -> String {
        match &self.bytes {
            Some(_) => BANDWIDTH.to_owned(),
            None if self.column == "wall_us" => "wall time".to_owned(),
            None if self.is_time() => "time".to_owned(),
            None => self.column.replace('_', " "),
        }
    }

    /// Returns the divisor of numbers, and the unit after division.
    fn unit(&self, records: &Records) -> (f64, &'static str) {
        if self.bytes.is_some() {
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
    // Machines with the same number of nodes that no other column distinguishes must not share a point.
    let is_ambiguous = ["nodes", "size"].contains(&column) && {
        let settings = SETTINGS.into_iter().map(|(column, ..)| column);
        let settings = settings.filter(|column| !["topology", "machine", "machine_hash"].contains(column));
        !follows(records, "machine", &[column].into_iter().chain(settings).collect::<Vec<_>>())
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
    let names = NAMES.into_iter().filter(|column| *column != "clock");
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
    let numbers = X_COLUMNS.into_iter().map(|(column, ..)| column);
    // Excludes columns that depend on x, and the clock if the time does not depend on it.
    let is_shown = |column: &str| match column {
        _ if column == x => false,
        "t" | "bytes" => !["t", "bytes"].contains(&x),
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
    match X_COLUMNS.into_iter().find(|(name, ..)| *name == column) {
        _ if text.is_empty() => String::new(),
        _ if column == "ports" => counted(text.parse().unwrap_or(0_usize), "port"),
        Some((_, _, unit)) if !unit.is_empty() => format!("{text} {unit}"),
        Some((_, name, _)) => format!("{text} {name}"),
        None => match setting(column) {
            // Shows 1.000000 as 1.
            Some((_, before, after)) => match records.number(row, column) {
                Some(number) if column == "alpha_us" => format!("{before}{number}{after}"),
                _ => format!("{before}{text}{after}"),
            },
            None => text.to_owned(),
        },
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
