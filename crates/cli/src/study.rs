//! `multicomputer study`: axes x algorithms -> rows, from options or a study file; and `multicomputer merge`, which puts parts together.

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::Args;
use multicomputer::units::format_bytes;
use multicomputer_study::{Layout, Recorded, Row, Rows, Runs, Shard, Study, StudyError, merge};

use super::{
    count::counted,
    error::Error,
    files::{Page, RowFile, TextFile, output_file},
    plot::PlotFile,
    progress::Progress,
};

mod axes;
mod fastest;
mod line;
mod text;

use self::axes::AxisOptions;

/// Maximum number of rows that are kept in memory for the table and the chart.
const MAX_KEPT: usize = 20_000;

/// The time between two lines of progress where standard error is not a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Read the study from this TOML file; options replace its values
    #[arg(value_name = "STUDY.toml")]
    file: Option<PathBuf>,

    #[command(flatten)]
    axes: AxisOptions,

    /// Compare these algorithms, comma-separated, or all; a name is left out where the operation has no such algorithm [default: auto]
    #[arg(long, value_name = "NAMES")]
    algorithm: Option<String>,

    /// Set the title of the study
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Choose the cases that are run with data that every node checks: needed (with noise, faults, random algorithms or another clock), all or
    /// none [default: needed]
    #[arg(long, value_name = "WHICH", value_parser = Runs::named)]
    run: Option<Runs>,

    /// Send lengths without data in runs
    #[arg(long)]
    phantom: bool,

    /// Set the bytes of an element [default: 8 if the operation combines, otherwise 1]
    #[arg(long, value_name = "BYTES", value_parser = read_element)]
    element: Option<u64>,

    /// Combine in rank order, as for an operator that is not commutative
    #[arg(long)]
    in_order: bool,

    /// Compute one part of the study, such as 3/16; `multicomputer merge` puts all parts together
    #[arg(long, value_name = "PART")]
    shard: Option<Shard>,

    /// Write the rows as CSV. Rows go to FILE.partial as they come, which becomes FILE at the end
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"), conflicts_with = "json")]
    csv: Option<PathBuf>,

    /// Write the rows as JSON, one object a line
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Continue the rows of FILE.partial, which an interrupted study has left. Without --resume such a file is an error
    #[arg(long)]
    resume: bool,

    /// Draw the rows as a chart, as SVG
    #[arg(long, value_name = "FILE", value_parser = output_file("SVG"))]
    plot: Option<PathBuf>,

    /// Write a self-contained HTML animation of the runs, at most 8, side by side: all cases are run, as with --run all
    #[arg(long, value_name = "FILE", value_parser = output_file("HTML"))]
    replay: Option<PathBuf>,

    /// Write the study as TOML, with all ranges expanded
    #[arg(long, value_name = "FILE", value_parser = output_file("TOML"))]
    save: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Values of an axis: a list 1,2,5, a doubling range 16..1024, a range in steps 1..30+1. The cases are all combinations.

Examples:
  multicomputer study --machine paragon,torus,hypercube --nodes 4..1024 --algorithm short,auto
                                                       scalability on three machines
  multicomputer study --alpha 1us..1ms --beta 1ns/B..64ns/B --algorithm short,long
                                                       a map of the fastest algorithm
  multicomputer study --mesh 4x4 --noise interval=1ms+length=50us --seed 1..30+1
                                                       30 seeds of noise: mean with 95 % interval
  multicomputer study --machine torus:4x4 --fault none,each-link
                                                       every link dead, one at a time
  multicomputer study big.toml --shard 3/16 --csv part-3.csv
                                                       a part, for a job array
  multicomputer merge part-*.csv --csv all.csv         all parts in one table";

/// Arguments of `merge`.
#[derive(Args, Debug)]
pub(super) struct MergeArguments {
    /// Merge these tables, the parts of one study, in CSV or JSON lines
    #[arg(value_name = "FILES", required = true)]
    parts: Vec<PathBuf>,

    /// Write the rows as CSV
    #[arg(long, value_name = "FILE", value_parser = output_file("CSV"), conflicts_with = "json")]
    csv: Option<PathBuf>,

    /// Write the rows as JSON, one object a line
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Draw the rows as a chart, as SVG
    #[arg(long, value_name = "FILE", value_parser = output_file("SVG"))]
    plot: Option<PathBuf>,
}

