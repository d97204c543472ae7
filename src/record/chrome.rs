//! The events of a run in the Chrome trace-event format, which <https://ui.perfetto.dev> shows as a timeline: the
//! machine is a process, every node a thread of it, every message an arrow.
//!
//! Three facts about the readers of the format decide how it is written.
//!
//! - They keep whole nanoseconds, cut a begin and a duration each by itself, and drop a slice that then sticks out of
//!   the one around it. So a slice is written as its begin ("B") and its end ("E") rather than as one complete event
//!   ("X"): cutting instants never changes their order, and what is nested stays so.
//! - Of the records of one time on one track, those that stand first in the file come first, and an arrow belongs to
//!   the innermost slice that is open then. So the records are in order of time; an arrow starts right behind the
//!   begin of its send and ends right before the end of its receive. That holds for slices of no length as well.
//! - Thread 0 is the idle thread of an operating system, and one with the number of its process the main thread. So
//!   the tracks are numbered from 10,000.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    io::{self, BufWriter, Write},
};

use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;

use super::{Event, EventKind};
use crate::{
    rank::{Rank, Tag},
    time::Time,
};

const PROCESS: u32 = 1;
const FIRST_TRACK: usize = 10_000;
const PICOS_PER_MICRO: u128 = 1_000_000;

/// Writes the events of a run on a machine of `nodes` nodes as a Chrome trace, a JSON object that
/// <https://ui.perfetto.dev> opens: one track for each node, an arrow from each send to its receive.
///
/// Times are modeled microseconds, exact to the picosecond; the same events give the same bytes. The events may be in
/// any order. One that overlaps another of its node without lying within it goes to a second track of that node. A
/// message whose send or receive is not among the events has no arrow, nor has one that took no time at all.
///
/// # Errors
/// What the writer reports, or [`io::ErrorKind::InvalidInput`] if an event is of a node that the machine does not
/// have.
pub fn write_chrome_trace(
    events: &[Event],
    nodes: usize,
    machine: &str,
    writer: impl io::Write,
) -> io::Result<()> {
    if let Some(event) = events.iter().find(|event| event.rank >= nodes) {
        let what = format!("an event of node {} on a machine of {nodes} nodes", event.rank);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let mut trace = Trace::begin(events, nodes, machine, writer)?;
    let mut lanes = vec![Lanes::default(); nodes];
    let mut open = OpenSlices::new();
    for (number, event) in in_order_of_begin(events).into_iter().enumerate() {
        while let Some(slice) = open.first_entry().filter(|slice| slice.key().0 <= event.start) {
            trace.end_slice(slice.remove())?;
        }
        let lane = lanes[event.rank].place(event);
        let slice = Slice { event, track: trace.track(event.rank, lane)? };
        trace.begin_slice(slice)?;
        open.insert((event.end, Reverse(number)), slice);
    }
    for slice in open.into_values() {
        trace.end_slice(slice)?;
    }
    trace.finish()
}

/// By begin; of several that begin at one instant on one node, that which lies around the others first.
fn in_order_of_begin(events: &[Event]) -> Vec<&Event> {
    let mut order: Vec<&Event> = events.iter().collect();
    order.sort_by_key(|event| {
        let is_phase = matches!(event.kind, EventKind::Phase { .. });
        (event.start, event.rank, Reverse((event.end, is_phase)))
    });
    order
}

/// The slices that have begun and not ended, in the order in which they end: at one instant the innermost first.
type OpenSlices<'a> = BTreeMap<(Time, Reverse<usize>), Slice<'a>>;

/// An event on its track.
#[derive(Clone, Copy)]
struct Slice<'a> {
    event: &'a Event,
    track: usize,
}

/// The tracks of one node, each with the ends of the slices that are open on it, the innermost last.
#[derive(Clone, Default)]
struct Lanes(Vec<Vec<Time>>);

impl Lanes {
    /// The first track on which the event lies within every slice that is open, or a new one.
    fn place(&mut self, event: &Event) -> usize {
        for lane in &mut self.0 {
            while lane.pop_if(|end| *end <= event.start).is_some() {}
        }
        let fits = |lane: &Vec<Time>| lane.last().is_none_or(|&end| event.end <= end);
        let lane = self.0.iter().position(fits).unwrap_or(self.0.len());
        if lane == self.0.len() {
            self.0.push(Vec::new());
        }
        self.0[lane].push(event.end);
        lane
    }
}

/// A message by its sender and the number of messages which that had sent before.
type Message = (Rank, u64);

fn message(event: &Event) -> Option<Message> {
    match event.kind {
        EventKind::Send { seq, .. } => Some((event.rank, seq)),
        EventKind::Recv { from, seq, .. } => Some((from, seq)),
        _ => None,
    }
}

/// The messages that were sent and received later.
fn arrows(events: &[Event]) -> BTreeSet<Message> {
    let sends = events.iter().filter(|event| matches!(event.kind, EventKind::Send { .. }));
    let sent: BTreeMap<_, _> = sends.filter_map(|send| Some((message(send)?, send.start))).collect();
    let receives = events.iter().filter(|event| matches!(event.kind, EventKind::Recv { .. }));
    let received = receives.filter_map(|receive| Some((message(receive)?, receive.end)));
    let later = received.filter(|(message, end)| sent.get(message).is_some_and(|start| start < end));
    later.map(|(message, _)| message).collect()
}

/// The file: what stands around the records, and what has been written of them.
struct Trace<W: Write> {
    writer: BufWriter<W>,
    nodes: usize,
    arrows: BTreeSet<Message>,
    /// The tracks that have a name.
    named: BTreeSet<usize>,
}

