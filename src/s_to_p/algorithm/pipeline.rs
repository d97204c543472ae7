//! Algorithm *Pipeline*: pipelined broadcasts of messages in chunks down several spanning trees, one source after the other.
//!
//! **What it does.** For long messages from few sources. Each message is cut into chunks of about equal length, which go down trees from
//! its source as in a pipelined broadcast ([`pattern::pipeline`](crate::pattern::pipeline)): in every round a node sends at most one chunk
//! and receives at most one. The chunks of the next source follow as soon as no node would send or receive two chunks in one round. The
//! schedule is time-triggered. On a line there is one tree, a chain. On a rectangle the trees are a chain, two trees with spines in the
//! columns or in the rows, or two binary trees. The choice of trees, the number of chunks and the order of the sources do not depend on the
//! order in which the sources are given.
//!
//! **Restrictions.** At least 3 nodes and 1 to 8 sources; the bytes must take as long as at least 16 start-ups.
//!
//! **Cost.** At most `(N + s h) max(o_s + o_r, L + hop + m beta)`, with `2 beta / d` in place of `beta`, if the messages are cut into `N`
//! chunks in total, of `m` bytes each, and the first chunk of a source has reached every node after `h` rounds. Without latency and with
//! the best `N` this is about `s n beta + s h alpha`. For long messages the cost is close to the lower bound, because every node has to receive every byte.
//!
//! **Source.** J. Watts, R. van de Geijn, "A Pipelined Broadcast for Multidimensional Meshes", Parallel Processing Letters 5, 1995; P.
//! Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 35, 2009, for
//! one source. Several sources one after the other: this project.

use super::{
    Algorithm, Draft, Entry, Instance, by_nodes,
    cut::{Cut, cut},
    in_node_order, of,
};
use crate::{
    pattern::{Exchange, pipeline::Hop},
    plan::{
        Restriction, Variant,
        pipeline::{
            MAX_CHUNKS, Sharing, Trees, best_chunk_count, by_the_clock, estimate, lower_bound, sets_of_trees,
            transfers,
        },
    },
    text::count,
    time::Span,
};

impl Algorithm {
    /// Pipelined broadcasts in chunks down several spanning trees, one source after the other: for long messages from few sources.
    pub const PIPELINE: Algorithm = of(&PIPELINE);
}

static PIPELINE: Entry = Entry::new("pipeline", |planning| Ok(variants(planning.problem)))
    .about("in chunks down several spanning trees, one source after the other: for few long messages")
    .source("Watts, van de Geijn 1995; Sanders, Speck, Traeff 2009; several sources: this project")
    .cost("up to `(N + s h) max(o_s + o_r, L + hop + m beta)` for `N` chunks of `m` bytes, the first of a source everywhere after `h` rounds; without latency at best about `s n beta + s h alpha`")
    .only_if(&[Restriction {
        text: "at least 3 nodes, at most 8 sources, and data that takes at least 16 start-ups",
        is_met: |instance, ()| {
            instance.size() >= 3
                && instance.sources().len() <= MAX_SOURCES
                && start_ups(instance) >= MIN_START_UPS
        },
        found: |instance, ()| {
            let [nodes, sources] = [(instance.size(), "node"), (instance.sources().len(), "source")]
                .map(|(number, what)| count(number as u64, what));
            let bytes = count(instance.bytes(), "byte");
            format!("{nodes}, {sources}, {bytes} that take {:.1} start-ups", start_ups(instance))
        },
    }]);

/// Maximum number of sources. With more sources, messages would often wait until the preceding messages have reached every node.
const MAX_SOURCES: usize = 8;

/// Minimum time of all bytes in start-ups. Below it, other algorithms are faster.
const MIN_START_UPS: f64 = 16.0;

/// Maximum ratio of the closed-form time of a set of trees to the best closed-form time. Other sets are not tried.
const MAX_ESTIMATE_RATIO: f64 = 1.05;

/// Returns the transfer time of all bytes, as a multiple of the start-up time.
fn start_ups(instance: &Instance) -> f64 {
    let parameters = instance.parameters();
    let (time, start_up) = (parameters.transfer(instance.bytes()), parameters.alpha() + parameters.hop());
    if time.is_zero() { 0.0 } else { time.as_secs_f64() / start_up.as_secs_f64() }
}

