//! A lower limit of the time of data that goes around rings, before its schedule is made.
//!
//! A [collect](crate::pattern::ring::collect) around a long ring is many messages: 512 nodes with four blocks each send a million,
//! and to make that schedule takes longer than most other things that a plan looks at. But what it takes at least follows from
//! who holds what alone. Every node sends on all that is not its successor's; and any block goes from node to node, which is a
//! start-up and its bytes each time.

use crate::{model::Parameters, rank::Rank, time::Span};

/// Data that is brought together in rings, phase by phase: what nodes hold so far, and what that has taken them.
#[derive(Clone, Debug)]
pub(crate) struct Rings {
    nodes: Vec<Node>,
    /// The bytes of the node that holds the most in the beginning, of the shortest of its blocks, and their number; nothing if there
    /// are no blocks.
    most: Option<(u64, u64, u64)>,
    /// The messages, one after the other, that carry those of its blocks that go the longest way.
    hops: u64,
    /// Whether nothing has been brought together yet.
    is_first: bool,
    /// Whether the first of these messages came from that node when nothing had been brought together yet, and with them all its blocks.
    is_from_origin: bool,
}

/// The data that a node holds, sends and receives.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    blocks: usize,
    held: u64,
    sends: u64,
    receives: u64,
    sent: u64,
    received: u64,
}

/// Times of many bytes are rounded; a millionth is more than that.
const ROUNDED: f64 = 1.0 - 1e-6;

impl Rings {
    /// Blocks of so many bytes at some nodes. Those that several nodes hold are given for each.
    pub(crate) fn of(nodes: usize, blocks: impl IntoIterator<Item = (Rank, u64)>) -> Rings {
        let mut nodes = vec![Node::default(); nodes];
        let mut shortest = vec![u64::MAX; nodes.len()];
        for (rank, bytes) in blocks {
            nodes[rank].blocks += 1;
            nodes[rank].held = nodes[rank].held.saturating_add(bytes);
            shortest[rank] = shortest[rank].min(bytes);
        }
        let holders = nodes.iter().zip(shortest).filter(|(node, _)| node.blocks > 0);
        let most = holders.map(|(node, shortest)| (node.held, shortest, node.blocks as u64)).max();
        Rings { nodes, most, hops: 0, is_first: true, is_from_origin: false }
    }

    /// The bytes that a node holds.
    pub(crate) fn held(&self, rank: Rank) -> u64 {
        self.nodes[rank].held
    }

    /// A node has sent so many bytes, in at least one message, that are no part of a collect.
    pub(crate) fn has_sent(&mut self, rank: Rank, bytes: u64) {
        self.nodes[rank].sent = self.nodes[rank].sent.saturating_add(bytes);
        self.nodes[rank].sends += u64::from(bytes > 0);
    }

    /// The nodes of each line bring together what they hold, in whatever way.
    pub(crate) fn gather(&mut self, lines: &[Vec<Rank>]) {
        for line in lines {
            let (blocks, held) = self.sum(line);
            for &rank in line {
                (self.nodes[rank].blocks, self.nodes[rank].held) = (blocks, held);
            }
        }
        self.is_first = false;
    }

    /// The same around rings, in buckets of so many blocks as `most` makes of the numbers of blocks that the nodes of a ring hold.
    pub(crate) fn collect(&mut self, rings: &[Vec<Rank>], most: impl Fn(&[usize]) -> usize) {
        let hops = rings.iter().map(|ring| ring.len().saturating_sub(1)).min().unwrap_or(0);
        self.is_from_origin |= self.is_first && hops > 0;
        self.hops += hops as u64;
        for ring in rings {
            let counts: Vec<usize> = ring.iter().map(|&rank| self.nodes[rank].blocks).collect();
            let most = most(&counts).max(1);
            let buckets = |blocks: usize| blocks.div_ceil(most) as u64;
            let all: u64 = counts.iter().map(|&blocks| buckets(blocks)).sum();
            let held: Vec<u64> = ring.iter().map(|&rank| self.nodes[rank].held).collect();
            let bytes = self.sum(ring).1;
            for (position, &rank) in ring.iter().enumerate() {
                let (node, next) = (&mut self.nodes[rank], (position + 1) % ring.len());
                node.sends += all - buckets(counts[next]);
                node.sent = node.sent.saturating_add(bytes.saturating_sub(held[next]));
                node.receives += all - buckets(counts[position]);
                node.received = node.received.saturating_add(bytes.saturating_sub(held[position]));
            }
        }
        self.gather(rings);
    }

    fn sum(&self, line: &[Rank]) -> (usize, u64) {
        line.iter()
            .map(|&rank| &self.nodes[rank])
            .fold((0, 0), |(blocks, held), node| (blocks + node.blocks, held.saturating_add(node.held)))
    }

    /// The messages of all rings.
    pub(crate) fn messages(&self) -> u64 {
        self.nodes.iter().map(|node| node.receives).sum()
    }

    /// The time of all phases at least, in this order or turned around in time, where nodes send what they receive here.
    pub(crate) fn least(&self, parameters: &Parameters) -> Span {
        let (send, recv) = (parameters.send_overhead(), parameters.receive_overhead());
        let node = |node: &Node| {
            let calls = |sends, receives| send.times(sends) + recv.times(receives);
            let busy = calls(node.sends, node.receives).min(calls(node.receives, node.sends));
            busy.max(self.ports(parameters, node.sent, node.received, node.sends + node.receives))
        };
        self.longest(node).max(self.travel(parameters, 1))
    }