impl<W: Write> Trace<W> {
    fn begin(events: &[Event], nodes: usize, machine: &str, writer: W) -> io::Result<Trace<W>> {
        let (arrows, named) = (arrows(events), BTreeSet::new());
        let mut trace = Trace { writer: BufWriter::new(writer), nodes, arrows, named };
        trace.writer.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        // The only record without a comma before it.
        trace.write(&Record::metadata("process_name", FIRST_TRACK, Args::Name { name: machine }))?;
        for rank in 0..nodes {
            trace.track(rank, 0)?;
        }
        Ok(trace)
    }

    /// The number of a track, which gets its name when it is first asked for: the first ones of all nodes, then the
    /// second ones, and so on.
    fn track(&mut self, rank: Rank, lane: usize) -> io::Result<usize> {
        let track = FIRST_TRACK + lane * self.nodes + rank;
        if self.named.insert(track) {
            let name = if lane == 0 { format!("node {rank}") } else { format!("node {rank}, overlapping") };
            self.append(&Record::metadata("thread_name", track, Args::Name { name: &name }))?;
            self.append(&Record::metadata("thread_sort_index", track, Args::SortIndex { sort_index: rank }))?;
        }
        Ok(track)
    }

    fn begin_slice(&mut self, slice: Slice<'_>) -> io::Result<()> {
        let (name, args) = describe(&slice.event.kind);
        let cat = Some(category(&slice.event.kind));
        self.append(&Record { name: Some(&name), cat, args, ..Record::of(slice, "B", slice.event.start) })?;
        match slice.event.kind {
            EventKind::Send { .. } => self.arrow(slice, "s", slice.event.start, None),
            _ => Ok(()),
        }
    }

    fn end_slice(&mut self, slice: Slice<'_>) -> io::Result<()> {
        if let EventKind::Recv { .. } = slice.event.kind {
            self.arrow(slice, "f", slice.event.end, Some("e"))?;
        }
        self.append(&Record::of(slice, "E", slice.event.end))
    }

    /// One end of the arrow of the slice's message, if that has one.
    fn arrow(
        &mut self,
        slice: Slice<'_>,
        ph: &'static str,
        ts: Time,
        bp: Option<&'static str>,
    ) -> io::Result<()> {
        let Some((source, seq)) = message(slice.event).filter(|message| self.arrows.contains(message)) else {
            return Ok(());
        };
        let id = Some(seq.wrapping_mul(self.nodes as u64).wrapping_add(source as u64));
        self.append(&Record {
            name: Some("message"),
            cat: Some("message"),
            id,
            bp,
            ..Record::of(slice, ph, ts)
        })
    }

    fn append(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.writer.write_all(b",\n")?;
        self.write(record)
    }

    fn write(&mut self, record: &Record<'_>) -> io::Result<()> {
        let mut serializer = serde_json::Serializer::with_formatter(&mut self.writer, ExactTimes);
        Ok(record.serialize(&mut serializer)?)
    }

    fn finish(mut self) -> io::Result<()> {
        self.writer.write_all(b"\n]}\n")?;
        self.writer.flush()
    }
}

/// What a slice is called, and what is shown when it is selected.
fn describe(kind: &EventKind) -> (Cow<'_, str>, Option<Args<'_>>) {
    match *kind {
        EventKind::Send { to: peer, bytes, tag, seq } => {
            (format!("send to {peer}").into(), Some(Args::Message { peer, bytes, tag, seq }))
        }
        EventKind::Recv { from: peer, bytes, tag, seq } => {
            (format!("recv from {peer}").into(), Some(Args::Message { peer, bytes, tag, seq }))
        }
        EventKind::Phase { ref name } => (name.as_ref().into(), None),
        EventKind::Compute | EventKind::Wait | EventKind::Barrier => (category(kind).into(), None),
    }
}

fn category(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Send { .. } => "send",
        EventKind::Recv { .. } => "recv",
        EventKind::Compute => "compute",
        EventKind::Wait => "wait",
        EventKind::Barrier => "barrier",
        EventKind::Phase { .. } => "phase",
    }
}

/// One record of the file, with the format's own names.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    ph: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    pid: u32,
    tid: usize,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_picos")]
    ts: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Args<'a>>,
}

impl<'a> Record<'a> {
    fn of(slice: Slice<'_>, ph: &'static str, ts: Time) -> Record<'a> {
        let (pid, tid) = (PROCESS, slice.track);
        Record { name: None, cat: None, ph, id: None, bp: None, pid, tid, ts: Some(ts), args: None }
    }

    fn metadata(name: &'a str, tid: usize, args: Args<'a>) -> Record<'a> {
        let (name, args) = (Some(name), Some(args));
        Record { name, cat: None, ph: "M", id: None, bp: None, pid: PROCESS, tid, ts: None, args }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Args<'a> {
    Message { peer: Rank, bytes: u64, tag: Tag, seq: u64 },
    Name { name: &'a str },
    SortIndex { sort_index: usize },
}

/// Times are the only 128-bit numbers of the file, in picoseconds; [`ExactTimes`] knows them by that.
fn as_picos<S: Serializer>(time: &Option<Time>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u128(time.unwrap_or_default().as_picos().into())
}

/// Compact JSON in which a 128-bit number of picoseconds stands as microseconds, in all its digits and without an
/// exponent: a 64-bit float has neither.
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

#[cfg(test)]
#[path = "chrome_tests.rs"]
mod tests;
