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
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::time::Span;

    /// An event of a node from one microsecond to another.
    fn event(rank: Rank, start: u64, end: u64, kind: EventKind) -> Event {
        let at = |micros| Time::ZERO + Span::from_micros(micros);
        Event { rank, start: at(start), end: at(end), kind }
    }

    fn send(to: Rank, seq: u64) -> EventKind {
        EventKind::Send { to, bytes: 1000, tag: Tag(7), seq }
    }

    fn recv(from: Rank, seq: u64) -> EventKind {
        EventKind::Recv { from, bytes: 1000, tag: Tag(7), seq }
    }

    fn phase(name: &str) -> EventKind {
        EventKind::Phase { name: name.into() }
    }

    fn written(events: &[Event], nodes: usize) -> String {
        let mut bytes = Vec::new();
        write_chrome_trace(events, nodes, "a \"small\" machine", &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn records(events: &[Event], nodes: usize) -> Vec<Value> {
        let trace: Value = serde_json::from_str(&written(events, nodes)).unwrap();
        assert_eq!(trace["displayTimeUnit"], "ns");
        trace["traceEvents"].as_array().unwrap().clone()
    }

    /// An arrow: its id and the names of the slices at its two ends.
    type Arrow = (u64, String, String);

    /// Reads a trace as its readers do: in order of whole nanoseconds, of one time in the order of the file, with a
    /// stack of open slices for each track. Returns the arrows and the deepest nesting, and checks that every slice
    /// ends where it is the innermost.
    fn read(mut records: Vec<Value>) -> (Vec<Arrow>, usize) {
        records.retain(|record| record["ph"] != "M");
        records.sort_by_key(|record| (record["ts"].as_f64().unwrap() * 1000.0) as u64);
        let mut tracks: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let mut begun: BTreeMap<u64, String> = BTreeMap::new();
        let (mut arrows, mut deepest) = (Vec::new(), 0);
        for record in &records {
            let open = tracks.entry(record["tid"].as_u64().unwrap()).or_default();
            match record["ph"].as_str().unwrap() {
                "B" => open.push(record["name"].as_str().unwrap().to_owned()),
                "E" => drop(open.pop().expect("an end without a begin")),
                "s" => {
                    let twice = begun.insert(record["id"].as_u64().unwrap(), open.last().unwrap().clone());
                    assert_eq!(twice, None, "an id that is not unique");
                }
                "f" => {
                    assert_eq!(record["bp"], "e");
                    let id = record["id"].as_u64().unwrap();
                    let from = begun.remove(&id).expect("an arrow that ends before it begins");
                    arrows.push((id, from, open.last().unwrap().clone()));
                }
                other => panic!("a record of kind {other}"),
            }
            deepest = deepest.max(open.len());
        }
        assert!(begun.is_empty(), "dangling arrows: {begun:?}");
        assert!(tracks.values().all(Vec::is_empty), "slices without an end: {tracks:?}");
        (arrows, deepest)
    }

    #[test]
    fn a_tiny_trace_in_full() {
        let mut events =
            [event(0, 0, 115, send(1, 0)), event(1, 0, 180, recv(0, 0)), event(1, 180, 180, EventKind::Wait)];
        events[0].end += Span::from_picos(1_500);
        let expected = r#"{"displayTimeUnit":"ns","traceEvents":[
{"name":"process_name","ph":"M","pid":1,"tid":10000,"args":{"name":"a \"small\" machine"}},
{"name":"thread_name","ph":"M","pid":1,"tid":10000,"args":{"name":"node 0"}},
{"name":"thread_sort_index","ph":"M","pid":1,"tid":10000,"args":{"sort_index":0}},
{"name":"thread_name","ph":"M","pid":1,"tid":10001,"args":{"name":"node 1"}},
{"name":"thread_sort_index","ph":"M","pid":1,"tid":10001,"args":{"sort_index":1}},
{"name":"send to 1","cat":"send","ph":"B","pid":1,"tid":10000,"ts":0,"args":{"peer":1,"bytes":1000,"tag":7,"seq":0}},
{"name":"message","cat":"message","ph":"s","id":0,"pid":1,"tid":10000,"ts":0},
{"name":"recv from 0","cat":"recv","ph":"B","pid":1,"tid":10001,"ts":0,"args":{"peer":0,"bytes":1000,"tag":7,"seq":0}},
{"ph":"E","pid":1,"tid":10000,"ts":115.0015},
{"name":"message","cat":"message","ph":"f","id":0,"bp":"e","pid":1,"tid":10001,"ts":180},
{"ph":"E","pid":1,"tid":10001,"ts":180},
{"name":"wait","cat":"wait","ph":"B","pid":1,"tid":10001,"ts":180},
{"ph":"E","pid":1,"tid":10001,"ts":180}
]}
"#;
        assert_eq!(written(&events, 2), expected);
    }

    #[test]
    fn the_same_events_in_another_order_give_the_same_bytes() {
        let mut events = vec![
            event(0, 0, 65, send(1, 0)),
            event(0, 65, 180, recv(1, 0)),
            event(0, 0, 200, phase("swap")),
            event(1, 0, 65, send(0, 0)),
            event(1, 65, 180, recv(0, 0)),
        ];
        let first = written(&events, 2);
        assert_eq!(first, written(&events, 2));
        events.reverse();
        assert_eq!(first, written(&events, 2));
    }

    #[test]
    fn a_run_without_events_still_names_every_node() {
        let names: Vec<_> = records(&[], 3).iter().map(|record| record["args"]["name"].clone()).collect();
        let node = |rank| Value::from(format!("node {rank}"));
        let (machine, none) = (Value::from("a \"small\" machine"), Value::Null);
        assert_eq!(names, [machine, node(0), none.clone(), node(1), none.clone(), node(2), none]);
    }

    #[test]
    fn an_exchange_has_two_arrows_although_its_slices_touch() {
        let events = [
            event(0, 0, 65, send(1, 0)),
            event(0, 65, 180, recv(1, 0)),
            event(0, 180, 200, EventKind::Compute),
            event(1, 0, 65, send(0, 0)),
            event(1, 65, 180, recv(0, 0)),
            event(1, 180, 200, EventKind::Compute),
        ];
        let (mut arrows, deepest) = read(records(&events, 2));
        arrows.sort();
        let arrow = |id, from: &str, to: &str| (id, from.to_owned(), to.to_owned());
        assert_eq!(arrows, [arrow(0, "send to 1", "recv from 0"), arrow(1, "send to 0", "recv from 1")]);
        assert_eq!(deepest, 1);
    }

    #[test]
    fn phases_lie_around_what_happens_in_them() {
        let events = [
            event(0, 0, 100, EventKind::Barrier),
            event(0, 0, 100, phase("inner")),
            event(0, 0, 120, phase("outer")),
            event(0, 120, 130, phase("next")),
        ];
        let records = records(&events, 1);
        let begun: Vec<_> = records.iter().filter(|record| record["ph"] == "B").collect();
        let names: Vec<_> = begun.iter().map(|record| record["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["outer", "inner", "barrier", "next"]);
        assert_eq!(begun[0]["cat"], "phase");
        assert_eq!(read(records.clone()).1, 3);
    }

    #[test]
    fn slices_of_no_length_keep_their_arrows() {
        let events = [
            event(0, 10, 10, send(0, 0)),
            event(0, 10, 10, send(1, 1)),
            event(0, 10, 20, recv(0, 0)),
            event(1, 30, 30, recv(0, 1)),
            event(1, 30, 30, send(0, 0)),
            event(1, 30, 40, EventKind::Compute),
            event(0, 20, 31, recv(1, 0)),
        ];
        let (arrows, _) = read(records(&events, 2));
        let ends: Vec<_> = arrows.iter().map(|(_, from, to)| (from.as_str(), to.as_str())).collect();
        let expected =
            [("send to 0", "recv from 0"), ("send to 1", "recv from 0"), ("send to 0", "recv from 1")];
        assert_eq!(ends, expected);
    }

    #[test]
    fn a_message_without_both_ends_or_without_length_has_no_arrow() {
        let events = [
            event(0, 0, 10, send(1, 0)),
            event(1, 0, 10, recv(0, 1)),
            event(0, 20, 20, send(0, 2)),
            event(0, 20, 20, recv(0, 2)),
        ];
        assert_eq!(read(records(&events, 2)).0, []);
    }

    #[test]
    fn what_overlaps_goes_to_a_second_track() {
        let events =
            [event(1, 0, 10, phase("a")), event(1, 5, 15, phase("b")), event(1, 10, 20, EventKind::Compute)];
        let records = records(&events, 2);
        let begun = records.iter().filter(|record| record["ph"] == "B");
        let tracks: Vec<_> = begun.map(|record| record["tid"].as_u64().unwrap()).collect();
        assert_eq!(tracks, [10_001, 10_003, 10_001]);
        assert!(records.iter().any(|record| record["args"]["name"] == "node 1, overlapping"));
        assert_eq!(read(records).1, 1);
    }

    #[test]
    fn nesting_survives_readers_that_keep_whole_nanoseconds() {
        // A phase of thirds of nanoseconds, full of slices that end where it ends.
        let at = |picos| Time::ZERO + Span::from_picos(picos);
        let mut events = Vec::new();
        for round in 0..500 {
            let (start, end) = (round * 131_666_667, (round + 1) * 131_666_667);
            let middle = start + (round + 1) * 261_347;
            events.push(Event { rank: 0, start: at(start), end: at(end), kind: phase("round") });
            events.push(Event { rank: 0, start: at(start), end: at(middle), kind: send(0, round) });
            events.push(Event { rank: 0, start: at(middle), end: at(end), kind: recv(0, round) });
        }
        let (arrows, deepest) = read(records(&events, 1));
        assert_eq!((arrows.len(), deepest), (500, 2));
        assert!(arrows.iter().all(|(_, from, to)| from == "send to 0" && to == "recv from 0"));
    }

    #[test]
    fn times_are_exact_however_large() {
        let end = Time::MAX;
        let long = Event { rank: 0, start: end - Span::from_picos(1), end, kind: EventKind::Compute };
        let short =
            Event { rank: 0, start: Time::ZERO, end: Time::ZERO + Span::from_picos(1), ..long.clone() };
        let text = written(&[short, long], 1);
        for time in [
            "\"ts\":0}",
            "\"ts\":0.000001}",
            "\"ts\":18446744073709.551614}",
            "\"ts\":18446744073709.551615}",
        ] {
            assert!(text.contains(time), "{time} in {text}");
        }
    }

    #[test]
    fn a_node_that_the_machine_does_not_have_is_refused() {
        let refusal = write_chrome_trace(&[event(2, 0, 1, EventKind::Wait)], 2, "", io::sink()).unwrap_err();
        assert_eq!(refusal.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(refusal.to_string(), "an event of node 2 on a machine of 2 nodes");
    }

    #[test]
    fn the_error_of_the_writer_is_passed_on() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let events: Vec<_> = (0..1000).map(|i| event(0, i, i + 1, EventKind::Compute)).collect();
        for events in [&events, &events[..1]] {
            let error = write_chrome_trace(events, 1, "", Full).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
