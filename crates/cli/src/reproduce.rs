//! `multicomputer reproduce`: computes published results in virtual time. The output has published and modeled numbers,
//! and claims with verdicts; files have points of figures as CSV, figures as SVG, and a page with all results.

use std::{collections::VecDeque, fs, io::Write, path::PathBuf};

use clap::Args;
use multicomputer::{Clock, names, report::RealTimeReport};
use multicomputer_picture::Chart;
use multicomputer_published::{Job, Outcome, Summary, Value};

use super::{
    clock,
    error::Error,
    files::{CsvFile, JsonFile, OutputError, TextFile, output_file},
    lists::{List, is_all},
    progress::Progress,
};

mod csv;
mod json;
mod page;
mod text;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Choose the items by id, comma-separated, or all
    #[arg(value_name = "ID", required_unless_present = "list", value_parser = read_jobs)]
    jobs: Option<List<&'static Job>>,

    /// List all items: id, paper, title, and approximate duration
    #[arg(long, conflicts_with_all = ["jobs", "out"])]
    list: bool,

    /// Choose the clock: virtual, or real, real:4 and so on, which also runs every time that can be run on its own,
    /// with a thread for each node
    #[arg(long, value_name = "CLOCK", default_value = "virtual", value_parser = read_clock)]
    clock: Clock,

    /// Write into this folder: for each item a CSV file with its values, claims and points, and its figures as SVG;
    /// and report.html, a page with all items
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write the same facts as JSON, an object for each item, one a line; - is standard output
    #[arg(long, value_name = "FILE", value_parser = output_file("JSON"), conflicts_with = "list")]
    json: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer reproduce --list                       all items of all papers
  multicomputer reproduce S0-F8                        figure 8 of the s-to-p report
  multicomputer reproduce S0-F2,S2-T3 --out results    two of them, with tables, plots and results/report.html
  multicomputer reproduce all --out results            all items, with a summary
  multicomputer reproduce S0-F9 --clock real           run by threads at true speed

All items use the presets. In real time, the times of the host's threads stand beside the modeled times, which are those of
virtual time. docs/reproduce.md explains the output.";

fn read_clock(text: &str) -> Result<Clock, String> {
    match clock::read(text)? {
        Clock::Host => {
            Err("the host's clock has no modeled times to compare: use virtual, real or real:DILATION"
                .to_owned())
        }
        clock => Ok(clock),
    }
}

fn read_jobs(text: &str) -> Result<List<&'static Job>, String> {
    let read = |item: &str| match item {
        all if is_all(all) => Ok(Job::all().collect()),
        item => Job::named(item).map(|job| vec![job]).ok_or_else(|| {
            let ids: Vec<&str> = Job::all().map(Job::id).collect();
            names::unknown("item", item, names::nearest(item, &ids), &format!("all, {}", ids.join(", ")))
        }),
    };
    // Removes duplicates, whatever name of a job is given.
    let jobs = List::read(text, read)?;
    Ok(List::of(Job::all().filter(|job| jobs.iter().any(|requested| requested.id() == job.id()))))
}

/// Computes the requested jobs, and prints and writes the results.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let Some(jobs) = arguments.jobs.as_ref().filter(|_| !arguments.list) else {
        return Ok(write!(out, "{}", text::list())?);
    };
    let mut files = arguments.files(jobs)?;
    let json = JsonFile::create(arguments.json.as_deref())?;
    let millis = |job: &Job| job.duration().as_millis() as u64;
    let progress = Progress::timed(jobs.iter().map(|job| millis(job)).sum());
    let mut summary = Summary::default();
    let mut items = Vec::new();
    for job in jobs.iter().copied() {
        progress.begin(job.id());
        let worked = arguments.worked(job);
        match &worked {
            Ok(Worked { outcome, runs, plots }) => {
                progress.shown(|| write!(out, "{}", text::of(job, outcome, runs)))?;
                summary.add(job, outcome);
                if let Some(files) = &mut files {
                    files.write(job, outcome, runs, plots)?;
                }
            }
            Err(reason) => {
                progress.shown(|| writeln!(out, "{job}: {}\n\n{reason}\n", job.title()))?;
                if let Some(files) = &mut files {
                    files.pass(job);
                }
            }
        }
        items.push((job, worked));
        progress.advance(millis(job));
    }
    drop(progress);
    json.write(&items.iter().map(json::of).collect::<Vec<_>>())?;
    if jobs.len() > 1 {
        write!(out, "{}", text::summary(&summary, &items))?;
    }
    if let Some(files) = files {
        let path = files.folder.join(REPORT);
        let clock = clock::name(arguments.clock);
        let real = if arguments.clock == Clock::Virtual { "" } else { " --clock real" };
        let command = format!("multicomputer reproduce {}{real} --out DIR", arguments.ids(jobs));
        files.report.write(&page::of(&command, clock, &items, &summary))?;
        writeln!(out, "\nReport written: {}", path.display())?;
    }
    let failed = items.iter().filter(|item| is_failed(item)).map(|(job, _)| job.id());
    match failed.collect::<Vec<_>>() {
        ids if ids.is_empty() => Ok(()),
        ids => Err(Error::Failed { ids }),
    }
}

