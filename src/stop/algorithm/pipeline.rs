//! Algorithm *Pipeline*: messages in chunks down several spanning trees, one source after the other.
//!
//! **What it does.** For long messages from few sources. Each message is cut into chunks of about one length, which go down trees
//! from its source as in a pipelined broadcast ([`pattern::pipeline`](crate::pattern::pipeline)): in every step a node sends one chunk
//! at most and receives one. The chunks of the next source follow as soon as no node would have two at once. All nodes go by
//! the clock. Along a line there is one tree, a chain; on a rectangle there are several, and pairs of them.
//!
//! **Restrictions.** At least 3 nodes, and 1 to 8 sources, whose bytes take 16 start-ups at least.
//!
//! **Cost.** `(N + s (h - 1)) max(alpha, m beta)` at most, for `N` chunks of `m` bytes in all and `h` steps until the first ones of
//! a source are everywhere; `2 beta / d` for `beta`. At the best `N` that comes to `s n beta + s h alpha`: where messages are long it
//! is near what nothing can beat, as every node has to receive every byte.
//!
//! **Source.** J. Watts, R. van de Geijn, "A Pipelined Broadcast for Multidimensional Meshes", Parallel Processing Letters 5,
//! 1995; P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing
//! 35, 2009, for one source. One after the other: this project.

use super::{
    Algorithm, Draft, Entry, Instance, by_nodes,
    cut::{Cut, cut},
    in_node_order, of,
};
use crate::{
    pattern::{Action, Exchange, Transfer, pipeline::Hop},
    plan::{
        Restriction, Variant,
        pipeline::{Network, Timetable, best_number, least, timetables},
    },
    text::count,
    time::Span,
};

impl Algorithm {
    /// In chunks down several spanning trees, one source after the other: for long messages from few sources.
    pub const PIPELINE: Algorithm = of(&PIPELINE);
}

static PIPELINE: Entry = Entry::new("pipeline", |planning| Ok(variants(planning.problem)))
    .about("in chunks down several spanning trees, one source after the other: for few long messages")
    .source("Watts, van de Geijn 1995; Sanders, Speck, Traeff 2009; several sources: this project")
    .only_if(&[Restriction {
        text: "there are at least 3 nodes and at most 8 sources, and their bytes take 16 start-ups",
        is_met: |instance, ()| {
            instance.nodes() >= 3 && instance.sources().len() <= MOST_SOURCES && start_ups(instance) >= LONG
        },
        found: |instance, ()| {
            let [nodes, sources] = [(instance.nodes(), "node"), (instance.sources().len(), "source")]
                .map(|(number, what)| count(number as u64, what));
            let bytes = count(instance.bytes(), "byte");
            format!("here are {nodes} and {sources}, and {bytes} take {:.1} of them", start_ups(instance))
        },
    }]);

/// Of more sources the messages would wait too often until those before them are everywhere.
const MOST_SOURCES: usize = 8;

/// Where the bytes take fewer start-ups, others are faster.
const LONG: f64 = 16.0;

/// Trees are tried that take at most so many times as long as the best, by the closed form.
const HARDLY: f64 = 1.05;

/// The number of start-ups that take as long as all bytes.
fn start_ups(instance: &Instance) -> f64 {
    let parameters = instance.parameters();
    let (time, start_up) = (parameters.transfer(instance.bytes()), parameters.alpha() + parameters.hop());
    if time.is_zero() { 0.0 } else { time.as_secs_f64() / start_up.as_secs_f64() }
}

