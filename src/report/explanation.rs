//! The explanation of a recorded run, as text, as CSV, and through serde.

use std::{cmp::Reverse, collections::BTreeMap, fmt, io};

use serde::Serialize;

use super::{
    csv::{CsvError, micros, write_table},
    text::Table,
};
use crate::{
    analysis::{Blame, CriticalPath, Kind, MessageRef, Piece},
    record::Bottleneck,
    text::count,
    time::Span,
    topology::Topology,
};

/// Maximum number of pieces, of contended links and ports, and of messages in the text.
const MAX_SHOWN: usize = 5;

/// An explanation of a run's time: its critical path, and the contention between messages. Created by
/// [`Run::explain`](crate::Run::explain).
///
/// The text has some twenty lines. Times are modeled and exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The name of the machine.
    pub machine: String,
    /// The chain of events that determined the end of the run.
    pub critical_path: CriticalPath,
    /// The contention delays of messages, by link or port and by message.
    pub blame: Blame,
    /// The names of the contended links and ports.
    #[serde(skip)]
    pub places: BTreeMap<Bottleneck, String>,
}

impl Explanation {
    pub(crate) fn new(
        machine: &str,
        topology: &dyn Topology,
        critical_path: CriticalPath,
        blame: Blame,
    ) -> Explanation {
        let of_path = critical_path.pieces.iter().filter_map(|piece| piece.place);
        let places = of_path.chain(blame.losses.iter().map(|loss| loss.place));
        let places = places.map(|place| (place, place.name(topology))).collect();
        Explanation { machine: machine.to_owned(), critical_path, blame, places }
    }

    fn name(&self, place: Bottleneck) -> String {
        self.places.get(&place).cloned().unwrap_or_else(|| place.to_string())
    }

    /// Writes the critical path as CSV, one line per piece in time order. Times are modeled microseconds, exact to the picosecond. A
    /// message is given by its sender, its receiver, and the number of messages that the sender had sent before.
    ///
    /// # Errors
    /// [`CsvError`] if the writer fails.
    pub fn write_path_csv(&self, writer: impl io::Write) -> Result<(), CsvError> {
        let header = ["start_us", "end_us", "time_us", "kind", "node", "from", "to", "seq", "place"];
        let lines = self.critical_path.pieces.iter().map(|piece| {
            let of_message = |part: fn(MessageRef) -> String| piece.message.map(part).unwrap_or_default();
            [
                micros(piece.start.since_start()),
                micros(piece.end.since_start()),
                micros(piece.span()),
                piece.kind.to_string(),
                piece.rank.to_string(),
                of_message(|message| message.from.to_string()),
                of_message(|message| message.to.to_string()),
                of_message(|message| message.seq.to_string()),
                piece.place.map(|place| self.name(place)).unwrap_or_default(),
            ]
        });
        write_table(writer, header, lines)
    }

    /// Writes the contention delays as CSV, one line per link or port, delayed message and delaying message. Times are modeled
    /// microseconds, exact to the picosecond.
    ///
    /// # Errors
    /// [`CsvError`] if the writer fails.
    pub fn write_blame_csv(&self, writer: impl io::Write) -> Result<(), CsvError> {
        let header = ["place", "from", "to", "seq", "by_from", "by_to", "by_seq", "lost_us"];
        let lines = self.blame.losses.iter().map(|loss| {
            [
                self.name(loss.place),
                loss.slowed.from.to_string(),
                loss.slowed.to.to_string(),
                loss.slowed.seq.to_string(),
                loss.by.from.to_string(),
                loss.by.to.to_string(),
                loss.by.seq.to_string(),
                micros(loss.lost),
            ]
        });
        write_table(writer, header, lines)
    }

    fn kinds(&self) -> String {
        let path = &self.critical_path;
        let times = Kind::ALL.map(|kind| (kind, path.time(kind)));
        let times: Vec<_> = times.into_iter().filter(|(_, time)| !time.is_zero()).collect();
        let mut table = Table::new("critical path", times.iter().map(|(kind, _)| format!("  {kind}")));
        table.times("us", times.iter().map(|&(_, time)| time));
        let all = path.span().as_picos().max(1) as f64;
        let percent = |time: Span| format!("{:.1}", 100.0 * time.as_picos() as f64 / all);
        table.column("%", times.iter().map(|&(_, time)| percent(time)));
        let messages = count(path.messages().len() as u64, "message");
        format!("{table}\n  in all {} over {messages}, to the end of node {}", path.span(), path.last_node)
    }

    fn longest_pieces(&self) -> String {
        let mut pieces: Vec<&Piece> = self.critical_path.pieces.iter().collect();
        pieces.sort_by_key(|piece| Reverse(piece.span()));
        let more = pieces.len().saturating_sub(MAX_SHOWN);
        pieces.truncate(MAX_SHOWN);
        let what = |piece: &&Piece| match piece.message {
            Some(message) => format!("  {}, {message}", piece.kind),
            None => format!("  {}, node {}", piece.kind, piece.rank),
        };
        let mut table = Table::new("longest pieces", pieces.iter().map(what));
        table.times("from us", pieces.iter().map(|piece| piece.start.since_start()));
        table.times("us", pieces.iter().map(|piece| piece.span()));
        and_more(table, more)
    }

    fn sharing(&self) -> String {
        let blame = &self.blame;
        if blame.losses.is_empty() {
            let shared = format!("lost to sharing  {}; no message delayed another", blame.shared());
            return if blame.own.is_zero() {
                shared
            } else {
                format!("{shared}; {} lost on links slower than the ports", blame.own)
            };
        }
        let mut places: Vec<_> = blame.by_place().into_iter().collect();
        places.sort_by_key(|&(_, lost)| Reverse(lost));
        let more = places.len().saturating_sub(MAX_SHOWN);
        places.truncate(MAX_SHOWN);
        let mut table =
            Table::new("lost to sharing", places.iter().map(|&(place, _)| format!("  {}", self.name(place))));
        table.times("us", places.iter().map(|&(_, lost)| lost));
        let mut losses: Vec<_> = blame.losses.iter().collect();
        losses.sort_by_key(|loss| Reverse(loss.lost));
        let others = losses.len().saturating_sub(MAX_SHOWN);
        losses.truncate(MAX_SHOWN);
        let mut pairs = Table::new("delayed", losses.iter().map(|loss| format!("  {}", loss.slowed)));
        pairs.column("by", losses.iter().map(|loss| loss.by));
        pairs.column("where", losses.iter().map(|loss| self.name(loss.place)));
        pairs.times("us", losses.iter().map(|loss| loss.lost));
        let total = format!(
            "  total: {} lost to other messages; {} lost on links slower than the ports",
            blame.shared(),
            blame.own
        );
        format!("{}\n{total}\n\n{}", and_more(table, more), and_more(pairs, others))
    }
}

fn and_more(table: Table, more: usize) -> String {
    match more {
        0 => table.to_string(),
        _ => format!("{table}\n  and {more} more"),
    }
}

impl fmt::Display for Explanation {
    /// Writes the critical path by kind of time, its longest pieces, and the largest contention delays by link or port and by message. No
    /// trailing line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.critical_path.pieces.is_empty() {
            return f.write_str("Where the time went: the run took no time");
        }
        let sections = [self.kinds(), self.longest_pieces(), self.sharing()];
        write!(f, "Where the time went\n\n{}", sections.join("\n\n"))
    }
}
