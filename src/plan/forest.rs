//! Spanning trees for long messages on a machine: the resources that they occupy, the [trees](crate::pattern::forest),
//! and the order in which segments of messages flow down them.
//!
//! A message is cut into equal parts, one per tree of its source, and each part into segments. There is no global
//! timetable: nodes forward the segments that have arrived, the oldest first. The age of a segment is relative to its
//! tree, from 0 to 1, so that all trees finish at the same time.

use std::{cmp::Reverse, collections::BTreeSet};

use super::{
    bound::RELATIVE_ERROR,
    resources::{Resources, has_fixed_routes},
};
use crate::{
    model::MachineSpec,
    pattern::{
        Builder, Transfer,
        forest::{SourceTree, broadcast_lower_bound, cycles, edges, grow},
        network::{Network, Pair},
    },
    rank::Rank,
    text::count,
    time::Span,
    topology::Vertex,
};

/// Maximum number of members: trees are grown on all pairs of members.
pub(crate) const MAX_MEMBERS: usize = 64;

/// Messages from some members of a machine to all members.
#[derive(Clone, Debug)]
pub(crate) struct ForestProblem {
    network: Network,
    sources: Vec<(Rank, u64)>,
    /// The bytes of an element, which is never cut.
    element: u64,
    /// Lower bound in seconds, without start-ups.
    lower_bound: f64,
    /// Seconds of a start-up between two nodes, and the processor seconds of a node that receives and forwards a message.
    start_up: f64,
    busy: f64,
    /// Seconds per byte through one port, and through all ports of a node in one direction.
    beta: f64,
    node_beta: f64,
}

/// The direction of data in a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the sources to all members.
    Out,
    /// From all members to the sources, combined at each node.
    Back,
    /// To the sources, and then from the sources to all members.
    Both,
}

/// Trees for messages, with the segments of the messages.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    trees: Vec<SourceTree>,
    /// A description of the trees.
    kind: String,
    segments: Vec<Segment>,
    /// The busy time of the busiest resource, in seconds.
    busiest: f64,
    /// Lower bound: the busy time, less the possible rounding in a run.
    pub(crate) lower_bound: Span,
    /// The closed-form time.
    pub(crate) estimate: Span,
}

/// A piece of a message that flows down one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The index of the source.
    pub(crate) source: usize,
    /// The first byte in the source's message.
    pub(crate) start: u64,
    /// The length in bytes.
    pub(crate) bytes: u64,
    tree: usize,
}

/// The transfer of a segment over an edge of its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing {
    /// The sender.
    pub(crate) from: Rank,
    /// The receiver.
    pub(crate) to: Rank,
    /// The index of the segment.
    pub(crate) segment: usize,
}

/// Numbers of trees per source, or of cycles, in the order in which they are tried.
const COUNTS: [usize; 4] = [1, 2, 4, 8];

/// The search stops within [`NEAR_BOUND`] times the lower bound. A larger number of trees must be better by the factor [`MIN_GAIN`].
const NEAR_BOUND: f64 = 1.05;
const MIN_GAIN: f64 = 1.05;

/// Maximum numbers of segments and of messages of a schedule, and minimum mean bytes of a segment. They limit planning time.
const MAX_SEGMENTS: usize = 1024;
const MAX_MESSAGES: usize = 16_384;
const MIN_SEGMENT_BYTES: u64 = 4096;

/// Returns whether forests are candidates: for long messages (`bytes` in total), 3 to [`MAX_MEMBERS`] members, and a machine with several
/// ports per node, or whose network is no grid and has switches, links with separate capacities, or nodes with different numbers of
/// neighbours.
pub(crate) fn is_candidate(machine: &MachineSpec, members: usize, bytes: u64) -> bool {
    unmet_condition(machine, members, bytes).is_none()
}

