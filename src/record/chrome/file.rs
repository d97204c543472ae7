//! The trace file: its records, with the names of the format, and times with all digits.

use std::io::{self, BufWriter, Write};

use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;

use crate::{
    rank::{Rank, Tag},
    time::Time,
};

const PICOS_PER_MICRO: u128 = 1_000_000;

/// The process number of the nodes.
pub(super) const NODES: u32 = 1;

/// The process number of the network.
pub(super) const NETWORK: u32 = 2;

/// The number of the first track of a node.
pub(super) const FIRST_TRACK: usize = 10_000;

/// The number of the first track of an out-port, far above the tracks of nodes: readers expect track numbers to differ
/// between processes.
pub(super) const FIRST_PORT: usize = 1_000_000_000;

/// Writer of a trace file: the records and the enclosing JSON text.
pub(super) struct File<W: Write> {
    writer: BufWriter<W>,
}

impl<W: Write> File<W> {
    pub(super) fn begin(machine: &str, writer: W) -> io::Result<File<W>> {
        let mut file = File { writer: BufWriter::new(writer) };
        file.writer.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        // The first record has no comma before it; `append` writes the others.
        file.write(&Record::metadata("process_name", NODES, FIRST_TRACK, Args::Name { name: machine }))?;
        Ok(file)
    }

    pub(super) fn name_network(&mut self, machine: &str) -> io::Result<()> {
        let name = format!("network of {machine}");
        self.append(&Record::metadata("process_name", NETWORK, FIRST_PORT, Args::Name { name: &name }))
    }

    /// Names a track and sets its position in the display.
    pub(super) fn name_track(&mut self, pid: u32, tid: usize, name: &str, place: usize) -> io::Result<()> {
        self.append(&Record::metadata("thread_name", pid, tid, Args::Name { name }))?;
        let place = Args::SortIndex { sort_index: place };
        self.append(&Record::metadata("thread_sort_index", pid, tid, place))
    }

    pub(super) fn append(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.writer.write_all(b",\n")?;
        self.write(record)
    }

    fn write(&mut self, record: &Record<'_>) -> io::Result<()> {
        let mut serializer = serde_json::Serializer::with_formatter(&mut self.writer, ExactTimes);
        Ok(record.serialize(&mut serializer)?)
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.writer.write_all(b"\n]}\n")?;
        self.writer.flush()
    }
}

/// One record of the file.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cat: Option<&'static str>,
    pub(super) ph: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bp: Option<&'static str>,
    pub(super) pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tid: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ts: Option<Picos>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) args: Option<Args<'a>>,
}

impl<'a> Record<'a> {
    /// Creates a record on a track at an instant.
    pub(super) fn on(pid: u32, tid: usize, ph: &'static str, ts: Time) -> Record<'a> {
        let (tid, ts) = (Some(tid), Some(Picos(ts)));
        Record { name: None, cat: None, ph, id: None, bp: None, pid, tid, ts, args: None }
    }

    /// Creates a record of the value of a network counter from an instant on.
    pub(super) fn counter(name: &'a str, ts: Time, flows: u64) -> Record<'a> {
        let (name, args) = (Some(name), Some(Args::Flows { flows }));
        Record { name, tid: None, args, ..Record::on(NETWORK, 0, "C", ts) }
    }

    fn metadata(name: &'a str, pid: u32, tid: usize, args: Args<'a>) -> Record<'a> {
        let (name, args) = (Some(name), Some(args));
        Record { name, args, ts: None, ..Record::on(pid, tid, "M", Time::ZERO) }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Args<'a> {
    Message { peer: Rank, bytes: u64, tag: Label, seq: u64 },
    Transfer { peer: Rank, bytes: u64, seq: u64, arrived: Picos },
    Flows { flows: u64 },
    Name { name: &'a str },
    SortIndex { sort_index: usize },
}

/// A tag: its name, if it has one, or its number.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Label {
    Name(String),
    Number(u32),
}

impl From<Tag> for Label {
    fn from(tag: Tag) -> Label {
        tag.name().map_or(Label::Number(tag.0), Label::Name)
    }
}

/// A time in picoseconds. Times are the only 128-bit numbers in the file; [`ExactTimes`] recognizes them by their type.
pub(super) struct Picos(pub(super) Time);

impl Serialize for Picos {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u128(self.0.as_picos().into())
    }
}

/// Compact JSON in which a 128-bit number of picoseconds is written as microseconds, with all digits and without an
/// exponent. A 64-bit float would guarantee neither.
struct ExactTimes;

impl Formatter for ExactTimes {
    fn write_u128<W: ?Sized + Write>(&mut self, writer: &mut W, picos: u128) -> io::Result<()> {
        let (whole, rest) = (picos / PICOS_PER_MICRO, picos % PICOS_PER_MICRO);
        match rest {
            0 => write!(writer, "{whole}"),
            _ => write!(writer, "{whole}.{}", format!("{rest:06}").trim_end_matches('0')),
        }
    }
}
