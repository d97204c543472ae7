//! The data of a run for its page. Times are whole picoseconds; long sequences are delta-encoded, which is shorter.

use std::collections::BTreeMap;

use multicomputer::{
    Rank, Run, Span, Time,
    record::{Bottleneck, Change, Share, Trace, Transfer},
    topology::{LinkId, Topology},
    units::format_bytes,
};
use serde::Serialize;

use super::{
    super::{
        canvas::{counted, rounded},
        critical::{self, Stretch},
        sample::{Candidate, Sample},
        space_time::{bands::bands, bars::bars, rows::Rows},
        traffic::{self, Traffic},
    },
    holdings::{HoldingRule, Holdings},
};

/// The progress of a message, as stored for its shares, when all of its bytes have left.
const ALL_BYTES: f64 = 1e9;

/// Maximum numbers of rows and of lines of the diagram; browsers become slow with more.
const MAX_ROWS: usize = 360;
const MAX_LINES: usize = 20_000;

/// The data of a run.
#[derive(Debug, Serialize)]
pub(super) struct RunData {
    title: String,
    about: String,
    /// The index of its network on the page.
    network: usize,
    end: u64,
    /// The rule for held data: `blocks` or `reach`.
    rule: &'static str,
    /// The data of all members of each call: bytes and parts (see `DataAmount`).
    totals: Vec<[u64; 2]>,
    /// The changes of each node's held data as a flat list: time since the previous change, call, bytes, parts.
    levels: Vec<Vec<u64>>,
    /// The activities of each node as a flat list: kind, time since the end of the previous bar, length.
    bars: Vec<Vec<u64>>,
    finished: Vec<u64>,
    messages: Messages,
    /// Distinct routes of messages.
    routes: Vec<Vec<LinkId>>,
    /// By the index of a message: for each of its bandwidth shares the end of the share since the message entered the
    /// network, the progress at this time, and the bottleneck.
    shares: BTreeMap<usize, Vec<i64>>,
    /// Bottlenecks with their names.
    places: Vec<(Bottleneck, String)>,
    /// Links that carried a message: number, bytes, messages, busy time, shared time.
    links: Vec<[u64; 5]>,
    /// The critical path as a flat list: node, begin, node at which it continues, end.
    path: Vec<u64>,
    /// Phases, operations and steps: name, begin, end, lane.
    bands: Vec<(String, u64, u64, usize)>,
    /// The ranks with a row in the diagram.
    rows: Vec<Rank>,
    /// The indices of the messages with lines in the diagram; empty if all have lines.
    lines: Vec<usize>,
    /// Sentences on what the diagram omits, and by which rule.
    notes: Vec<String>,
}

/// The messages of a run, in the order in which they entered the network.
#[derive(Debug, Default, Serialize)]
struct Messages {
    from: Vec<Rank>,
    to: Vec<Rank>,
    bytes: Vec<u64>,
    /// The time since the previous message entered.
    entered: Vec<u64>,
    /// The time from entering until the message has left its sender.
    leaving: Vec<u64>,
    /// The time from leaving until arrival.
    flying: Vec<u64>,
    lost: Vec<u64>,
    route: Vec<usize>,
    /// The number of blocks of the library call in the message; 0 if unknown.
    blocks: Vec<usize>,
}

impl RunData {
    /// Collects the data of a traced run in modeled time.
    pub(super) fn of<T>(title: String, network: usize, run: &Run<T>) -> RunData {
        let (machine, report, trace) = (run.machine(), &run.report, &run.trace);
        let topology = &**machine.topology();
        let holdings = Holdings::of(trace, machine.nodes());
        let traffic = Traffic::of(&trace.transfers, topology);
        let loads = report.links.iter().map(|link| {
            let times = traffic.links.get(&link.id).copied().unwrap_or_default();
            let [busy, shared] = [times.busy, times.shared].map(Span::as_picos);
            [link.id as u64, link.load.bytes, link.load.messages, busy, shared]
        });
        let links = loads.collect();
        let lost = |transfer: &Transfer| traffic::lost(transfer, machine.parameters());
        let bands = bands(trace);
        let left_out = bands.says_left_out("above the diagram");
        let path = critical::stretches(trace, machine);
        let rows = Rows::thinned(&report.nodes, MAX_ROWS, &path);
        let mut data = RunData {
            title,
            network,
            end: report.makespan.as_picos(),
            rule: match holdings.rule {
                HoldingRule::Blocks => "blocks",
                HoldingRule::Reach => "reach",
            },
            totals: holdings.totals.iter().map(|total| [total.bytes, total.parts]).collect(),
            levels: levels(&holdings),
            bars: activities(trace, machine.nodes()),
            finished: report.nodes.iter().map(|node| node.finished.as_picos()).collect(),
            messages: Messages::default(),
            routes: Vec::new(),
            shares: BTreeMap::new(),
            places: Vec::new(),
            links,
            path: path.iter().flat_map(figures).collect(),
            lines: Vec::new(),
            notes: rows.describe(machine.nodes()).into_iter().collect(),
            rows: rows.ranks,
            bands: bands
                .bands
                .into_iter()
                .map(|band| (band.name, band.start.as_picos(), band.end.as_picos(), band.lane))
                .collect(),
            about: String::new(),
        };
        data.add_messages(trace, topology, lost);
        data.add_lines();
        data.notes.extend(left_out);
        let (nodes, time) = (counted(machine.nodes() as u64, "node"), report.makespan.since_start());
        let (messages, bytes) = (counted(report.messages, "message"), format_bytes(report.bytes));
        data.about =
            format!("{}, {nodes}: {} modeled; {messages} with {bytes}", report.machine, rounded(time));
        if let Some(delayed) = traffic::delayed(report) {
            data.about += &format!(". {delayed}");
        }
        data
    }