    /// The same of all phases turned around, and then all of them in this order.
    pub(crate) fn least_back_and_forth(&self, parameters: &Parameters) -> Span {
        let node = |node: &Node| {
            let (messages, bytes) = (node.sends + node.receives, node.sent.saturating_add(node.received));
            let busy = (parameters.send_overhead() + parameters.receive_overhead()).times(messages);
            busy.max(self.ports(parameters, bytes, bytes, 2 * messages))
        };
        self.longest(node).max(self.travel(parameters, 2))
    }

    fn longest(&self, time: impl Fn(&Node) -> Span) -> Span {
        self.nodes.iter().map(time).max().unwrap_or(Span::ZERO)
    }

    /// The time of the bytes of a node through its ports; the kernel rounds when each message has left.
    fn ports(&self, parameters: &Parameters, sent: u64, received: u64, messages: u64) -> Span {
        let both = (sent as f64 + received as f64) / parameters.duplex();
        let bytes = both.max(sent.max(received) as f64);
        Span::from_secs_f64(ROUNDED * parameters.node_beta() * bytes) - Span::from_picos(messages)
    }

    /// The time of the messages one after the other that carry the same blocks, so many times all the way. The first of them come
    /// one by one out of the port of the node that has them, or turned around in time go into it.
    fn travel(&self, parameters: &Parameters, times: u64) -> Span {
        let hops = self.hops * times;
        let Some((all, shortest, blocks)) = self.most.filter(|_| hops > 0) else { return Span::ZERO };
        let first = if self.is_from_origin { all } else { shortest };
        let bytes = first as f64 + (hops - 1) as f64 * shortest as f64;
        let transfers = Span::from_secs_f64(ROUNDED * parameters.beta() * bytes);
        parameters.alpha().times(hops) + (transfers - Span::from_picos(hops + blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        pattern::{Builder, Exchange, ring},
        plan::search::busiest_node,
    };

    /// Tests two phases, of rows and of columns, of 12 nodes that hold 0 to 3 blocks each, in buckets of one to three: messages are
    /// those of the schedule, and nothing is said to take longer than the busiest node does.
    #[test]
    fn messages_and_bytes_are_those_of_the_schedule() {
        let rows: Vec<Vec<Rank>> = (0..3).map(|row| (4 * row..4 * row + 4).collect()).collect();
        let columns: Vec<Vec<Rank>> = (0..4).map(|column| (column..12).step_by(4).collect()).collect();
        let origins: Vec<Rank> = (0..12).flat_map(|rank| vec![rank; rank * 7 % 4]).collect();
        let sizes: Vec<u64> = (0..origins.len() as u64).map(|block| 1000 * (block % 5)).collect();
        let parameters = Parameters::hockney().to_builder().latency(0.0).build().unwrap();
        for most in 1..4 {
            let mut builder = Builder::new(12, &origins, &sizes, Exchange::InTurn);
            let mut rings = Rings::of(12, origins.iter().copied().zip(sizes.iter().copied()));
            for lines in [&rows, &columns] {
                ring::collect(&mut builder, lines, |_| most);
                rings.collect(lines, |_| most);
            }
            assert_eq!(rings.held(5), sizes.iter().sum::<u64>());
            let schedule = builder.finish();
            assert_eq!(rings.messages(), schedule.messages().count() as u64);
            for rank in 0..12 {
                let mut counted = [0; 4];
                for step in schedule.steps(rank) {
                    if let Some(message) = step.action.sent() {
                        counted[0] += 1;
                        counted[1] += message.bytes;
                    }
                    if let Some(message) = step.action.received() {
                        counted[2] += 1;
                        counted[3] += message.bytes;
                    }
                }
                let Node { sends, sent, receives, received, .. } = rings.nodes[rank];
                assert_eq!([sends, sent, receives, received], counted, "rank {rank}");
            }
            let busiest = busiest_node(&schedule, &parameters);
            let busy = rings.longest(|node| parameters.send_overhead().times(node.sends + node.receives));
            assert!(Span::ZERO < busy && busy <= busiest, "{busy} of {busiest}");
        }
    }

    /// Tests four nodes with blocks of 1000 bytes: a block takes three times a start-up and its bytes; with four blocks a node the
    /// last one waits for three others first; to and fro, which is six times.
    #[test]
    fn blocks_go_from_node_to_node() {
        let parameters = Parameters::hockney();
        let ring: Vec<Rank> = (0..4).collect();
        let travel = |blocks: usize, times: u64| {
            let held = (0..4).flat_map(|rank| vec![(rank, 1000); blocks]);
            let mut rings = Rings::of(4, held);
            rings.collect(std::slice::from_ref(&ring), |_| 1);
            rings.travel(&parameters, times)
        };
        for (blocks, times, hops, transfers) in [(1, 1, 3, 3), (4, 1, 3, 6), (1, 2, 6, 6)] {
            let exact = parameters.alpha().times(hops) + parameters.transfer(1000 * transfers);
            let travel = travel(blocks, times);
            assert!(
                travel <= exact && travel.as_secs_f64() > 0.99999 * exact.as_secs_f64(),
                "{travel} of {exact}"
            );
        }
        // A line of one node is no way to go.
        let mut alone = Rings::of(1, [(0, 1000)]);
        alone.collect(&[vec![0]], |_| 1);
        assert_eq!(alone.least(&parameters), Span::ZERO);
    }
}
