//! Lower bound on the time of ring all-gathers, computed before the schedule is made.
//!
//! An [all-gather](crate::pattern::ring::all_gather) around a long ring has many messages: 512 nodes with four blocks each send a million.
//! Making this schedule takes longer than most other work of planning. A lower bound needs only the initial placement of the blocks:
//! every node forwards all data that its successor lacks, and a block costs a start-up and its bytes on every hop.

use super::bound::port_load;
use crate::{model::Parameters, rank::Rank, time::Span};

/// A sequence of all-gathers, phase by phase: the data that nodes hold, and the messages and bytes moved so far.
#[derive(Clone, Debug)]
pub(crate) struct Rings {
    nodes: Vec<Node>,
    /// For the node with the most bytes at the start: its bytes, the bytes of its shortest block, and its number of
    /// blocks. `None` if there are no blocks.
    heaviest: Option<(u64, u64, u64)>,
    /// Number of successive messages that carry the block that travels farthest from the heaviest node.
    hops: u64,
    /// Whether no phase has been added yet.
    is_first: bool,
    /// Whether these messages start in the first phase, at the heaviest node, through whose out-port all its blocks must pass.
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

/// The fraction of a transfer time that is used for pruning: rounding in the kernel shortens a transfer by less than 1e-6 of its time.
const ROUNDING: f64 = 1.0 - 1e-6;

impl Rings {
    /// Creates the initial state from blocks with their nodes and bytes. A block on several nodes is listed for each of them.
    pub(crate) fn of(nodes: usize, blocks: impl IntoIterator<Item = (Rank, u64)>) -> Rings {
        let mut nodes = vec![Node::default(); nodes];
        let mut shortest = vec![u64::MAX; nodes.len()];
        for (rank, bytes) in blocks {
            nodes[rank].blocks += 1;
            nodes[rank].held = nodes[rank].held.saturating_add(bytes);
            shortest[rank] = shortest[rank].min(bytes);
        }
        let holders = nodes.iter().zip(shortest).filter(|(node, _)| node.blocks > 0);
        let heaviest = holders.map(|(node, shortest)| (node.held, shortest, node.blocks as u64)).max();
        Rings { nodes, heaviest, hops: 0, is_first: true, is_from_origin: false }
    }

    /// Returns the bytes that a node holds.
    pub(crate) fn held(&self, rank: Rank) -> u64 {
        self.nodes[rank].held
    }

    /// Records bytes that a node has sent outside an all-gather, in at least one message.
    pub(crate) fn has_sent(&mut self, rank: Rank, bytes: u64) {
        self.nodes[rank].sent = self.nodes[rank].sent.saturating_add(bytes);
        self.nodes[rank].sends += u64::from(bytes > 0);
    }

    /// Records that every node of a line has the data of the whole line, collected by any algorithm. Counts no messages.
    pub(crate) fn gather(&mut self, lines: &[Vec<Rank>]) {
        for line in lines {
            let (blocks, held) = self.sum(line);
            for &rank in line {
                (self.nodes[rank].blocks, self.nodes[rank].held) = (blocks, held);
            }
        }
        self.is_first = false;
    }

    /// Adds an all-gather around rings. `most` returns the blocks per message from the numbers of blocks of the nodes of a ring.
    pub(crate) fn all_gather(&mut self, rings: &[Vec<Rank>], most: impl Fn(&[usize]) -> usize) {
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

    /// Returns the number of messages of all phases.
    pub(crate) fn messages(&self) -> u64 {
        self.nodes.iter().map(|node| node.receives).sum()
    }

    /// Returns a lower bound on the time of all phases, in this order or reversed in time with sends and receives swapped.
    pub(crate) fn lower_bound(&self, parameters: &Parameters) -> Span {
        let (send, recv) = (parameters.send_overhead(), parameters.receive_overhead());
        let node = |node: &Node| {
            let calls = |sends, receives| send.times(sends) + recv.times(receives);
            let busy = calls(node.sends, node.receives).min(calls(node.receives, node.sends));
            busy.max(self.ports(parameters, node.sent, node.received, node.sends + node.receives))
        };
        self.longest(node).max(self.longest_chain(parameters, 1))
    }

    /// Returns a lower bound on the time of all phases reversed, followed by all phases in this order.
    pub(crate) fn lower_bound_back_and_forth(&self, parameters: &Parameters) -> Span {
        let node = |node: &Node| {
            let (messages, bytes) = (node.sends + node.receives, node.sent.saturating_add(node.received));
            let busy = (parameters.send_overhead() + parameters.receive_overhead()).times(messages);
            busy.max(self.ports(parameters, bytes, bytes, 2 * messages))
        };
        self.longest(node).max(self.longest_chain(parameters, 2))
    }

    fn longest(&self, time: impl Fn(&Node) -> Span) -> Span {
        self.nodes.iter().map(time).max().unwrap_or(Span::ZERO)
    }

    /// Returns the time of a node's bytes through its ports, less the kernel's rounding of each departure.
    fn ports(&self, parameters: &Parameters, sent: u64, received: u64, messages: u64) -> Span {
        let bytes = port_load(parameters, sent, received);
        Span::from_secs_f64(ROUNDING * parameters.node_beta() * bytes) - Span::from_picos(messages)
    }

    /// Returns the time of the chain of messages that carries one block over all hops, `times` times. The blocks of the heaviest node first
    /// leave its port one after the other (reversed in time: they enter it).
    fn longest_chain(&self, parameters: &Parameters, times: u64) -> Span {
        let hops = self.hops * times;
        let Some((all, shortest, blocks)) = self.heaviest.filter(|_| hops > 0) else { return Span::ZERO };
        let first = if self.is_from_origin { all } else { shortest };
        let bytes = first as f64 + (hops - 1) as f64 * shortest as f64;
        let transfers = Span::from_secs_f64(ROUNDING * parameters.beta() * bytes);
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

    /// Tests two phases, rows and then columns, of 12 nodes with 0 to 3 blocks each and one to three blocks per message: the counts equal
    /// those of the schedule, and no bound exceeds the load of the busiest node.
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
                ring::all_gather(&mut builder, lines, |_| most);
                rings.all_gather(lines, |_| most);
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

    /// Tests four nodes with blocks of 1000 bytes: a block makes three hops; with four blocks per node the last block first waits for the
    /// other three; forth and back it makes six hops.
    #[test]
    fn the_longest_chain_follows_one_block() {
        let parameters = Parameters::hockney();
        let ring: Vec<Rank> = (0..4).collect();
        let longest_chain = |blocks: usize, times: u64| {
            let held = (0..4).flat_map(|rank| vec![(rank, 1000); blocks]);
            let mut rings = Rings::of(4, held);
            rings.all_gather(std::slice::from_ref(&ring), |_| 1);
            rings.longest_chain(&parameters, times)
        };
        for (blocks, times, hops, transfers) in [(1, 1, 3, 3), (4, 1, 3, 6), (1, 2, 6, 6)] {
            let exact = parameters.alpha().times(hops) + parameters.transfer(1000 * transfers);
            let longest_chain = longest_chain(blocks, times);
            assert!(
                longest_chain <= exact && longest_chain.as_secs_f64() > 0.99999 * exact.as_secs_f64(),
                "{longest_chain} of {exact}"
            );
        }
        // A ring of one node needs no messages.
        let mut alone = Rings::of(1, [(0, 1000)]);
        alone.all_gather(&[vec![0]], |_| 1);
        assert_eq!(alone.lower_bound(&parameters), Span::ZERO);
    }
}
