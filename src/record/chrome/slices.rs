//! The tracks of nodes: a slice for each event, nested slices for the pieces of its time, and the arrows of messages.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

use super::{
    super::{Event, EventKind, Part, Trace},
    file::{Args, FIRST_TRACK, File, NODES, Record},
};
use crate::{rank::Rank, time::Time};

/// An event, or a piece of an event.
#[derive(Clone, Copy)]
struct Slice<'a> {
    /// The index of the event.
    number: usize,
    event: &'a Event,
    start: Time,
    end: Time,
    /// The kind of piece, if the slice is not the whole event.
    piece: Option<PieceKind>,
}

/// The kind of a piece of a call's time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Overhead,
    /// Waiting for a message to arrive, or to leave if the entry time of the message is unknown.
    Waiting,
    /// Waiting for earlier messages to leave through the port.
    Queued,
    /// Waiting for the message's own bytes to leave.
    Leaving,
}

/// The slices of all nodes, and the arrows between them.
pub(super) struct Slices<'a> {
    nodes: usize,
    order: Vec<Slice<'a>>,
    arrows: BTreeSet<Message>,
    /// For each event, the index of its track among the tracks of its node.
    placed: Vec<usize>,
    /// The tracks that already have a name.
    named: BTreeSet<usize>,
}

/// The identity of a message: its sender and the number of messages that the sender had sent before.
type Message = (Rank, u64);

/// The slices that have begun but not ended, with their tracks, ordered by end; innermost first at equal ends.
type OpenSlices<'a> = BTreeMap<(Time, Reverse<usize>), (Slice<'a>, usize)>;

impl<'a> Slices<'a> {
    pub(super) fn new(trace: &'a Trace, nodes: usize) -> Slices<'a> {
        let events = &trace.events;
        let transfers = trace.transfers.iter();
        let entered: BTreeMap<Message, Time> =
            transfers.map(|transfer| ((transfer.from, transfer.seq), transfer.entered)).collect();
        let mut order = Vec::with_capacity(3 * events.len());
        for (number, event) in events.iter().enumerate() {
            let (start, end) = (event.start, event.end);
            order.push(Slice { number, event, start, end, piece: None });
            pieces(event, &entered, |start, end, piece| {
                order.push(Slice { number, event, start, end, piece: Some(piece) });
            });
        }
        order.sort_by_key(Slice::place);
        let (placed, named) = (vec![0; events.len()], BTreeSet::new());
        Slices { nodes, order, arrows: arrows(events), placed, named }
    }

    pub(super) fn write<W: Write>(mut self, file: &mut File<W>) -> io::Result<()> {
        for rank in 0..self.nodes {
            self.track(rank, 0, file)?;
        }
        let mut lanes = vec![Lanes::default(); self.nodes];
        let mut open = OpenSlices::new();
        for (number, slice) in std::mem::take(&mut self.order).into_iter().enumerate() {
            while let Some(ended) = open.first_entry().filter(|ended| ended.key().0 <= slice.start) {
                let (ended, track) = ended.remove();
                self.end(ended, track, file)?;
            }
            let rank = slice.event.rank;
            let lane = match slice.piece {
                None => lanes[rank].place(&slice),
                Some(_) => lanes[rank].place_on(self.placed[slice.number], &slice),
            };
            self.placed[slice.number] = lane;
            let track = self.track(rank, lane, file)?;
            self.begin(slice, track, file)?;
            open.insert((slice.end, Reverse(number)), (slice, track));
        }
        open.into_values().try_for_each(|(slice, track)| self.end(slice, track, file))
    }

    /// Returns the number of a track and names the track at its first use. The first tracks of all nodes are numbered
    /// first, then the second tracks, and so on.
    fn track<W: Write>(&mut self, rank: Rank, lane: usize, file: &mut File<W>) -> io::Result<usize> {
        let track = FIRST_TRACK + lane * self.nodes + rank;
        if self.named.insert(track) {
            let name = if lane == 0 { format!("node {rank}") } else { format!("node {rank}, overlapping") };
            file.name_track(NODES, track, &name, rank)?;
        }
        Ok(track)
    }

    fn begin<W: Write>(&self, slice: Slice<'_>, track: usize, file: &mut File<W>) -> io::Result<()> {
        let (name, cat, args) = slice.describe();
        let begin = Record::on(NODES, track, "B", slice.start);
        file.append(&Record { name: Some(&name), cat: Some(cat), args, ..begin })?;
        match (slice.piece, &slice.event.kind) {
            (None, EventKind::Send { .. }) => self.arrow(slice, track, "s", None, file),
            _ => Ok(()),
        }
    }

    fn end<W: Write>(&self, slice: Slice<'_>, track: usize, file: &mut File<W>) -> io::Result<()> {
        if let (None, EventKind::Recv { .. }) = (slice.piece, &slice.event.kind) {
            self.arrow(slice, track, "f", Some("e"), file)?;
        }
        file.append(&Record::on(NODES, track, "E", slice.end))
    }

    /// Writes one end of the arrow of the slice's message, if there is an arrow.
    fn arrow<W: Write>(
        &self,
        slice: Slice<'_>,
        track: usize,
        ph: &'static str,
        bp: Option<&'static str>,
        file: &mut File<W>,
    ) -> io::Result<()> {
        let Some((source, seq)) = message(slice.event).filter(|message| self.arrows.contains(message)) else {
            return Ok(());
        };
        let id = Some(seq.wrapping_mul(self.nodes as u64).wrapping_add(source as u64));
        let at = if ph == "s" { slice.start } else { slice.end };
        let (name, cat) = (Some("message"), Some("message"));
        file.append(&Record { name, cat, id, bp, ..Record::on(NODES, track, ph, at) })
    }
}

impl Slice<'_> {
    /// Returns the sort key: by begin, then by node; then enclosing slices first, then calls of zero length, which were
    /// made before other calls at this instant.
    fn place(&self) -> (Time, Rank, u8, Reverse<Time>, u8) {
        let depth = match (&self.event.kind, self.piece) {
            (EventKind::Phase { .. }, _) => 0,
            (EventKind::Part(Part::Operation(_)), _) => 1,
            (EventKind::Part(Part::Step(_)), _) => 2,
            (EventKind::SendRecv, _) => 3,
            (_, None) => 4,
            (_, Some(_)) => 5,
        };
        let tier = match depth {
            0..=3 => 0,
            _ if self.start == self.end => 1,
            _ => 2,
        };
        (self.start, self.event.rank, tier, Reverse(self.end), depth)
    }

