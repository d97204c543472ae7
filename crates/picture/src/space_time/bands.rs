//! Bands of phases, library operations and their steps: from the first node's start to the last node's end.

use std::collections::BTreeMap;

use multicomputer::{
    Rank, Time,
    record::{Event, EventKind, Part, Trace},
};

/// Maximum number of lanes of bands; more lanes would need more space than the rows.
const MAX_LANES: usize = 6;

/// A band above the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    pub(crate) name: String,
    pub(crate) start: Time,
    pub(crate) end: Time,
    /// The lane, counted from 0 at the top.
    pub(crate) lane: usize,
}

/// A step on one node: its number, start and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) rank: Rank,
    pub(crate) number: usize,
    pub(crate) start: Time,
    pub(crate) end: Time,
}

/// The bands, and the number of bands for which there is no lane.
#[derive(Debug, Default)]
pub(crate) struct Bands {
    pub(crate) bands: Vec<Band>,
    pub(crate) lanes: usize,
    pub(crate) left_out: usize,
}

impl Bands {
    /// Returns the note on omitted bands, if any.
    pub(crate) fn says_left_out(&self, place: &str) -> Option<String> {
        match self.left_out {
            0 => None,
            1 => Some(format!("1 phase or step is not drawn {place}: the maximum is {MAX_LANES} lanes.")),
            bands => Some(format!(
                "{bands} phases or steps that overlap others are not drawn {place}: the maximum is {MAX_LANES} lanes."
            )),
        }
    }
}

/// Key of a band. A phase: its name. An operation: its name and the number of operations the node began before. A step:
/// its operation and its number.
type Key<'a> = (u8, usize, &'a str, usize);

/// Returns the bands of all nodes together: phases, operations, steps; each kind has separate lanes.
pub(crate) fn bands(trace: &Trace) -> Bands {
    let mut spans: BTreeMap<Key<'_>, (Time, Time)> = BTreeMap::new();
    // The number of operations that each node has begun; a step belongs to the last one.
    let mut begun: BTreeMap<Rank, usize> = BTreeMap::new();
    let mut ordered: Vec<_> = trace.events.iter().collect();
    // An operation sorts before its first step, which may have the same start.
    let is_step = |event: &Event| matches!(event.kind, EventKind::Part(Part::Step(_)));
    ordered.sort_by_key(|event| (event.rank, event.start, is_step(event)));
    for event in ordered {
        let key: Key<'_> = match &event.kind {
            EventKind::Phase { name } => (0, 0, name, 0),
            EventKind::Part(Part::Operation(name)) => {
                let begun = begun.entry(event.rank).or_default();
                *begun += 1;
                (1, *begun, name, 0)
            }
            EventKind::Part(Part::Step(number)) => {
                (2, begun.get(&event.rank).copied().unwrap_or(0), "", *number)
            }
            _ => continue,
        };
        let span = spans.entry(key).or_insert((event.start, event.end));
        *span = (span.0.min(event.start), span.1.max(event.end));
    }
    let mut all = Bands::default();
    for kind in 0..3 {
        let of_kind = spans.iter().filter(|(key, _)| key.0 == kind);
        let mut sorted: Vec<_> = of_kind.map(|(key, &(start, end))| (start, end, key)).collect();
        sorted.sort();
        let first = all.lanes;
        let mut ends: Vec<Time> = Vec::new();
        for (start, end, &(_, _, name, number)) in sorted {
            let lane = ends.iter().position(|&end| end <= start).unwrap_or(ends.len());
            if first + lane >= MAX_LANES {
                all.left_out += 1;
                continue;
            }
            if lane == ends.len() {
                ends.push(end);
            }
            ends[lane] = end;
            let name = if kind == 2 { format!("step {number}") } else { name.to_owned() };
            all.bands.push(Band { name, start, end, lane: first + lane });
        }
        all.lanes = first + ends.len();
    }
    all
}

/// Returns the steps of all nodes, in the order of events.
pub(crate) fn steps(trace: &Trace) -> Vec<Step> {
    let steps = trace.events.iter().filter_map(|event| match event.kind {
        EventKind::Part(Part::Step(number)) => {
            Some(Step { rank: event.rank, number, start: event.start, end: event.end })
        }
        _ => None,
    });
    steps.collect()
}