/// Describes the condition of [`is_candidate`] that is not met; `None` if all are met.
pub(crate) fn unmet_condition(machine: &MachineSpec, members: usize, bytes: u64) -> Option<String> {
    let parameters = machine.parameters();
    if !(3..=MAX_MEMBERS).contains(&members) {
        return Some(count(members as u64, "node"));
    }
    let start_up = (parameters.alpha() + parameters.hop()).as_secs_f64();
    let time = bytes as f64 * parameters.beta();
    if bytes == 0 {
        return Some("only empty messages".to_owned());
    }
    if time <= start_up || time == 0.0 {
        return Some(format!(
            "{} that take {:.1} start-ups",
            count(bytes, "byte"),
            (time / start_up).max(0.0)
        ));
    }
    let is_fit = parameters.ports() > 1 || is_irregular(machine);
    (!is_fit).then(|| format!("network {}, one port per node", machine.topology().name()))
}

fn is_irregular(machine: &MachineSpec) -> bool {
    let topology = machine.topology();
    if topology.grid().is_some() || topology.extents().len() > 1 {
        return false;
    }
    if topology.switches() > 0 {
        return true;
    }
    let mut neighbours = vec![0_u32; topology.nodes()];
    for link in 0..topology.links() {
        if topology.capacity(link).is_some() {
            return true;
        }
        if let Vertex::Node(node) = topology.link(link).from {
            neighbours[node] += 1;
        }
    }
    neighbours.windows(2).any(|pair| pair[0] != pair[1])
}

/// Returns a lower bound, without start-ups, on the time of messages of the given bytes from these members to all others; backwards, on
/// combining as many bytes at each of them. Zero if [forests](is_candidate) are no candidates, or if messages may take detours.
pub(crate) fn forest_lower_bound(
    machine: &MachineSpec,
    members: &[Rank],
    sources: &[(Rank, u64)],
    is_backwards: bool,
) -> Span {
    let bytes = sources.iter().fold(0_u64, |sum, &(_, bytes)| sum.saturating_add(bytes));
    if !has_fixed_routes(machine) || !is_candidate(machine, members.len(), bytes) {
        return Span::ZERO;
    }
    let direction = if is_backwards { Direction::Back } else { Direction::Out };
    // The factor covers rounding errors.
    Span::from_secs_f64(
        (1.0 - RELATIVE_ERROR)
            * broadcast_lower_bound(&network(machine, members, 0.0, direction), sources).max(0.0),
    )
}

impl ForestProblem {
    /// Creates the problem for messages of the given bytes, in whole elements, from these ranks to all members of a
    /// machine; or in the reverse direction, or both.
    pub(crate) fn of(
        machine: &MachineSpec,
        members: &[Rank],
        sources: Vec<(Rank, u64)>,
        element: u64,
        direction: Direction,
    ) -> ForestProblem {
        let parameters = machine.parameters();
        let element = element.max(1);
        let network = network(machine, members, parameters.gamma() / element as f64, direction);
        let lower_bound = broadcast_lower_bound(&network, &sources);
        let busy =
            parameters.send_overhead() + parameters.receive_overhead() + parameters.exchange_overhead();
        let start_up = (parameters.alpha() + parameters.hop()).as_secs_f64();
        let (beta, node_beta) = (parameters.beta(), parameters.node_beta());
        ForestProblem {
            network,
            sources,
            element,
            lower_bound,
            start_up,
            busy: busy.as_secs_f64(),
            beta,
            node_beta,
        }
    }

    fn bytes(&self) -> u64 {
        self.sources.iter().map(|&(_, bytes)| bytes).sum()
    }