/// A job with its results, or the reason why it has none.
type Item = (&'static Job, Result<Worked, Error>);

/// Returns whether an available job has failed.
fn is_failed((job, worked): &Item) -> bool {
    worked.is_err() && job.not_yet().is_none()
}

/// Results of a job, with its runs and plots.
struct Worked {
    outcome: Outcome,
    runs: Runs,
    /// Charts as SVG.
    plots: Vec<String>,
}

/// Runs of the values of an outcome in real time; empty in virtual time.
type Runs = Vec<Option<RealTimeReport>>;

/// Returns the time of the host's threads in milliseconds of modeled time: wall time over dilation.
fn real(run: &RealTimeReport) -> f64 {
    1e3 * run.wall.as_secs_f64() / run.dilation
}

/// File name of the page.
const REPORT: &str = "report.html";

/// Draws a chart as SVG. A test checks that its points are on its axes.
fn plot(chart: &Chart) -> String {
    chart.to_svg().unwrap_or_else(|cause| cause.to_string())
}

/// Output files of the command.
struct Files {
    folder: PathBuf,
    /// CSV files of the jobs that are not written yet, in order.
    tables: VecDeque<CsvFile>,
    report: TextFile,
}

impl Files {
    /// Skips a job without results: drops the CSV file that is reserved for it.
    fn pass(&mut self, job: &Job) {
        if job.not_yet().is_none() {
            self.tables.pop_front();
        }
    }

    /// Writes the table and the charts of the next job. Jobs come in the order of `tables`.
    fn write(&mut self, job: &Job, outcome: &Outcome, runs: &Runs, plots: &[String]) -> Result<(), Error> {
        if let Some(table) = self.tables.pop_front() {
            table.fill(|file| csv::rows(job, outcome, runs).try_for_each(|row| file.row(row)))?;
        }
        for (plot, nth) in plots.iter().zip(1..) {
            let name = if plots.len() == 1 { job.id().to_owned() } else { format!("{}-{nth}", job.id()) };
            TextFile::create(&self.folder.join(format!("{name}.svg")))?.write(plot)?;
        }
        Ok(())
    }
}

impl Arguments {
    /// Opens the files before any job is computed, if requested.
    fn files(&self, jobs: &[&'static Job]) -> Result<Option<Files>, Error> {
        let Some(folder) = &self.out else { return Ok(None) };
        let unwritable = |cause| OutputError::Unwritable { path: folder.clone(), cause };
        fs::create_dir_all(folder).map_err(unwritable).map_err(Error::usage)?;
        let worked = jobs.iter().filter(|job| job.not_yet().is_none());
        let table = |job: &&'static Job| {
            let path = folder.join(format!("{}.csv", job.id()));
            CsvFile::create(Some(&path), csv::HEADER)
        };
        let tables = worked.map(table).collect::<Result<_, Error>>()?;
        let report = TextFile::create(&folder.join(REPORT))?;
        Ok(Some(Files { folder: folder.clone(), tables, report }))
    }

    /// Computes a job, with the requested runs.
    fn worked(&self, job: &Job) -> Result<Worked, Error> {
        let outcome = job.work()?;
        let runs = self.runs(&outcome)?;
        let plots = outcome.charts.iter().map(plot).collect();
        Ok(Worked { outcome, runs, plots })
    }

    /// Runs the values in real time, if requested.
    fn runs(&self, outcome: &Outcome) -> Result<Runs, Error> {
        if self.clock == Clock::Virtual {
            return Ok(Runs::new());
        }
        let run = |value: &Value| match value.run(self.clock) {
            None => Ok(None),
            Some(report) => report.map(|report| report.real_time).map_err(Error::Rerun),
        };
        outcome.values.iter().map(run).collect()
    }

    /// Returns the jobs as an argument: `all`, or the ids.
    fn ids(&self, jobs: &[&Job]) -> String {
        if jobs.len() == Job::all().count() {
            return "all".to_owned();
        }
        let ids: Vec<&str> = jobs.iter().map(|job| job.id()).collect();
        ids.join(",")
    }
}