    /// Returns the name of the slice, its category, and the arguments that are shown when it is selected.
    fn describe(&self) -> (Cow<'_, str>, &'static str, Option<Args<'_>>) {
        match self.piece {
            Some(PieceKind::Overhead) => return ("overhead".into(), "overhead", None),
            Some(PieceKind::Waiting) => return ("waiting".into(), "waiting", None),
            Some(PieceKind::Queued) => return ("queued for the port".into(), "waiting", None),
            Some(PieceKind::Leaving) => return ("bytes leaving".into(), "waiting", None),
            None => {}
        }
        match self.event.kind {
            EventKind::Send { to: peer, bytes, tag, seq, .. } => {
                let args = Args::Message { peer, bytes, tag: tag.into(), seq };
                (format!("send to {peer}").into(), "send", Some(args))
            }
            EventKind::Recv { from: peer, bytes, tag, seq, .. } => {
                let args = Args::Message { peer, bytes, tag: tag.into(), seq };
                (format!("recv from {peer}").into(), "recv", Some(args))
            }
            EventKind::SendRecv => ("sendrecv".into(), "sendrecv", None),
            EventKind::Compute | EventKind::Charge => ("compute".into(), "compute", None),
            EventKind::Wait { .. } => ("wait".into(), "waiting", None),
            EventKind::Barrier => ("barrier".into(), "waiting", None),
            EventKind::Phase { ref name } => (name.as_ref().into(), "phase", None),
            EventKind::Part(Part::Operation(ref name)) => (name.as_ref().into(), "operation", None),
            EventKind::Part(Part::Step(number)) => (format!("step {number}").into(), "step", None),
        }
    }
}

/// Calls `add` for each piece of the time of a send or a receive, except pieces of zero length.
fn pieces(event: &Event, entered: &BTreeMap<Message, Time>, mut add: impl FnMut(Time, Time, PieceKind)) {
    let mut add = |start: Time, end: Time, piece| {
        if start < end {
            add(start, end, piece);
        }
    };
    match event.kind {
        EventKind::Send { seq, overhead, .. } => {
            let ready = event.end.min(event.start + overhead);
            add(event.start, ready, PieceKind::Overhead);
            match entered.get(&(event.rank, seq)) {
                Some(&entered) => {
                    let entered = entered.max(ready).min(event.end);
                    add(ready, entered, PieceKind::Queued);
                    add(entered, event.end, PieceKind::Leaving);
                }
                None => add(ready, event.end, PieceKind::Waiting),
            }
        }
        EventKind::Recv { overhead, .. } => {
            let waited = event.end.since(event.start) - overhead;
            let came = event.start + waited;
            add(event.start, came, PieceKind::Waiting);
            add(came, event.end, PieceKind::Overhead);
        }
        _ => {}
    }
}

/// The tracks of one node: for each, the ends of its open slices, the innermost last.
#[derive(Clone, Default)]
struct Lanes(Vec<Vec<Time>>);

impl Lanes {
    /// Places a slice on the first track on which it is nested in all open slices, or on a new track. Returns the track.
    fn place(&mut self, slice: &Slice<'_>) -> usize {
        for lane in &mut self.0 {
            while lane.pop_if(|end| *end <= slice.start).is_some() {}
        }
        let fits = |lane: &Vec<Time>| lane.last().is_none_or(|&end| slice.end <= end);
        let lane = self.0.iter().position(fits).unwrap_or(self.0.len());
        if lane == self.0.len() {
            self.0.push(Vec::new());
        }
        self.place_on(lane, slice)
    }

    /// Places a slice on a given track: a piece goes to the track of its call.
    fn place_on(&mut self, lane: usize, slice: &Slice<'_>) -> usize {
        let ends = &mut self.0[lane];
        while ends.pop_if(|end| *end <= slice.start).is_some() {}
        ends.push(slice.end);
        lane
    }
}

fn message(event: &Event) -> Option<Message> {
    match event.kind {
        EventKind::Send { seq, .. } => Some((event.rank, seq)),
        EventKind::Recv { from, seq, .. } => Some((from, seq)),
        _ => None,
    }
}

/// Returns the messages that have a send and a later receive.
fn arrows(events: &[Event]) -> BTreeSet<Message> {
    let sends = events.iter().filter(|event| matches!(event.kind, EventKind::Send { .. }));
    let sent: BTreeMap<_, _> = sends.filter_map(|send| Some((message(send)?, send.start))).collect();
    let receives = events.iter().filter(|event| matches!(event.kind, EventKind::Recv { .. }));
    let received = receives.filter_map(|receive| Some((message(receive)?, receive.end)));
    let later = received.filter(|(message, end)| sent.get(message).is_some_and(|start| start < end));
    later.map(|(message, _)| message).collect()
}
