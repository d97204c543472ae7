//! Tests of trace files as a reader of the format interprets them: tracks, slices, arrows, exact times.

use std::{collections::BTreeMap, io::Write, sync::Arc};

use serde_json::Value;

use super::{
    super::{Event, EventKind, Part, Transfer},
    *,
};
use crate::{
    model::{MachineSpec, Parameters},
    rank::Tag,
    time::{Span, Time},
    topology::Line,
};

/// Creates an event of a node with start and end in microseconds.
fn event(rank: Rank, start: u64, end: u64, kind: EventKind) -> Event {
    let at = |micros| Time::ZERO + Span::from_micros(micros);
    Event { rank, start: at(start), end: at(end), kind }
}

fn send(to: Rank, seq: u64) -> EventKind {
    EventKind::Send { to, bytes: 1000, tag: Tag(7), seq, overhead: Span::ZERO }
}

fn recv(from: Rank, seq: u64) -> EventKind {
    EventKind::Recv { from, bytes: 1000, tag: Tag(7), seq, overhead: Span::ZERO }
}

fn phase(name: &str) -> EventKind {
    EventKind::Phase { name: name.into() }
}

/// Creates a line of nodes.
fn machine(nodes: usize) -> MachineSpec {
    MachineSpec::new("a \"small\" machine", Arc::new(Line::new(nodes).unwrap()), Parameters::hockney())
}

const WAIT: EventKind = EventKind::Wait { until: crate::record::WaitEnd::Deadline };

fn trace(events: &[Event], transfers: &[Transfer]) -> Trace {
    Trace { events: events.to_vec(), transfers: transfers.to_vec(), ..Trace::default() }
}

fn written_with(events: &[Event], transfers: &[Transfer], nodes: usize) -> String {
    let mut bytes = Vec::new();
    write_chrome_trace(&trace(events, transfers), &machine(nodes), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn written(events: &[Event], nodes: usize) -> String {
    written_with(events, &[], nodes)
}

fn records(events: &[Event], nodes: usize) -> Vec<Value> {
    let trace: Value = serde_json::from_str(&written(events, nodes)).unwrap();
    assert_eq!(trace["displayTimeUnit"], "ns");
    trace["traceEvents"].as_array().unwrap().clone()
}

/// An arrow: its id and the names of the slices at its two ends.
type Arrow = (u64, String, String);

/// Reads a trace as its readers do: ordered by whole nanoseconds, then by position in the file, with a stack of open slices for each
/// track. Returns the arrows and the maximum nesting depth. Checks that each slice is the innermost one when it ends.
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
    let mut events = [event(0, 0, 115, send(1, 0)), event(1, 0, 180, recv(0, 0)), event(1, 180, 180, WAIT)];
    let (start, left) = (events[0].start, events[0].end + Span::from_picos(1_500));
    events[0].end = left;
    if let EventKind::Send { tag, overhead, .. } = &mut events[0].kind {
        (*tag, *overhead) = (Tag::named(b"StoP"), Span::from_micros(65));
    }
    if let EventKind::Recv { overhead, .. } = &mut events[1].kind {
        *overhead = events[1].end.since(left);
    }
    let entered = start + Span::from_micros(65);
    let transfer =
        Transfer { from: 0, to: 1, seq: 0, bytes: 1000, port: 0, access: None, entered, left, arrived: left };
    let expected = r#"{"displayTimeUnit":"ns","traceEvents":[
{"name":"process_name","ph":"M","pid":1,"tid":10000,"args":{"name":"a \"small\" machine"}},
{"name":"thread_name","ph":"M","pid":1,"tid":10000,"args":{"name":"node 0"}},
{"name":"thread_sort_index","ph":"M","pid":1,"tid":10000,"args":{"sort_index":0}},
{"name":"thread_name","ph":"M","pid":1,"tid":10001,"args":{"name":"node 1"}},
{"name":"thread_sort_index","ph":"M","pid":1,"tid":10001,"args":{"sort_index":1}},
{"name":"send to 1","cat":"send","ph":"B","pid":1,"tid":10000,"ts":0,"args":{"peer":1,"bytes":1000,"tag":"StoP","seq":0}},
{"name":"message","cat":"message","ph":"s","id":0,"pid":1,"tid":10000,"ts":0},
{"name":"overhead","cat":"overhead","ph":"B","pid":1,"tid":10000,"ts":0},
{"name":"recv from 0","cat":"recv","ph":"B","pid":1,"tid":10001,"ts":0,"args":{"peer":0,"bytes":1000,"tag":7,"seq":0}},
{"name":"waiting","cat":"waiting","ph":"B","pid":1,"tid":10001,"ts":0},
{"ph":"E","pid":1,"tid":10000,"ts":65},
{"name":"bytes leaving","cat":"waiting","ph":"B","pid":1,"tid":10000,"ts":65},
{"ph":"E","pid":1,"tid":10000,"ts":115.0015},
{"ph":"E","pid":1,"tid":10001,"ts":115.0015},
{"ph":"E","pid":1,"tid":10000,"ts":115.0015},
{"name":"overhead","cat":"overhead","ph":"B","pid":1,"tid":10001,"ts":115.0015},
{"ph":"E","pid":1,"tid":10001,"ts":180},
{"name":"message","cat":"message","ph":"f","id":0,"bp":"e","pid":1,"tid":10001,"ts":180},
{"ph":"E","pid":1,"tid":10001,"ts":180},
{"name":"wait","cat":"waiting","ph":"B","pid":1,"tid":10001,"ts":180},
{"ph":"E","pid":1,"tid":10001,"ts":180},
{"name":"process_name","ph":"M","pid":2,"tid":1000000000,"args":{"name":"network of a \"small\" machine"}},
{"name":"flows over node 0 -> node 1","ph":"C","pid":2,"ts":0,"args":{"flows":0}},
{"name":"flows over node 0 -> node 1","ph":"C","pid":2,"ts":65,"args":{"flows":1}},
{"name":"flows over node 0 -> node 1","ph":"C","pid":2,"ts":115.0015,"args":{"flows":0}},
{"name":"thread_name","ph":"M","pid":2,"tid":1000000000,"args":{"name":"out-port of node 0"}},
{"name":"thread_sort_index","ph":"M","pid":2,"tid":1000000000,"args":{"sort_index":0}},
{"name":"message to 1","cat":"transfer","ph":"B","pid":2,"tid":1000000000,"ts":65,"args":{"peer":1,"bytes":1000,"seq":0,"arrived":115.0015}},
{"ph":"E","pid":2,"tid":1000000000,"ts":115.0015}
]}
"#;
    assert_eq!(written_with(&events, &[transfer], 2), expected);
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
    assert_eq!(deepest, 2, "a receive and its waiting");
}

