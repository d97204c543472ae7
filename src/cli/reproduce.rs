//! `multicomputer reproduce`: what papers publish, worked out in virtual time: published against modeled numbers, claims with
//! verdicts, and the points of figures as CSV.

use std::{fs, io::Write, path::PathBuf};

use clap::Args;
use multicomputer::published::{Job, Outcome, Summary};

use super::{
    error::Error,
    files::{CsvFile, OutputError},
    lists::List,
    progress::Progress,
};

mod csv;
mod text;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Items by their ids, with commas between them, or `all`
    #[arg(value_name = "ID", required_unless_present = "list", value_parser = read_jobs)]
    jobs: Option<List<&'static Job>>,

    /// Print all items: id, paper, what it is, and about how long it takes
    #[arg(long, conflicts_with_all = ["jobs", "out"])]
    list: bool,

    /// Write a CSV file for each item into this folder, with its values, its claims and the points of its figures
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer reproduce --list                       all items of all papers
  multicomputer reproduce S0-F8                        figure 8 of the s-to-p report
  multicomputer reproduce S0-F2,S2-T3 --out csv        two of them, with a CSV file for each
  multicomputer reproduce all                          everything, and what it comes to

All in virtual time, on the presets. docs/reproduce.md says how to read it.";

fn read_jobs(text: &str) -> Result<List<&'static Job>, String> {
    let read = |item: &str| match item {
        "all" => Ok(Job::all().collect()),
        item => Job::named(item).map(|job| vec![job]).ok_or_else(|| {
            let ids: Vec<&str> = Job::all().map(Job::id).collect();
            format!("`{item}` is no id of a published result; there are `all`, {}", ids.join(", "))
        }),
    };
    // A job is there once, whatever it is called.
    let jobs = List::read(text, read)?;
    Ok(List::of(Job::all().filter(|job| jobs.iter().any(|asked| asked.id() == job.id()))))
}

/// Works out what is asked for.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let Some(jobs) = arguments.jobs.as_ref().filter(|_| !arguments.list) else {
        return Ok(write!(out, "{}", text::list())?);
    };
    let files = arguments.files(jobs)?;
    let millis = |job: &Job| job.duration().as_millis() as u64;
    let progress = Progress::timed(jobs.iter().map(|job| millis(job)).sum());
    let mut summary = Summary::default();
    let mut missing = 0;
    for (job, mut file) in jobs.iter().zip(files) {
        progress.begin(job.id());
        match job.work() {
            Ok(outcome) => {
                progress.shown(|| print(out, job, &outcome))?;
                summary.add(job, &outcome);
                file.fill(|file| csv::rows(job, &outcome).try_for_each(|row| file.row(row)))?;
            }
            Err(not_yet) => {
                file.discard();
                progress.shown(|| writeln!(out, "{job}: {}\n\n{not_yet}\n", job.title()))?;
                missing += 1;
            }
        }
        progress.advance(millis(job));
    }
    drop(progress);
    if jobs.len() > 1 {
        write!(out, "{}", text::summary(&summary, jobs.len() - missing, missing))?;
    }
    Ok(())
}

fn print(out: &mut impl Write, job: &Job, outcome: &Outcome) -> std::io::Result<()> {
    write!(out, "{}", text::of(job, outcome))
}

impl Arguments {
    /// A file for each job, opened before any is worked out.
    fn files(&self, jobs: &[&Job]) -> Result<Vec<CsvFile>, Error> {
        if let Some(folder) = &self.out {
            let unwritable = |cause| OutputError::Unwritable { path: folder.clone(), cause };
            fs::create_dir_all(folder).map_err(unwritable).map_err(Error::usage)?;
        }
        let path = |job: &Job| self.out.as_ref().map(|folder| folder.join(format!("{}.csv", job.id())));
        jobs.iter().map(|job| CsvFile::create(path(job).as_deref(), csv::HEADER)).collect()
    }
}