    /// Returns the candidate forests. For one source: low trees or unrestricted trees, whichever has the shorter
    /// closed-form time. For several sources: cycles.
    pub(crate) fn forests(&self) -> Vec<Forest> {
        let roots: Vec<Rank> = self.sources.iter().map(|&(root, _)| root).collect();
        let bytes = self.bytes();
        // The target also includes the bound with all ports busy, because the search for prices may have stopped at a weaker bound.
        let nodes = self.network.nodes() as f64;
        let aim = self.lower_bound.max(bytes as f64 * self.node_beta * (nodes - 1.0) / nodes);
        let grown = |root, count, is_low| grow(&self.network, root, bytes, count, aim, is_low);
        let mut forests: Vec<Forest> = Vec::new();
        for count in COUNTS {
            let plural = if count == 1 { "" } else { "s" };
            let forest = match roots[..] {
                [root] => {
                    let low = self
                        .best_segmentation(grown(root, count, true), &format!("{count} low tree{plural}"));
                    let any =
                        self.best_segmentation(grown(root, count, false), &format!("{count} tree{plural}"));
                    if low.estimate <= any.estimate { low } else { any }
                }
                _ => {
                    let cycles = cycles(&self.network, &roots, bytes, count, aim);
                    self.best_segmentation(cycles, &format!("{count} cycle{plural}"))
                }
            };
            let is_near = forest.busiest <= NEAR_BOUND * aim;
            if forests.iter().all(|fewer| forest.busiest <= fewer.busiest / MIN_GAIN) {
                forests.push(forest);
            }
            if is_near {
                break;
            }
        }
        forests
    }

    /// Cuts the messages into the number of segments with the shortest closed-form time. With several trees per source half that number is
    /// used, because short messages cause more contention.
    fn best_segmentation(&self, trees: Vec<SourceTree>, kind: &str) -> Forest {
        let messages = MAX_MESSAGES / (self.network.nodes() - 1);
        let most =
            messages.min(MAX_SEGMENTS).min((self.bytes() / MIN_SEGMENT_BYTES) as usize).max(trees.len());
        let numbers = (0..).map(|exponent| 1_usize << exponent).skip_while(|&number| number < trees.len());
        let numbers = numbers.take_while(|&number| number < most).chain([most]);
        let several = trees.len() > self.sources.len();
        let forests = numbers.map(|number| self.cut(&trees, kind, number));
        let best = forests.map(|forest| (forest.estimate, forest.segments.len())).min();
        let number = best.map_or(1, |(_, number)| number);
        self.cut(&trees, kind, if several { number.div_ceil(2) } else { number })
    }

    /// Cuts the messages into about this number of segments, in whole elements, ordered by source and byte position.
    fn cut(&self, trees: &[SourceTree], kind: &str, number: usize) -> Forest {
        let longest = (self.bytes() as f64 / number as f64).max(1.0);
        let mut segments = Vec::new();
        let mut tree = 0;
        for own in trees.chunk_by(|one, other| one.source == other.source) {
            let source = own[0].source;
            let elements = self.sources[source].1 / self.element;
            let at = |part: usize| elements * part as u64 / own.len() as u64;
            for part in 0..own.len() {
                let (begin, end) = (at(part), at(part + 1));
                let pieces = ((end - begin) * self.element) as f64 / longest;
                let pieces = ((pieces + 0.5) as u64).clamp(1, (end - begin).max(1));
                let cut = |piece: u64| begin + (end - begin) * piece / pieces;
                // An empty message still has one segment.
                let pieces = if begin < end || elements == 0 && part == 0 { 0..pieces } else { 0..0 };
                segments.extend(pieces.map(|piece| Segment {
                    source,
                    start: cut(piece) * self.element,
                    bytes: (cut(piece + 1) - cut(piece)) * self.element,
                    tree,
                }));
                tree += 1;
            }
        }
        let mut bytes = vec![0; trees.len()];
        segments.iter().for_each(|segment| bytes[segment.tree] += segment.bytes);
        let busiest =
            self.network.busiest(trees.iter().zip(&bytes).map(|(tree, &bytes)| (&tree.parents[..], bytes)));
        let none = vec![0; self.network.nodes()];
        let depth =
            trees.iter().filter_map(|tree| Shape::of(&tree.parents, &none).depths.into_iter().max()).max();
        let one = self.bytes() as f64 / segments.len().max(1) as f64 * self.beta;
        let fill = depth.unwrap_or(0) as f64 * (self.start_up + one);
        let estimate = busiest.max(segments.len() as f64 * self.busy) + fill;
        // Half a picosecond for each message on a resource. A segment causes one or two messages per other member.
        let rounding = 1e-12 * (segments.len() * self.network.nodes()) as f64;
        Forest {
            kind: kind.to_owned(),
            trees: trees.to_vec(),
            busiest,
            lower_bound: Span::from_secs_f64((busiest * (1.0 - RELATIVE_ERROR) - rounding).max(0.0)),
            estimate: Span::from_secs_f64(estimate),
            segments,
        }
    }