/// Returns a variant for each set of trees whose closed-form time is within `MAX_ESTIMATE_RATIO` of the best.
fn variants(instance: &Instance) -> Vec<Variant<Instance>> {
    let ordered = in_node_order(instance);
    let mut all: Vec<Chunked> =
        sets_of_trees(ordered.grid()).iter().map(|&trees| Chunked::of(&ordered, trees)).collect();
    let shortest = all.iter().map(|chunked| chunked.estimate).min().unwrap_or_default().as_secs_f64();
    all.retain(|chunked| chunked.estimate.as_secs_f64() <= MAX_ESTIMATE_RATIO * shortest);
    let variant = |chunked: Chunked| {
        let name = format!("{}, {} chunks", chunked.trees.name, chunked.number());
        let (lower_bound, estimate) = (chunked.lower_bound(&ordered), chunked.estimate);
        let messages = (chunked.number() * (ordered.size() - 1)) as u64;
        let make = move |instance: &Instance| Ok(by_nodes(instance, |instance| chunked.draft(instance)));
        Variant::new(name, make).at_least(lower_bound).estimated(estimate).of_messages(messages)
    };
    all.into_iter().map(variant).collect()
}

/// The messages of an instance cut into chunks for a set of trees. The members of the instance are in the order of their nodes.
#[derive(Clone)]
struct Chunked {
    trees: Trees,
    sharing: Sharing,
    /// Number of chunks of each message.
    counts: Vec<usize>,
    /// Closed-form time of the broadcast.
    estimate: Span,
}

impl Chunked {
    /// Chooses the number of chunks that minimizes the closed form.
    fn of(instance: &Instance, trees: Trees) -> Chunked {
        let on =
            |root| trees.on(instance.machine(), instance.grid(), root, |place| instance.members()[place]);
        let (mut sharing, mut rounds) = on(instance.sources()[0]);
        for &root in &instance.sources()[1..] {
            let (other, more) = on(root);
            (sharing, rounds) = (sharing.with(other), rounds + more);
        }
        let (bytes, parameters, lengths) = (instance.bytes(), instance.parameters(), instance.lengths());
        // The maximum number of chunks of all messages is scaled by the ratio of all bytes to the longest message.
        let longest = lengths.iter().copied().max().unwrap_or(0).max(1);
        let most = (MAX_CHUNKS as f64 * (bytes as f64 / longest as f64)) as usize;
        let (number, estimate) = best_chunk_count(bytes / instance.element_bytes(), most, |chunks| {
            let step = sharing.step(parameters, bytes.div_ceil(chunks as u64), Span::ZERO);
            estimate(step, chunks, rounds)
        });
        // The longest message is cut so that its chunks are as long as the bytes of all messages divided by `number`.
        let of_longest = (u128::from(longest) * number as u128).div_ceil(u128::from(bytes.max(1)));
        let counts = Cut::ByLength.counts(lengths, (of_longest as usize).max(2));
        Chunked { trees, sharing, counts, estimate }
    }

    fn number(&self) -> usize {
        self.counts.iter().sum()
    }

    fn step(&self, instance: &Instance) -> Span {
        let longest = cut(instance, &self.counts).iter().map(|piece| piece.bytes).max().unwrap_or(0);
        self.sharing.step(instance.parameters(), longest, Span::ZERO)
    }

    fn lower_bound(&self, instance: &Instance) -> Span {
        lower_bound(instance.parameters(), self.step(instance), self.number())
    }

    /// Returns the transfers of each round, with chunks numbered over all messages. The chunks of a source start as soon as no node would
    /// send or receive two chunks in one round.
    fn rounds(&self, instance: &Instance) -> Vec<Vec<Hop>> {
        let mut rounds: Vec<Vec<Hop>> = Vec::new();
        let mut busy = Busy::default();
        for source in self.order(instance) {
            let (root, count) = (instance.sources()[source], self.counts[source]);
            let own = (self.trees.rounds)(instance.grid(), root, count);
            let start = busy.earliest(&own);
            busy.occupy(start, count, &own, instance.size());
            rounds.resize_with(rounds.len().max(start + own.len()), Vec::new);
            let before = self.counts[..source].iter().sum::<usize>() as u32;
            for (round, hops) in rounds[start..].iter_mut().zip(own) {
                round.extend(hops.into_iter().map(|hop| Hop { chunk: before + hop.chunk, ..hop }));
            }
        }
        rounds
    }

