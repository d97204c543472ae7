//! `multicomputer plot`, and the option `--plot` of commands that compare algorithms: tables as charts.
//!
//! The option draws the rows that `--csv` writes, so that the CSV file gives the same chart later.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args;
use multicomputer::{error::Failure, names};
use multicomputer_picture::PictureError;
use thiserror::Error;

use super::{
    count::counted,
    error::Error,
    files::{TextFile, output_file},
    lists::List,
};

mod columns;
mod lines;
mod means;
mod records;
mod settings;

#[cfg(test)]
mod tests;

use self::records::Records;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Draw this CSV file: of s-to-p, collective, all-to-all, textbook, demo or tune, or any other with a header
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,

    /// Write the chart to this SVG file [default: FILE.svg, beside the table]
    #[arg(long, value_name = "FILE.svg", value_parser = output_file("SVG"))]
    out: Option<PathBuf>,

    #[command(flatten)]
    options: ChartOptions,
}

/// Options for the content of a chart.
#[derive(Args, Clone, Debug, Default)]
struct ChartOptions {
    /// Choose the column of the x axis [default: the one of length, sources, nodes, fan-out and so on that varies most;
    /// otherwise names]
    #[arg(long, value_name = "COLUMN")]
    x: Option<String>,

    /// Choose the column of the y axis, or bandwidth (bytes over time) [default: the modeled time, otherwise the run
    /// time]
    #[arg(long, value_name = "COLUMN")]
    y: Option<String>,

    /// Choose the columns that distinguish lines, comma-separated [default: algorithm, and all others that differ]
    #[arg(long, value_name = "COLUMNS", value_parser = read_columns)]
    by: Option<List<String>>,

    /// Draw a panel for each value of this column, or none for one chart [default: one chart; with more than 10 lines, the first column that
    /// distinguishes lines in addition to the algorithm]
    #[arg(long, value_name = "COLUMN")]
    panels: Option<String>,

    /// Set the title [default: the values that all rows have in common]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer collective broadcast --bytes 8..1M --csv times.csv
  multicomputer plot times.csv                         time over length, a line for each algorithm, into times.svg
  multicomputer plot times.csv --y bandwidth --out bandwidth.svg
  multicomputer plot times.csv --x bytes --y ratio --by algorithm

Rows with the same line and x are drawn as their mean; the legend says of what: of seeds, or of rows that differ in
columns that --by leaves out. Without --by, machines, ports, placements, noise and so on are separate lines. Charts of
times have the lower bound as a grey line, and marks where another line becomes the lowest. Axes are logarithmic where
numbers differ by large factors.";

fn read_columns(text: &str) -> Result<List<String>, String> {
    List::read(text, |column| Ok([column.to_owned()]))
}

/// A table that cannot be drawn.
#[derive(Debug, Error)]
pub(super) enum PlotError {
    #[error("{} cannot be read: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: Failure },
    #[error("the plot would overwrite the table {}: choose another --out", path.display())]
    Table { path: PathBuf },
    #[error(
        "row {row} has `{given}` in the column `{column}`: only finite numbers can be drawn; an empty \
         cell leaves the row out"
    )]
    NoNumber { row: usize, column: String, given: String },
    #[error("{}", names::unknown("column", given, names::nearest(given, header), &header.join(", ")))]
    NoColumn { given: String, header: Vec<String> },
    #[error(
        "no column has times (modeled_us, run_us, wall_us or time_us): choose a column with --y. Known: \
         {header}"
    )]
    NoTime { header: String },
    #[error("a bandwidth needs a column `bytes`. Known: {header}")]
    NoBytes { header: String },
    #[error("no row has a number in the column `{column}`: choose another column")]
    Empty { column: String },
    #[error(transparent)]
    Picture(#[from] PictureError),
}

/// Draws the chart of a CSV file.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let path = arguments.out.clone().unwrap_or_else(|| arguments.file.with_extension("svg"));
    let is_same = |one: &Path, other: &Path| match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    };
    if is_same(&path, &arguments.file) {
        return Err(Error::usage(PlotError::Table { path }));
    }
    let drawn = Records::read(&arguments.file).and_then(|records| {
        let drawing = lines::drawing(&records, &arguments.options)?;
        Ok((drawing.to_svg()?, drawing))
    });
    let (svg, drawing) = drawn.map_err(|cause| match cause {
        unreadable @ PlotError::Unreadable { .. } => Error::usage(unreadable),
        cause => Error::usage(format!("{}: {cause}", arguments.file.display())),
    })?;
    TextFile::create(&path)?.write(&svg)?;
    if arguments.out.is_none() {
        writeln!(out, "Plot written: {}", path.display())?;
    }
    if drawing.means > 0 {
        writeln!(out, "{} of the plot are means of several rows", counted(drawing.means, "point"))?;
    }
    drawing.crossovers().iter().try_for_each(|crossover| Ok(writeln!(out, "Crossover: {crossover}")?))
}

/// Plot file of a command, if requested: rows are collected until the command ends.
#[derive(Debug)]
pub(super) struct PlotFile {
    file: Option<TextFile>,
    header: &'static str,
    rows: Vec<Vec<String>>,
    options: ChartOptions,
}

impl PlotFile {
    /// Opens the file, if there is a path; `header` has the column names, separated by blanks.
    pub(super) fn create(path: Option<&Path>, header: &'static str) -> Result<PlotFile, Error> {
        let file = path.map(TextFile::create).transpose()?;
        Ok(PlotFile { file, header, rows: Vec::new(), options: ChartOptions::default() })
    }

    /// Sets the title of the chart.
    pub(super) fn titled(mut self, title: Option<String>) -> PlotFile {
        self.options.title = title;
        self
    }

    /// Collects a row.
    pub(super) fn row(&mut self, row: &[String]) {
        if self.file.is_some() {
            self.rows.push(row.to_owned());
        }
    }

    /// Draws the rows, or prints the reason why nothing can be drawn.
    pub(super) fn finish(self, out: &mut impl Write) -> Result<(), Error> {
        let Some(file) = self.file else { return Ok(()) };
        let records = Records::new(self.header.split_whitespace(), self.rows);
        let drawing = lines::drawing(&records, &self.options);
        match drawing.and_then(|drawing| Ok(drawing.to_svg()?)) {
            Ok(svg) => file.write(&svg),
            Err(cause) => Ok(writeln!(out, "No plot was drawn: {cause}.")?),
        }
    }
}
