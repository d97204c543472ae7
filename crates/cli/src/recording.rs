//! Options for what is recorded of a run: traces, pictures, explanations; and the times of each rank of a schedule.

use std::path::{Path, PathBuf};

use clap::Args;
use multicomputer::{
    Clock, Span, Time,
    goal::{Operation, Program},
};

use super::{
    error::Error,
    files::{CsvFile, PictureOptions, micros, output_file},
};

/// Options for the recordings of runs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Shared options")]
pub(super) struct RecordOptions {
    /// Write a Chrome trace for ui.perfetto.dev: every step of every node, and the load of links. Several runs get a
    /// file each, such as trace-row-virtual.json for trace.json, listed at the end of the output
    #[arg(long, value_name = "FILE", value_parser = output_file("JSON"))]
    pub(super) trace: Option<PathBuf>,

    /// Draw a space-time diagram as SVG: what every node does when, and the messages. Several runs get a file each,
    /// as with --trace
    #[arg(long, value_name = "FILE", value_parser = output_file("SVG"))]
    pub(super) svg: Option<PathBuf>,

    /// Draw the network as SVG, with the bytes, the busy time and the shared time of every link. Several runs get a
    /// file each, as with --trace. Not under --clock host, which has no network
    #[arg(long, value_name = "FILE", value_parser = output_file("SVG"))]
    pub(super) heat: Option<PathBuf>,

    /// Choose what --svg and --heat draw: ranks=0..63 (0..63+4 is every fourth), from=1ms, to=2ms, width=1200 (pixels),
    /// theme=print (dark on white everywhere) and title=TEXT, with commas between them; --heat has theme and title
    #[arg(long, value_name = "CHOICES")]
    pub(super) picture: Option<PictureOptions>,

    /// Write a self-contained HTML animation of the runs: messages move through the network in modeled time. Several
    /// runs, at most 8, are on one page, side by side. Not under --clock host, which has no network
    #[arg(long, value_name = "FILE", value_parser = output_file("HTML"))]
    pub(super) replay: Option<PathBuf>,

    /// Explain the time of each run, at the end of the output: the critical path, and which messages slowed which on
    /// shared links
    #[arg(long)]
    pub(super) explain: bool,
}

impl RecordOptions {
    /// Returns whether runs must be recorded.
    pub(super) fn is_given(&self) -> bool {
        let files = [&self.trace, &self.svg, &self.heat, &self.replay];
        self.explain || files.into_iter().any(Option::is_some)
    }

    /// Refuses choices without a picture, and what a clock has no data for.
    pub(super) fn check(&self, clock: Clock) -> Result<(), Error> {
        if let Some(picture) = self.picture.as_ref().filter(|_| self.svg.is_none()) {
            match picture.of_diagrams() {
                _ if self.heat.is_none() => {
                    return Err(Error::usage(
                        "--picture changes the pictures of --svg and --heat: give one of these",
                    ));
                }
                Some(key) => {
                    return Err(Error::usage(format!("{key} in --picture is for --svg: add --svg FILE")));
                }
                None => {}
            }
        }
        if clock != Clock::Host {
            return Ok(());
        }
        if self.explain {
            return Err(Error::usage(
                "--explain cannot be used with --clock host, whose times have no model that could explain them",
            ));
        }
        let of_networks = [("--heat", &self.heat), ("--replay", &self.replay)];
        match of_networks.iter().find(|(_, file)| file.is_some()) {
            None => Ok(()),
            Some((option, _)) => Err(Error::usage(format!(
                "{option} cannot be used with --clock host, which has no network to be drawn"
            ))),
        }
    }
}

/// The columns of a file with the times of each rank.
const RANK_COLUMNS: &str =
    "bytes rank finished_us messages_sent bytes_sent messages_received bytes_received computing_us";

/// The file with the times of each rank of a schedule.
#[derive(Debug)]
pub(super) struct RankTimes(CsvFile);

impl RankTimes {
    /// Opens the file, if one is asked for.
    pub(super) fn create(path: Option<&Path>) -> Result<RankTimes, Error> {
        Ok(RankTimes(CsvFile::create(path, RANK_COLUMNS)?))
    }

    /// Writes the rows of all programs, each with its length and the time at which each rank ended.
    pub(super) fn fill(self, programs: &[(String, &Program, &[Time])]) -> Result<(), Error> {
        self.0.fill(|csv| {
            for (bytes, program, finished) in programs {
                for (rank, finished) in finished.iter().enumerate() {
                    csv.row(row(bytes, program, rank, *finished))?;
                }
            }
            Ok(())
        })
    }
}

fn row(bytes: &str, program: &Program, rank: usize, finished: Time) -> Vec<String> {
    let (mut sent, mut received, mut computing) = ([0_u64; 2], [0_u64; 2], Span::ZERO);
    for operation in program.operations(rank) {
        let (counts, bytes) = match operation {
            Operation::Send { bytes, .. } => (&mut sent, bytes),
            Operation::Recv { bytes, .. } => (&mut received, bytes),
            Operation::Calc(span) => {
                computing += *span;
                continue;
            }
            _ => continue,
        };
        counts[0] += 1;
        counts[1] += u64::from(*bytes);
    }
    let counts = [sent, received].into_iter().flatten().map(|count| count.to_string());
    [bytes.to_owned(), rank.to_string(), micros(finished.since_start())]
        .into_iter()
        .chain(counts)
        .chain([micros(computing)])
        .collect()
}

/// The earliest and the latest end of a rank, for the output.
pub(super) fn ends(finished: &[Time]) -> Option<String> {
    let ends = || finished.iter().enumerate().map(|(rank, end)| (*end, rank));
    let ((first, early), (last, late)) =
        (ends().min()?, ends().max_by_key(|&(end, rank)| (end, std::cmp::Reverse(rank)))?);
    let mean = Span::from_picos(
        (finished.iter().map(|end| u128::from(end.since_start().as_picos())).sum::<u128>()
            / finished.len() as u128) as u64,
    );
    Some(format!("first {first} (rank {early}), mean {mean}, last {last} (rank {late})"))
}