    /// Returns the order of the sources that minimizes the rounds between the last chunk of a source and the first chunk of the next.
    fn order(&self, instance: &Instance) -> Vec<usize> {
        let (grid, nodes) = (instance.grid(), instance.size());
        let mut sources: Vec<usize> = (0..instance.sources().len()).collect();
        sources.sort_unstable_by_key(|&source| instance.sources()[source]);
        if sources.len() == 1 {
            return sources;
        }
        let first_rounds = |&source: &usize| {
            let (root, count) = (instance.sources()[source], self.counts[source]);
            // A few chunks suffice: as many as are in flight at the same time, because the rounds repeat after each period.
            let period = (self.trees.period)(grid, root);
            let under_way = (self.trees.rounds)(grid, root, period).len();
            let chunks = count - count.saturating_sub(under_way) / period * period;
            (chunks, (self.trees.rounds)(grid, root, chunks))
        };
        let by_source: Vec<(usize, Vec<Vec<Hop>>)> = sources.iter().map(first_rounds).collect();
        let mut between = vec![vec![0; by_source.len()]; by_source.len()];
        for (row, (count, own)) in between.iter_mut().zip(&by_source) {
            let mut busy = Busy::default();
            busy.occupy(0, *count, own, nodes);
            for (rounds, (_, next)) in row.iter_mut().zip(&by_source) {
                *rounds = busy.earliest(next) - count;
            }
        }
        let behind: Vec<usize> = by_source.iter().map(|(count, own)| own.len() - count).collect();
        shortest(&between, &behind).into_iter().map(|nth| sources[nth]).collect()
    }

    fn draft(&self, instance: &Instance) -> Draft {
        let draft = Draft::moving(instance, cut(instance, &self.counts), Exchange::Overlapped, |builder| {
            for hops in self.rounds(instance) {
                builder.iteration(transfers(hops, |place| place));
            }
        });
        let longest = draft.pieces.iter().map(|piece| piece.bytes).max().unwrap_or(0);
        let (step, parameters) = (self.step(instance), instance.parameters());
        Draft { schedule: by_the_clock(draft.schedule, parameters, step, longest, |_| Span::ZERO), ..draft }
    }
}

/// Ports in use in the rounds in which the next source may begin.
#[derive(Default)]
struct Busy {
    /// The first round in which the next source may begin.
    first: usize,
    /// For each round from `first` on and each node, whether the node sends and whether it receives.
    nodes: Vec<Vec<[bool; 2]>>,
}

impl Busy {
    /// Returns the first round in which these transfers may begin so that no node sends or receives two chunks in one round.
    fn earliest(&self, own: &[Vec<Hop>]) -> usize {
        let is_free = |start: &usize| {
            let mut meeting = self.nodes[*start..].iter().zip(own);
            meeting.all(|(nodes, hops)| hops.iter().all(|hop| !nodes[hop.from][0] && !nodes[hop.to][1]))
        };
        self.first + (0..self.nodes.len()).find(is_free).unwrap_or(self.nodes.len())
    }

    /// Records `count` chunks that begin in round `start`; the next source may begin when the last of them has been sent.
    fn occupy(&mut self, start: usize, count: usize, own: &[Vec<Hop>], nodes: usize) {
        let first = start + count;
        self.nodes.drain(..(first - self.first).min(self.nodes.len()));
        self.first = first;
        let tail = own.get(count..).unwrap_or_default();
        self.nodes.resize(self.nodes.len().max(tail.len()), vec![[false; 2]; nodes]);
        for (nodes, hops) in self.nodes.iter_mut().zip(tail) {
            for hop in hops {
                (nodes[hop.from][0], nodes[hop.to][1]) = (true, true);
            }
        }
    }
}