/// Reads the length of an element.
fn read_element(text: &str) -> Result<u64, String> {
    match multicomputer::units::parse_bytes(text).map_err(|cause| cause.to_string())? {
        0 => Err("an element has at least 1 byte".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Computes a study, writes its rows as they come, and prints a table.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let study = study(arguments)?;
    if let Some(path) = &arguments.save {
        TextFile::create(path)?.write(&study.to_toml())?;
    }
    let mut rows = study.rows(arguments.shard.unwrap_or(Shard::WHOLE)).map_err(Error::from)?;
    let path = arguments.csv.as_deref().or(arguments.json.as_deref());
    if arguments.resume && path.is_none() {
        return Err(Error::usage("--resume continues a table: give its name by --csv or --json"));
    }
    let mut kept = Kept::create(arguments.plot.as_deref())?;
    let mut page = Page::create(arguments.replay.as_deref(), rows.study().row_count()?)?;
    let is_one_case = rows.study().cases()? == 1;
    if arguments.replay.is_some() {
        rows.record();
    }
    let is_json = arguments.json.is_some();
    let mut file = match path {
        Some(path) if arguments.resume => {
            match RowFile::resume(path, is_json, rows.hash(), rows.last_case(), |row| kept.add(row))? {
                (file, Some(last)) => {
                    rows.continue_after(last);
                    if file.is_none() {
                        kept.note =
                            format!("{} is complete already: nothing was computed.\n\n", path.display());
                    }
                    file
                }
                (file, None) => file,
            }
        }
        Some(path) => Some(RowFile::create(path, is_json, rows.hash())?),
        None => None,
    };
    let computed = compute(&mut rows, |row, recorded| {
        if let Some(file) = &mut file {
            file.row(&row)?;
        }
        let problem = format!(
            "{} of {} on {}",
            row.operation,
            row.bytes.map_or(String::new(), format_bytes),
            recorded.first().map_or("", |first| first.run.machine().name())
        );
        kept.add(row);
        recorded.iter().try_for_each(|Recorded { algorithm, run, .. }| {
            let long = format!("{algorithm}, {problem}");
            page.add([&long, if is_one_case { algorithm } else { &long }], run)
        })
    });
    let computed = computed.and_then(|()| page.finish());
    match (computed, file) {
        (Ok(()), Some(file)) => file.complete()?,
        (Err(cause), Some(file)) => return Err(file.left_behind(cause)),
        (computed, None) => computed?,
    }
    kept.print(|_| Layout::of(&rows.study()), out)
}

/// The rows for the table and the chart.
struct Kept {
    rows: Vec<Row>,
    plot: PlotFile,
    has_plot: bool,
    /// A text above the table.
    note: String,
}

impl Kept {
    fn create(plot: Option<&Path>) -> Result<Kept, Error> {
        let note = String::new();
        Ok(Kept {
            rows: Vec::new(),
            plot: PlotFile::create(plot, columns())?,
            has_plot: plot.is_some(),
            note,
        })
    }

    fn add(&mut self, row: Row) {
        if self.has_plot {
            self.plot.row(&row.cells().into_iter().map(|(_, cell)| cell).collect::<Vec<_>>());
        }
        // One row above the limit shows that the limit is exceeded.
        if self.rows.len() <= MAX_KEPT {
            self.rows.push(row);
        }
    }

    /// Prints the table, and draws the chart.
    fn print(self, layout: impl FnOnce(&[Row]) -> Layout, out: &mut impl Write) -> Result<(), Error> {
        write!(out, "{}", self.note)?;
        let layout = layout(&self.rows);
        if self.rows.len() > MAX_KEPT {
            writeln!(out, "More than {MAX_KEPT} rows: no table is printed.")?;
        } else {
            write!(out, "{}", text::Text { layout: &layout, rows: &self.rows })?;
        }
        self.plot.titled(layout.title).finish(out)
    }
}

/// The study of a file, with the values of the options.
fn study(arguments: &Arguments) -> Result<Study, Error> {
    let mut study = arguments.file.as_ref().map_or_else(|| Ok(Study::default()), Study::from_file)?;
    for (&axis, values) in &arguments.axes.values {
        study.set(axis, values)?;
    }
    if let Some(names) = &arguments.algorithm {
        study.set_algorithms(names);
    }
    if let Some(title) = &arguments.title {
        study.title = Some(title.clone());
    }
    if let Some(runs) = arguments.run.or(arguments.replay.is_some().then_some(Runs::All)) {
        study.runs = runs;
    }
    if let Some(bytes) = arguments.element {
        study.set_element(bytes);
    }
    if arguments.in_order {
        study.set_in_order(true);
    }
    study.phantom |= arguments.phantom;
    Ok(study)
}

/// The columns of a table, with blanks between them.
fn columns() -> &'static str {
    static COLUMNS: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    COLUMNS.get_or_init(|| Row::columns().join(" "))
}

/// Computes all rows, with a progress bar on a terminal and a line every ten seconds elsewhere.
fn compute(
    rows: &mut Rows,
    mut take: impl FnMut(Row, Vec<Recorded>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (all, mut finished) = rows.progress();
    let (bar, begin, first) = (Progress::of_cases(all, finished), Instant::now(), finished);
    let is_terminal = io::stderr().is_terminal();
    let mut next_line = begin + BETWEEN_LINES;
    while let Some(row) = rows.next() {
        let row = row?;
        take(row, rows.take_recorded())?;
        let now_finished = rows.progress().1;
        if now_finished > finished {
            bar.advance(now_finished - finished);
            finished = now_finished;
        }
        if !is_terminal && finished < all && Instant::now() >= next_line {
            let spent = begin.elapsed().as_secs_f64();
            let left = spent / (finished - first).max(1) as f64 * (all - finished) as f64;
            bar.say(&format!("{finished} of {}, about {left:.0} s left", counted(all, "case")));
            next_line = Instant::now() + BETWEEN_LINES;
        }
    }
    Ok(())
}

/// Merges parts into one table, and prints it.
pub(super) fn run_merge(arguments: &MergeArguments, out: &mut impl Write) -> Result<(), Error> {
    let mut kept = Kept::create(arguments.plot.as_deref())?;
    let path = arguments.csv.as_deref().or(arguments.json.as_deref());
    let mut file = path.map(|path| RowFile::open(path, arguments.json.is_some())).transpose()?;
    let merged = merge(&arguments.parts, |row| {
        kept.add(row.clone());
        file.as_mut().map_or(Ok(()), |file| file.row(row))
    });
    match (merged, file) {
        (Ok(rows), file) => {
            file.map_or(Ok(()), RowFile::complete)?;
            let parts = counted(arguments.parts.len(), "part");
            kept.note = format!("{} of {parts} merged\n\n", counted(rows, "row"));
            kept.print(Layout::of_rows, out)
        }
        (Err(cause), Some(file)) => {
            file.discard();
            Err(cause)
        }
        (Err(cause), None) => Err(cause),
    }
}

impl From<StudyError> for Error {
    fn from(cause: StudyError) -> Error {
        match cause {
            StudyError::WrongData(text) => Error::Wrong(text),
            cause => Error::usage(cause),
        }
    }
}