/// The trees that take the least time by the closed form, and others that take hardly more.
fn variants(instance: &Instance) -> Vec<Variant<Instance>> {
    let ordered = in_node_order(instance);
    let mut all: Vec<Chunked> =
        timetables(ordered.grid()).iter().map(|&timetable| Chunked::of(&ordered, timetable)).collect();
    let least = all.iter().map(|chunked| chunked.estimate).min().unwrap_or_default().as_secs_f64();
    all.retain(|chunked| chunked.estimate.as_secs_f64() <= HARDLY * least);
    let variant = |chunked: Chunked| {
        let name = format!("{}, {} chunks", chunked.timetable.name, chunked.number());
        let (least, estimate) = (chunked.least(&ordered), chunked.estimate);
        let messages = (chunked.number() * (ordered.nodes() - 1)) as u64;
        let make = move |instance: &Instance| Ok(by_nodes(instance, |instance| chunked.draft(instance)));
        Variant::new(name, make).at_least(least).estimated(estimate).of_messages(messages)
    };
    all.into_iter().map(variant).collect()
}

/// The messages of an instance, whose members are in the order of their nodes, in chunks for a timetable.
#[derive(Clone)]
struct Chunked {
    timetable: Timetable,
    network: Network,
    /// The number of chunks of each message.
    counts: Vec<usize>,
    /// The time of them by the closed form.
    estimate: Span,
}

impl Chunked {
    /// As many chunks as are best.
    fn of(instance: &Instance, timetable: Timetable) -> Chunked {
        let on = |&root: &usize| {
            timetable.on(instance.machine(), instance.grid(), root, |place| instance.members()[place])
        };
        let all = instance.sources().iter().map(on);
        let (network, depth) = all
            .reduce(|(one, all), (other, depth)| (one.with(other), all + depth - 1))
            .unwrap_or_else(|| on(&0));
        let (bytes, parameters) = (instance.bytes(), instance.parameters());
        let (number, estimate) = best_number(bytes / instance.element_bytes(), |chunks| {
            let step = network.step(parameters, bytes.div_ceil(chunks as u64), Span::ZERO);
            step.times((chunks + depth - 1) as u64)
        });
        // Of the longest message as many as make its chunks as long as all would be.
        let lengths = instance.lengths();
        let longest = u128::from(lengths.iter().copied().max().unwrap_or(0));
        let most = (longest * number as u128).div_ceil(u128::from(bytes.max(1)));
        let counts = Cut::ByLength.counts(lengths, (most as usize).max(2));
        Chunked { timetable, network, counts, estimate }
    }

    fn number(&self) -> usize {
        self.counts.iter().sum()
    }

    fn step(&self, instance: &Instance) -> Span {
        let longest = cut(instance, &self.counts).iter().map(|piece| piece.bytes).max().unwrap_or(0);
        self.network.step(instance.parameters(), longest, Span::ZERO)
    }

    fn least(&self, instance: &Instance) -> Span {
        least(instance.parameters(), self.step(instance), self.number())
    }

    /// The messages of each round, with the numbers of the chunks among all: those of a source as soon as no node would send or receive
    /// two at once.
    fn rounds(&self, instance: &Instance) -> Vec<Vec<Hop>> {
        let nodes = instance.nodes();
        let mut rounds: Vec<Vec<Hop>> = Vec::new();
        // Whether each node sends in a round, and whether it receives.
        let mut busy: Vec<Vec<[bool; 2]>> = Vec::new();
        let (mut before, mut earliest) = (0, 0);
        for (&root, &count) in instance.sources().iter().zip(&self.counts) {
            let own = (self.timetable.rounds)(instance.grid(), root, count);
            let is_free = |start: &usize| {
                let later = busy.iter().skip(*start).zip(&own);
                later
                    .flat_map(|(busy, hops)| hops.iter().map(move |hop| (busy, hop)))
                    .all(|(busy, hop)| !busy[hop.from][0] && !busy[hop.to][1])
            };
            let start = (earliest..rounds.len()).find(is_free).unwrap_or(rounds.len().max(earliest));
            let end = rounds.len().max(start + own.len());
            rounds.resize_with(end, Vec::new);
            busy.resize_with(end, || vec![[false; 2]; nodes]);
            for (round, hops) in (start..).zip(own) {
                for hop in hops {
                    (busy[round][hop.from][0], busy[round][hop.to][1]) = (true, true);
                    rounds[round].push(Hop { chunk: before + hop.chunk, ..hop });
                }
            }
            before += count as u32;
            earliest = start + count;
        }
        rounds
    }