    /// Orders the crossings of all segments so that each node gets a segment before it forwards the segment: oldest
    /// segments first, with a delay for each edge from the source. On cycles, nodes send their own segments first, and
    /// then received segments in the order of the distance to their sources.
    pub(crate) fn order(&self, forest: &Forest) -> Vec<Crossing> {
        let mut counts = vec![0_usize; forest.trees.len()];
        forest.segments.iter().for_each(|segment| counts[segment.tree] += 1);
        let mut lengths = vec![0; self.network.nodes()];
        self.sources.iter().for_each(|&(root, bytes)| lengths[root] = bytes);
        let total = (self.bytes() as f64).max(1.0);
        let all = self.lower_bound.max(total * self.node_beta).max(f64::MIN_POSITIVE);
        let one = total / forest.segments.len().max(1) as f64 * self.beta;
        let lag = (self.start_up + one) / all;
        let shapes: Vec<Shape> = forest.trees.iter().map(|tree| Shape::of(&tree.parents, &lengths)).collect();
        let mut crossings: Vec<(f64, usize, Reverse<usize>, Crossing)> = Vec::new();
        let mut nth = vec![0_usize; counts.len()];
        for (segment, &Segment { tree, source, .. }) in forest.segments.iter().enumerate() {
            let age = (nth[tree] as f64 + 0.5) / counts[tree] as f64 * self.sources[source].1 as f64;
            nth[tree] += 1;
            let Shape { depths, heights, before } = &shapes[tree];
            crossings.extend(edges(&forest.trees[tree].parents).map(|(from, to)| {
                let at = (age + before[to] as f64) / total + lag * depths[to] as f64;
                (at, depths[to], Reverse(heights[to]), Crossing { from, to, segment })
            }));
        }
        crossings.sort_by(|one, other| {
            let place = |&(_, depth, height, crossing): &(f64, usize, Reverse<usize>, Crossing)| {
                (depth, height, crossing.from, crossing.to, crossing.segment)
            };
            one.0.total_cmp(&other.0).then_with(|| place(one).cmp(&place(other)))
        });
        crossings.into_iter().map(|(.., crossing)| crossing).collect()
    }
}

/// The depths and heights of a tree's nodes.
struct Shape {
    /// The number of edges from the root to each node.
    depths: Vec<usize>,
    /// The maximum number of edges from each node down to a leaf.
    heights: Vec<usize>,
    /// The bytes of other sources on the path from the root to each node.
    before: Vec<u64>,
}

impl Shape {
    /// Computes the shape of a tree. `lengths` are the bytes of the nodes' own messages.
    fn of(parents: &[Rank], lengths: &[u64]) -> Shape {
        let nodes = parents.len();
        let mut shape = Shape { depths: vec![0; nodes], heights: vec![0; nodes], before: vec![0; nodes] };
        for node in 0..nodes {
            let mut here = node;
            while parents[here] != here {
                here = parents[here];
                shape.depths[node] += 1;
                shape.heights[here] = shape.heights[here].max(shape.depths[node]);
                shape.before[node] += if parents[here] == here { 0 } else { lengths[here] };
            }
        }
        shape
    }
}

impl Forest {
    /// Returns a description: the trees and the number of segments.
    pub(crate) fn name(&self) -> String {
        format!("{}, {} segments", self.kind, self.segments.len())
    }