#[test]
fn phases_lie_around_what_happens_in_them() {
    let events = [
        event(0, 0, 100, EventKind::Barrier),
        event(0, 0, 100, EventKind::Part(Part::Step(1))),
        event(0, 0, 100, EventKind::Part(Part::operation("walk"))),
        event(0, 0, 100, phase("inner")),
        event(0, 0, 120, phase("outer")),
        event(0, 120, 130, phase("next")),
    ];
    let records = records(&events, 1);
    let begun: Vec<_> = records.iter().filter(|record| record["ph"] == "B").collect();
    let names: Vec<_> = begun.iter().map(|record| record["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["outer", "inner", "walk", "step 1", "barrier", "next"]);
    assert_eq!(begun[0]["cat"], "phase");
    assert_eq!(read(records.clone()).1, 5);
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
    let expected = [("send to 0", "recv from 0"), ("send to 1", "recv from 0"), ("send to 0", "recv from 1")];
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
fn overlapping_slices_are_on_separate_tracks() {
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
fn slices_stay_nested_in_readers_with_nanosecond_resolution() {
    // A phase with fractions of nanoseconds, containing slices that end at the same instant.
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
    assert_eq!((arrows.len(), deepest), (500, 3));
    assert!(arrows.iter().all(|(_, from, to)| from == "send to 0" && to == "recv from 0"));
}

#[test]
fn times_are_exact_however_large() {
    let end = Time::MAX;
    let long = Event { rank: 0, start: end - Span::from_picos(1), end, kind: EventKind::Compute };
    let short = Event { rank: 0, start: Time::ZERO, end: Time::ZERO + Span::from_picos(1), ..long.clone() };
    let text = written(&[short, long], 1);
    for time in
        ["\"ts\":0}", "\"ts\":0.000001}", "\"ts\":18446744073709.551614}", "\"ts\":18446744073709.551615}"]
    {
        assert!(text.contains(time), "{time} in {text}");
    }
}

#[test]
fn a_node_that_the_machine_does_not_have_is_refused() {
    let refusal = |events: &[Event], transfers: &[Transfer]| {
        let refusal = write_chrome_trace(&trace(events, transfers), &machine(2), io::sink()).unwrap_err();
        assert_eq!(refusal.kind(), io::ErrorKind::InvalidInput);
        refusal.to_string()
    };
    let text = refusal(&[event(2, 0, 1, WAIT)], &[]);
    assert_eq!(text, "an event of node 2 on a machine of 2 nodes");
    let at = Time::ZERO;
    let transfer = Transfer {
        from: 0,
        to: 3,
        seq: 0,
        bytes: 1,
        port: 0,
        access: None,
        entered: at,
        left: at,
        arrived: at,
    };
    assert_eq!(refusal(&[], &[transfer]), "a message of node 3 on a machine of 2 nodes");
}

#[test]
fn writer_errors_are_returned() {
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
        let error = write_chrome_trace(&trace(events, &[]), &machine(1), Full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
