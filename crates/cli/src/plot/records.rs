//! A table of text cells with named columns.

use std::{collections::BTreeSet, path::Path};

use multicomputer::{input, model::MachineSpec};

use super::PlotError;

/// The column of the kinds of machines: `paragon`, `torus`.
pub(super) const KIND: &str = "kind";

/// Column names, and rows with a cell for each column.
#[derive(Clone, Debug)]
pub(super) struct Records {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Records {
    pub(super) fn new(
        header: impl IntoIterator<Item = impl Into<String>>,
        rows: Vec<Vec<String>>,
    ) -> Records {
        Records { header: header.into_iter().map(Into::into).collect(), rows }
            .lengthened()
            .with_nodes()
            .with_kinds()
    }

    /// Reads a CSV file with a header.
    pub(super) fn read(path: &Path) -> Result<Records, PlotError> {
        let text = input::read(path);
        let text =
            text.map_err(|cause| PlotError::Unreadable { path: path.to_owned(), cause: cause.into() })?;
        let unreadable =
            |cause: csv::Error| PlotError::Unreadable { path: path.to_owned(), cause: cause.into() };
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let texts = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
        let header = texts(reader.headers().map_err(unreadable)?);
        let rows: Result<_, csv::Error> =
            reader.records().map(|record| record.map(|record| texts(&record))).collect();
        Ok(Records::new(header, rows.map_err(unreadable)?))
    }

    pub(super) fn header(&self) -> &[String] {
        &self.header
    }

    pub(super) fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.header.iter().any(|name| name == column)
    }

    /// Returns the cell of a row in a column; empty if there is no such column.
    pub(super) fn cell<'a>(&self, row: &'a [String], column: &str) -> &'a str {
        let place = self.header.iter().position(|name| name == column);
        place.and_then(|place| row.get(place)).map_or("", String::as_str)
    }

    /// Returns the number in a cell, if it is a finite number.
    pub(super) fn number(&self, row: &[String], column: &str) -> Option<f64> {
        self.cell(row, column).parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Keeps the rows for which `is_kept` is true.
    pub(super) fn filtered(mut self, is_kept: impl Fn(&Records, &[String]) -> bool) -> Records {
        let rows = std::mem::take(&mut self.rows);
        let rows = rows.into_iter().filter(|row| is_kept(&self, row)).collect();
        Records { rows, ..self }
    }

    /// Returns the number of distinct texts in a column.
    pub(super) fn variety(&self, column: &str) -> usize {
        let texts: BTreeSet<&str> = self.rows.iter().map(|row| self.cell(row, column)).collect();
        texts.len()
    }

    /// Converts a table of intervals to a table with a row for each end of an interval.
    fn lengthened(mut self) -> Records {
        if !["from_bytes", "to_bytes", "from_us", "to_us", "from_ratio", "to_ratio"]
            .iter()
            .all(|name| self.has(name))
        {
            return self;
        }
        let ends = |(nth, row): (usize, &Vec<String>)| {
            ["from", "to"].map(|end| {
                let cell = |what: &str| self.cell(row, &format!("{end}_{what}")).to_owned();
                let number = |what: &str| self.number(row, &format!("{end}_{what}"));
                let bound = number("us").zip(number("ratio")).map(|(time, ratio)| (time / ratio).to_string());
                let mut row = row.clone();
                row.extend([cell("bytes"), cell("us"), bound.unwrap_or_default(), nth.to_string()]);
                row
            })
        };
        self.rows = self.rows.iter().enumerate().flat_map(ends).collect();
        self.header.extend(["bytes", "modeled_us", "bound_us", "interval"].map(str::to_owned));
        self
    }

    /// Adds the number of nodes, if that column is missing and all machines are known.
    fn with_nodes(mut self) -> Records {
        if self.has("nodes") || self.has("size") || !self.has("machine") {
            return self;
        }
        let nodes = |row: &Vec<String>| match (self.number(row, "rows"), self.number(row, "columns")) {
            (Some(rows), Some(columns)) => (rows * columns).to_string(),
            _ => {
                let machine = self.cell(row, "machine").parse::<MachineSpec>();
                machine.map_or(String::new(), |machine| machine.nodes().to_string())
            }
        };
        let all: Vec<String> = self.rows.iter().map(nodes).collect();
        if all.iter().any(String::is_empty) {
            return self;
        }
        self.rows.iter_mut().zip(all).for_each(|(row, nodes)| row.push(nodes));
        self.header.push("nodes".to_owned());
        self
    }

    /// Adds the kind of the machine, its name without the size, if there are several kinds.
    fn with_kinds(mut self) -> Records {
        let kind =
            |row: &Vec<String>| self.cell(row, "machine").split(':').next().unwrap_or_default().to_owned();
        let all: Vec<String> = self.rows.iter().map(kind).collect();
        if all.windows(2).any(|pair| pair[0] != pair[1]) {
            self.rows.iter_mut().zip(all).for_each(|(row, kind)| row.push(kind));
            self.header.push(KIND.to_owned());
        }
        self
    }
}