    /// Returns the segments, ordered by source and byte position.
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }
}

/// Adds the crossings to a schedule. Consecutive crossings form an iteration as long as no sender has received its segment in the same
/// iteration.
pub(crate) fn spread(builder: &mut Builder, crossings: &[Crossing]) {
    let mut round: Vec<Transfer> = Vec::new();
    let mut received: BTreeSet<(Rank, usize)> = BTreeSet::new();
    for &Crossing { from, to, segment } in crossings {
        if received.contains(&(from, segment)) {
            builder.iteration(round.drain(..));
            received.clear();
        }
        received.insert((to, segment));
        round.push(Transfer { from, to, blocks: [segment as u32].into() });
    }
    if !round.is_empty() {
        builder.iteration(round);
    }
}

/// Returns the network of resources that edges between members occupy, including processors if each byte takes
/// `combining` seconds to combine.
fn network(machine: &MachineSpec, members: &[Rank], combining: f64, direction: Direction) -> Network {
    let resources = Resources::of(machine, members);
    Network::new(members.len(), |from, to| {
        let mut uses = Pair::new();
        if direction != Direction::Back {
            uses.extend(resources.message(from, to));
        }
        if direction != Direction::Out {
            uses.extend(resources.message(to, from));
            if combining > 0.0 {
                uses.push((resources.processor(from), combining));
            }
        }
        uses
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Faults;

    fn problem(sources: &[(Rank, u64)], element: u64) -> ForestProblem {
        let machine: MachineSpec = "ethernet:8".parse().unwrap();
        let members: Vec<Rank> = (0..8).collect();
        ForestProblem::of(&machine, &members, sources.to_vec(), element, Direction::Out)
    }

    /// Tests that the segments cover each message in whole elements, with one segment for an empty message; that no member sends a segment
    /// before it has the segment; and that every other member gets each segment once.
    #[test]
    fn segments_cover_messages_and_reach_each_node_once() {
        let all: [(&[(Rank, u64)], u64); 3] = [
            (&[(3, 16_000_000)], 8),
            (&[(0, 9_000_000), (5, 0), (6, 2_000_008)], 8),
            (&[(1, 7_000_000)], 7_000_000),
        ];
        for (sources, element) in all {
            let problem = problem(sources, element);
            for forest in problem.forests() {
                let mut ends = vec![(0, 0); sources.len()];
                for segment in forest.segments() {
                    let (end, count) = &mut ends[segment.source];
                    assert_eq!((segment.start, segment.bytes % element), (*end, 0), "{}", forest.name());
                    (*end, *count) = (*end + segment.bytes, *count + 1);
                }
                assert!(
                    ends.iter().zip(sources).all(|(&(end, count), &(_, bytes))| end == bytes && count > 0)
                );
                let mut there: BTreeSet<(Rank, usize)> = BTreeSet::new();
                for (number, segment) in forest.segments().iter().enumerate() {
                    there.insert((sources[segment.source].0, number));
                }
                for Crossing { from, to, segment } in problem.order(&forest) {
                    assert!(
                        there.contains(&(from, segment)) && there.insert((to, segment)),
                        "{}",
                        forest.name()
                    );
                }
                assert_eq!(there.len(), 8 * forest.segments().len());
            }
        }
    }

    #[test]
    fn machines_with_detours_have_no_tree_bound() {
        let machine: MachineSpec = "ethernet:8".parse().unwrap();
        let members: Vec<Rank> = (0..8).collect();
        let bound = |machine: &MachineSpec| forest_lower_bound(machine, &members, &[(0, 1 << 24)], false);
        assert!(bound(&machine) > Span::ZERO);
        let dead = |detours| {
            let faults = Faults::new(["dead:0-s0@0".parse().unwrap()]).detours(detours);
            bound(&machine.clone().with_faults(faults).unwrap())
        };
        assert_eq!((dead(true), dead(false)), (Span::ZERO, bound(&machine)));
    }
}