/// Returns the first order of items that minimizes the sum of `between` over successive items, plus `behind` of the last item.
fn shortest(between: &[Vec<usize>], behind: &[usize]) -> Vec<usize> {
    fn extend(
        order: &mut Vec<usize>,
        sum: usize,
        (between, behind): (&[Vec<usize>], &[usize]),
        best: &mut (usize, Vec<usize>),
    ) {
        if sum >= best.0 {
            return;
        }
        if order.len() == behind.len() {
            let sum = sum + order.last().map_or(0, |&last| behind[last]);
            if sum < best.0 {
                *best = (sum, order.clone());
            }
            return;
        }
        for next in (0..behind.len()).filter(|next| !order.contains(next)).collect::<Vec<_>>() {
            let more = order.last().map_or(0, |&last| between[last][next]);
            order.push(next);
            extend(order, sum + more, (between, behind), best);
            order.pop();
        }
    }
    let mut best = (usize::MAX, Vec::new());
    extend(&mut Vec::new(), 0, (between, behind), &mut best);
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::MachineSpec, rank::Rank};

    fn instance(machine: &str, sources: &[Rank], bytes: u64) -> Instance {
        let machine: MachineSpec = machine.parse().unwrap();
        Instance::new(&machine, sources, &vec![bytes; sources.len()]).unwrap()
    }

    /// A node sends and receives at most one chunk per round, and a source begins before the last chunks of the previous source have
    /// arrived.
    #[test]
    fn sources_follow_each_other_and_share_no_port() {
        for (machine, sources) in
            [("hockney:4x5", &[3, 12, 19][..]), ("line:9", &[4, 0]), ("paragon:3x6", &[0, 1, 2, 3, 17])]
        {
            let instance = instance(machine, sources, 200_000);
            for &trees in sets_of_trees(instance.grid()) {
                let chunked = Chunked::of(&instance, trees);
                let rounds = chunked.rounds(&instance);
                for hops in &rounds {
                    for ends in [|hop: &Hop| hop.from, |hop: &Hop| hop.to] {
                        let mut busy: Vec<Rank> = hops.iter().map(ends).collect();
                        busy.sort_unstable();
                        assert!(busy.is_sorted_by(|one, next| one < next), "{machine}, {}", trees.name);
                    }
                }
                let alone = sources.iter().zip(&chunked.counts);
                let alone = alone.map(|(&root, &count)| (trees.rounds)(instance.grid(), root, count).len());
                assert!(rounds.len() < alone.sum(), "{machine}, {}", trees.name);
                let all: usize = rounds.iter().map(Vec::len).sum();
                assert_eq!(all, chunked.number() * (instance.size() - 1));
            }
        }
    }

    /// The order of the sources does not depend on how they are listed, and one broadcast of all four messages is faster than two
    /// broadcasts of two messages each.
    #[test]
    fn the_order_of_sources_makes_no_difference() {
        let machine: MachineSpec = "hockney:9x11".parse().unwrap();
        let time = |messages: &[(Rank, u64)]| {
            let (sources, lengths): (Vec<Rank>, Vec<u64>) = messages.iter().copied().unzip();
            let instance = Instance::new(&machine, &sources, &lengths).unwrap();
            Algorithm::PIPELINE.plan(&instance).unwrap().prediction().modeled.since_start()
        };
        let messages = [(58, 302_439), (63, 318_467), (74, 459_535), (76, 1_116_944)];
        let mut other = messages;
        other.rotate_left(1);
        other.swap(1, 2);
        assert_eq!(time(&messages), time(&other));
        assert!(time(&messages) < time(&messages[..2]) + time(&messages[2..]));
    }

    #[test]
    fn the_shortest_order_is_found() {
        let between = [vec![0, 5, 1], vec![1, 0, 9], vec![7, 2, 0]];
        assert_eq!(shortest(&between, &[4, 4, 4]), [1, 0, 2]);
        assert_eq!(shortest(&between, &[4, 4, 9]), [0, 2, 1], "or 2, 1, 0");
        assert_eq!(shortest(&[vec![0; 2], vec![0; 2]], &[1, 1]), [0, 1], "the first of equal ones");
        assert_eq!(shortest(&[vec![0]], &[3]), [0]);
    }

    /// *Pipeline* takes little more than the lower bound, and *Split* takes more than 1.4 times the bound.
    #[test]
    fn long_messages_come_near_the_bound() {
        for (machine, sources, most) in
            [("hockney:8x8", &[0][..], 1.09), ("delta:6x9", &[20], 1.04), ("hockney:7x7", &[1, 40], 1.15)]
        {
            let instance = instance(machine, sources, 1 << 20);
            let bound = instance.lower_bound().time().as_secs_f64();
            let over = |algorithm: Algorithm| {
                let plan = algorithm.plan(&instance).unwrap();
                plan.prediction().modeled.since_start().as_secs_f64() / bound
            };
            assert!(over(Algorithm::PIPELINE) < most, "{machine}: {}", over(Algorithm::PIPELINE));
            assert!(over(Algorithm::SPLIT) > 1.4, "{machine}: {}", over(Algorithm::SPLIT));
            assert_eq!(over(Algorithm::AUTO), over(Algorithm::PIPELINE), "{machine}");
        }
    }

    #[test]
    fn pipeline_refuses_few_nodes_many_sources_and_short_messages() {
        let refused = |machine: &str, sources: usize, bytes: u64| {
            let instance = instance(machine, &(0..sources).collect::<Vec<Rank>>(), bytes);
            Algorithm::PIPELINE.check(&instance).map_err(|error| error.to_string())
        };
        let refusal = "`pipeline` does not apply to this s-to-p broadcast: it needs at least 3 nodes, at most 8 sources, and data that takes at least 16 start-ups";
        assert_eq!(refused("hockney:1x3", 1, 1 << 20), Ok(()));
        for (machine, sources, bytes, found) in [
            ("hockney:1x2", 1, 1 << 20, "2 nodes, 1 source, 1048576 bytes that take 403.3 start-ups"),
            ("hockney:4x4", 9, 1 << 20, "16 nodes, 9 sources, 9437184 bytes that take 3629.7 start-ups"),
            ("hockney:4x4", 2, 1000, "16 nodes, 2 sources, 2000 bytes that take 0.8 start-ups"),
            ("hockney:4x4", 1, 0, "16 nodes, 1 source, 0 bytes that take 0.0 start-ups"),
        ] {
            assert_eq!(refused(machine, sources, bytes), Err(format!("{refusal} (here: {found})")));
        }
    }
}