    fn draft(&self, instance: &Instance) -> Draft {
        let draft = Draft::moving(instance, cut(instance, &self.counts), Exchange::Overlapped, |builder| {
            for hops in self.rounds(instance) {
                let transfer = |hop: Hop| Transfer { from: hop.from, to: hop.to, blocks: [hop.chunk].into() };
                builder.iteration(hops.into_iter().map(transfer));
            }
        });
        let parameters = instance.parameters();
        let longest = draft.pieces.iter().map(|piece| piece.bytes).max().unwrap_or(0);
        let (send, receive) = parameters.overheads(longest);
        let busy = |action: &Action| match action {
            Action::Start(_) => send,
            Action::Recv(_) => receive,
            Action::Pack(bytes) => parameters.copying(*bytes),
            Action::Pause(span) => *span,
            _ => Span::ZERO,
        };
        let schedule = draft.schedule.clocked(self.step(instance), send, Span::ZERO, busy);
        Draft { schedule, ..draft }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Description, rank::Rank};

    fn instance(machine: &str, sources: &[Rank], bytes: u64) -> Instance {
        let machine: Description = machine.parse().unwrap();
        Instance::new(&machine, sources, &vec![bytes; sources.len()]).unwrap()
    }

    /// In a round a node sends one chunk at most and receives one, and the next source begins before the last chunks are everywhere.
    #[test]
    fn sources_follow_each_other_and_share_no_port() {
        for (machine, sources) in
            [("hockney:4x5", &[3, 12, 19][..]), ("line:9", &[4, 0]), ("paragon:3x6", &[0, 1, 2, 3, 17])]
        {
            let instance = instance(machine, sources, 200_000);
            for &timetable in timetables(instance.grid()) {
                let chunked = Chunked::of(&instance, timetable);
                let rounds = chunked.rounds(&instance);
                for hops in &rounds {
                    for ends in [|hop: &Hop| hop.from, |hop: &Hop| hop.to] {
                        let mut busy: Vec<Rank> = hops.iter().map(ends).collect();
                        busy.sort_unstable();
                        assert!(busy.is_sorted_by(|one, next| one < next), "{machine}, {}", timetable.name);
                    }
                }
                let alone = sources.iter().zip(&chunked.counts);
                let alone =
                    alone.map(|(&root, &count)| (timetable.rounds)(instance.grid(), root, count).len());
                assert!(rounds.len() < alone.sum(), "{machine}, {}", timetable.name);
                let all: usize = rounds.iter().map(Vec::len).sum();
                assert_eq!(all, chunked.number() * (instance.nodes() - 1));
            }
        }
    }

    /// One long message takes what its bytes take, and little more; others take twice as long.
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
    fn few_nodes_many_sources_and_short_messages_are_left_to_others() {
        let refused = |machine: &str, sources: usize, bytes: u64| {
            let instance = instance(machine, &(0..sources).collect::<Vec<Rank>>(), bytes);
            Algorithm::PIPELINE.check(&instance).map_err(|error| error.to_string())
        };
        let refusal = "pipeline works only if there are at least 3 nodes and at most 8 sources, and their bytes take 16 start-ups";
        assert_eq!(refused("hockney:1x3", 1, 1 << 20), Ok(()));
        for (machine, sources, bytes, found) in [
            (
                "hockney:1x2",
                1,
                1 << 20,
                "here are 2 nodes and 1 source, and 1048576 bytes take 403.3 of them",
            ),
            (
                "hockney:4x4",
                9,
                1 << 20,
                "here are 16 nodes and 9 sources, and 9437184 bytes take 3629.7 of them",
            ),
            ("hockney:4x4", 2, 1000, "here are 16 nodes and 2 sources, and 2000 bytes take 0.8 of them"),
            ("hockney:4x4", 1, 0, "here are 16 nodes and 1 source, and 0 bytes take 0.0 of them"),
        ] {
            assert_eq!(refused(machine, sources, bytes), Err(format!("{refusal}, and {found}")));
        }
    }
}