    /// Selects the messages that have lines in the diagram.
    fn add_lines(&mut self) {
        let has_row = |rank: &Rank| self.rows.binary_search(rank).is_ok();
        let Messages { from, to, lost, .. } = &self.messages;
        let ends = from.iter().zip(to).zip(lost);
        let candidate = |((from, to), &lost): ((&Rank, &Rank), &u64)| Candidate {
            delay: Span::from_picos(lost),
            is_between_rows: has_row(from) && has_row(to),
        };
        let sample = Sample::of(&ends.map(candidate).collect::<Vec<_>>(), MAX_LINES);
        if let Some(note) = sample.note {
            self.lines = (0..from.len()).filter(|&nth| sample.is_drawn[nth]).collect();
            self.notes.push(note);
        }
    }

    fn add_messages(&mut self, trace: &Trace, topology: &dyn Topology, lost: impl Fn(&Transfer) -> Span) {
        let carried = trace.contents.iter().filter_map(|content| match &content.change {
            Change::Gives { blocks } => Some(((content.rank, content.sent), blocks.len())),
            _ => None,
        });
        let carried: BTreeMap<(Rank, u64), usize> = carried.collect();
        let mut shares: BTreeMap<(Rank, u64), Vec<&Share>> = BTreeMap::new();
        for share in &trace.shares {
            shares.entry((share.from, share.seq)).or_default().push(share);
        }
        let mut places: BTreeMap<Bottleneck, i64> = BTreeMap::new();
        let mut routes: BTreeMap<(Rank, Rank), usize> = BTreeMap::new();
        let mut transfers: Vec<&Transfer> = trace.transfers.iter().collect();
        transfers.sort_by_key(|transfer| (transfer.entered, transfer.from, transfer.seq));
        let mut before = Time::ZERO;
        for (nth, transfer) in transfers.into_iter().enumerate() {
            let Transfer { from, to, seq, bytes, entered, left, arrived, .. } = *transfer;
            let messages = &mut self.messages;
            messages.from.push(from);
            messages.to.push(to);
            messages.bytes.push(bytes);
            messages.entered.push(entered.since(before).as_picos());
            messages.leaving.push(left.since(entered).as_picos());
            messages.flying.push(arrived.since(left).as_picos());
            messages.lost.push(lost(transfer).as_picos());
            messages.blocks.push(carried.get(&(from, seq)).copied().unwrap_or(0));
            messages.route.push(*routes.entry((from, to)).or_insert_with(|| {
                let mut route = Vec::new();
                topology.route(from, to, &mut route);
                self.routes.push(route);
                self.routes.len() - 1
            }));
            before = entered;
            let shares = shares.get(&(from, seq)).map_or(&[][..], Vec::as_slice);
            if let [] | [Share { bottleneck: None, .. }] = shares {
                continue;
            }
            let mut gone = 0.0;
            let shares = shares.iter().flat_map(|share| {
                let place = share.bottleneck.map_or(-1, |place| {
                    *places.entry(place).or_insert_with(|| {
                        self.places.push((place, place.name(topology)));
                        self.places.len() as i64 - 1
                    })
                });
                gone += share.rate * share.end.since(share.start).as_secs_f64();
                let part = (gone / (bytes.max(1) as f64) * ALL_BYTES).round();
                [share.end.since(entered).as_picos() as i64, part.min(ALL_BYTES) as i64, place]
            });
            self.shares.insert(nth, shares.collect());
        }
    }
}

fn levels(holdings: &Holdings) -> Vec<Vec<u64>> {
    let of_node = |levels: &Vec<super::holdings::HoldingSample>| {
        let mut before = Time::ZERO;
        let figures = levels.iter().flat_map(|level| {
            let wait = level.at.since(before).as_picos();
            before = level.at;
            [wait, level.call as u64, level.held.bytes, level.held.parts]
        });
        figures.collect()
    };
    holdings.levels.iter().map(of_node).collect()
}

fn activities(trace: &Trace, nodes: usize) -> Vec<Vec<u64>> {
    let mut bars = bars(trace);
    bars.sort_by_key(|bar| (bar.start, bar.end));
    let (mut all, mut ends) = (vec![Vec::new(); nodes], vec![Time::ZERO; nodes]);
    for bar in bars {
        let gap = bar.start.since(ends[bar.rank]).as_picos();
        all[bar.rank].extend([bar.activity as u64, gap, bar.end.since(bar.start).as_picos()]);
        ends[bar.rank] = bar.end;
    }
    all
}

fn figures(stretch: &Stretch) -> [u64; 4] {
    let Stretch { from, to, start, end } = *stretch;
    [from as u64, start.as_picos(), to as u64, end.as_picos()]
}
