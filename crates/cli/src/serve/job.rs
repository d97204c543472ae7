//! Jobs: what a process of the server computes for one request.

use std::io::{self, Read, Write};

use clap::{Args, FromArgMatches};
use multicomputer::names;
use multicomputer_study::{Format, Shard, TableWriter};
use serde_json::json;

use super::{
    super::{error::Error, study},
    describe,
    question::Question,
};

/// Maximum number of nodes of a machine. Processor time limits everything else.
pub(super) const MAX_NODES: usize = 1024;
/// Maximum number of rows of a study.
pub(super) const MAX_ROWS: u64 = 4096;
/// Maximum processor time of a job in seconds. The server ends a job after the same time on the clock.
pub(super) const MAX_SECONDS: u64 = 60;
/// Maximum length of a question in bytes.
pub(super) const MAX_QUESTION: usize = 64 << 10;
/// Maximum memory that a job may write, in bytes. The stacks of the threads of [`MAX_NODES`] nodes are 1 GiB of it.
#[cfg(target_os = "linux")]
const MAX_MEMORY: u64 = 4 << 30;

/// The kinds of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Rows as JSON lines.
    Study,
    /// The rows of one case as a JSON array.
    Plan,
    /// Rows as CSV.
    Csv,
    /// Rows as a chart.
    Chart,
    /// Runs as a page that replays them.
    Run,
    /// The network and the parameters of the machine.
    Machine,
    /// The question as a command line, as Python and as a study file.
    Tell,
}

impl Kind {
    pub(super) const ALL: [Kind; 7] =
        [Kind::Study, Kind::Plan, Kind::Csv, Kind::Chart, Kind::Run, Kind::Machine, Kind::Tell];

    /// The name: the path of its requests after `/api/`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Kind::Study => "study",
            Kind::Plan => "plan",
            Kind::Csv => "csv",
            Kind::Chart => "chart",
            Kind::Run => "run",
            Kind::Machine => "machine",
            Kind::Tell => "tell",
        }
    }

    /// The media type of the answer.
    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Kind::Study => "application/x-ndjson",
            Kind::Plan | Kind::Machine | Kind::Tell => "application/json",
            Kind::Csv => "text/csv; charset=utf-8",
            Kind::Chart => "image/svg+xml",
            Kind::Run => "text/html; charset=utf-8",
        }
    }

    /// Reads a name.
    pub(super) fn named(text: &str) -> Result<Kind, String> {
        let known = Kind::ALL.map(Kind::name);
        let named = Kind::ALL.into_iter().find(|kind| kind.name() == text);
        named.ok_or_else(|| names::unknown("job", text, names::nearest(text, known), &known.join(", ")))
    }
}

/// The options of `multicomputer study`, as a command line of its own.
struct StudyOptions;

impl StudyOptions {
    fn read(options: &[String]) -> Result<study::Arguments, Error> {
        let command = study::Arguments::augment_args(clap::Command::new("study").no_binary_name(true));
        let read = command.try_get_matches_from(options);
        read.and_then(|matches| study::Arguments::from_arg_matches(&matches)).map_err(|refusal| {
            // The first line says what is wrong; the rest is about the usage of the command.
            let text = refusal.to_string();
            let line = text.lines().next().unwrap_or_default();
            Error::usage(line.strip_prefix("error: ").unwrap_or(line).to_owned())
        })
    }
}

/// Carries out the job whose question is on standard input.
pub(super) fn run(kind: Kind, out: &mut impl Write) -> Result<(), Error> {
    limit()?;
    let mut text = String::new();
    io::stdin().take(MAX_QUESTION as u64).read_to_string(&mut text)?;
    let question = Question::read(&text).map_err(Error::usage)?;
    if kind == Kind::Tell {
        let told = json!({
            "command": question.command(),
            "python": question.python(),
            "study": question.study.to_toml(),
            "hash": question.study.hash(),
        });
        return Ok(writeln!(out, "{told}")?);
    }
    let machine = question.study.machine().map_err(Error::usage)?;
    let nodes = machine.nodes();
    if nodes > MAX_NODES {
        return Err(Error::usage(format!(
            "{nodes} nodes are too many for the page: the maximum is {MAX_NODES}; use the command line"
        )));
    }
    if kind == Kind::Machine {
        let described = describe::machine(&machine, &question.study).map_err(Error::usage)?;
        return Ok(writeln!(out, "{described}")?);
    }
    let rows = question.study.row_count()?;
    if rows > MAX_ROWS {
        return Err(Error::usage(format!(
            "{rows} rows are too many for the page: the maximum is {MAX_ROWS}; use the command line"
        )));
    }
    let output = match kind {
        Kind::Study => "--json=-",
        Kind::Csv => "--csv=-",
        Kind::Chart => "--plot=-",
        Kind::Run => "--replay=-",
        Kind::Plan | Kind::Machine | Kind::Tell => return plan(&question, out),
    };
    let mut options = question.options();
    options.push(output.to_owned());
    // The server reads standard error for the text of an error only, so the table is not printed.
    study::run(&StudyOptions::read(&options)?, &mut io::sink())
}

/// Writes the rows of one case as a JSON array.
fn plan(question: &Question, out: &mut impl Write) -> Result<(), Error> {
    let cases = question.study.cases()?;
    if cases != 1 {
        return Err(Error::usage(format!(
            "a plan has one case, and this question has {cases}: give one value a key"
        )));
    }
    let mut table = TableWriter::new(Vec::new(), Format::JsonLines);
    for row in question.study.rows(Shard::WHOLE)? {
        table.write(&row?)?;
    }
    let lines = table.finish()?;
    let rows = String::from_utf8_lossy(&lines).trim_end().replace('\n', ",\n");
    Ok(writeln!(out, "[{rows}]")?)
}

/// Limits the processor time and the memory of this process, and ends it with the server.
#[cfg(unix)]
fn limit() -> Result<(), Error> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = |resource, most| {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(resource, limit).map_err(io::Error::from)
    };
    limit(Resource::Cpu, MAX_SECONDS)?;
    #[cfg(target_os = "linux")]
    {
        limit(Resource::Data, MAX_MEMORY)?;
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
            .map_err(io::Error::from)?;
    }
    Ok(())
}

/// The server ends jobs that take too long.
#[cfg(not(unix))]
fn limit() -> Result<(), Error> {
    Ok(())
}
