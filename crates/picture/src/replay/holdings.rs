//! The data that every node holds at every instant: recorded by library calls, or, for other programs, everything that
//! messages can have carried to the node.

use std::collections::BTreeMap;

use multicomputer::{
    Rank, Tag, Time,
    record::{Change, Content, EventKind, Trace},
};

use super::sets::{EMPTY, SetId, Sets};

/// The rule by which held data is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldingRule {
    /// Blocks of the calls that nodes make.
    Blocks,
    /// The nodes from which messages can have come, directly or through other nodes.
    Reach,
}

/// An amount of data: held by one node, or the total of one call or of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DataAmount {
    pub(super) bytes: u64,
    /// The number of blocks, counting each member's version of a combined block; or the number of nodes.
    pub(super) parts: u64,
}

/// The amount that a node holds from an instant until its next sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HoldingSample {
    pub(super) at: Time,
    /// The index of the call in the totals.
    pub(super) call: usize,
    pub(super) held: DataAmount,
}

/// The data held by all nodes over time.
#[derive(Debug)]
pub(super) struct Holdings {
    pub(super) rule: HoldingRule,
    pub(super) totals: Vec<DataAmount>,
    /// The samples of each node, in the order of time.
    pub(super) levels: Vec<Vec<HoldingSample>>,
}

impl Holdings {
    pub(super) fn of(trace: &Trace, nodes: usize) -> Holdings {
        let known = Calls::of(&trace.contents, nodes);
        if known.totals.iter().any(|total| total.bytes > 0) {
            known
        } else {
            Holdings::causal_closure(trace, nodes)
        }
    }

    /// Computes the causal closure of messages: with a message a receiver gets all data that the sender held when it sent the message.
    fn causal_closure(trace: &Trace, nodes: usize) -> Holdings {
        let mut calls: Vec<Vec<(Time, Option<Rank>, u64)>> = vec![Vec::new(); nodes];
        let mut events: Vec<_> = trace.events.iter().collect();
        // Sorted in the order of the calls: calls of a node do not overlap.
        events.sort_by_key(|event| event.end);
        for event in events {
            match event.kind {
                EventKind::Send { seq, .. } => calls[event.rank].push((event.end, None, seq)),
                EventKind::Recv { from, seq, .. } => calls[event.rank].push((event.end, Some(from), seq)),
                _ => {}
            }
        }
        let level = |at, parts| HoldingSample { at, call: 0, held: DataAmount { bytes: 0, parts } };
        let mut levels = vec![vec![level(Time::ZERO, 1)]; nodes];
        let mut reached: Vec<Vec<u64>> = (0..nodes).map(|rank| singleton(rank, nodes)).collect();
        let (mut done, mut sent) = (vec![0; nodes], BTreeMap::new());
        advance_to_fixpoint(nodes, |rank| {
            let mut goes_on = false;
            while let Some(&(at, from, seq)) = calls[rank].get(done[rank]) {
                match from {
                    None => drop(sent.insert((rank, seq), reached[rank].clone())),
                    Some(from) => {
                        let Some(brought) = sent.remove(&(from, seq)) else { break };
                        let own = &mut reached[rank];
                        own.iter_mut().zip(&brought).for_each(|(own, other)| *own |= other);
                        let parts = own.iter().map(|word| u64::from(word.count_ones())).sum();
                        push(&mut levels[rank], level(at, parts));
                    }
                }
                (done[rank], goes_on) = (done[rank] + 1, true);
            }
            goes_on
        });
        let totals = vec![DataAmount { bytes: 0, parts: nodes as u64 }];
        Holdings { rule: HoldingRule::Reach, totals, levels }
    }
}

/// Returns the set of one node.
fn singleton(rank: Rank, nodes: usize) -> Vec<u64> {
    let mut set = vec![0; nodes.div_ceil(64)];
    set[rank / 64] |= 1 << (rank % 64);
    set
}

/// Advances every node as far as possible, until no node can proceed.
fn advance_to_fixpoint(nodes: usize, mut advance: impl FnMut(Rank) -> bool) {
    while (0..nodes).fold(false, |changed, rank| advance(rank) | changed) {}
}

/// Adds a sample if it differs from the previous one; of several samples at one instant only the last is kept.
fn push(levels: &mut Vec<HoldingSample>, level: HoldingSample) {
    if levels.last().is_some_and(|last| (last.call, last.held) == (level.call, level.held)) {
        return;
    }
    if levels.last().is_some_and(|last| last.at == level.at) {
        levels.pop();
    }
    levels.push(level);
}

/// The content of a block on a node: the members of the call whose versions are combined in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BlockOrigin {
    #[default]
    Nothing,
    /// Versions of one block.
    Of(u32, SetId),
    /// Versions of several blocks, by the index of their list; arises only by merging.
    Several(u32),
}

/// The sets and lists to which [`BlockOrigin`]s refer.
#[derive(Debug)]
struct Origins {
    sets: Sets,
    lists: Vec<BTreeMap<u32, SetId>>,
}

impl Origins {
    /// Returns the blocks of an origin, each with the members whose versions it includes.
    fn parts(&self, origin: BlockOrigin) -> BTreeMap<u32, SetId> {
        match origin {
            BlockOrigin::Nothing => BTreeMap::new(),
            BlockOrigin::Of(block, members) => BTreeMap::from([(block, members)]),
            BlockOrigin::Several(list) => self.lists[list as usize].clone(),
        }
    }

    fn union(&mut self, one: BlockOrigin, other: BlockOrigin) -> BlockOrigin {
        match (one, other) {
            (one, BlockOrigin::Nothing) => one,
            (BlockOrigin::Nothing, other) => other,
            (one, other) if one == other => one,
            (BlockOrigin::Of(block, members), BlockOrigin::Of(same, others)) if block == same => {
                BlockOrigin::Of(block, self.sets.union(members, others))
            }
            _ => {
                let mut all = self.parts(one);
                for (block, members) in self.parts(other) {
                    let own = all.entry(block).or_insert(EMPTY);
                    *own = self.sets.union(*own, members);
                }
                self.lists.push(all);
                BlockOrigin::Several((self.lists.len() - 1) as u32)
            }
        }
    }
}

/// Replay of library calls, which determines the versions of blocks that each node holds. The cost is proportional to the number of blocks
/// in messages, because equal sets are shared and counters are updated incrementally.
struct Calls<'a> {
    totals: Vec<DataAmount>,
    /// The index of each call, by its members, its tag, and the number of earlier calls with these members and this tag.
    numbers: BTreeMap<(&'a [Rank], Tag, usize), usize>,
    begun: BTreeMap<(Rank, &'a [Rank], Tag), usize>,
    /// The contents of messages in transit, block by block.
    messages: BTreeMap<(Rank, u64), Vec<BlockOrigin>>,
    nodes: Vec<Node<'a>>,
    origins: Origins,
}

/// State of a node in its current call.
#[derive(Default)]
struct Node<'a> {
    changes: Vec<&'a Content>,
    done: usize,
    call: usize,
    sizes: &'a [u64],
    /// By block: its current content. `had` is the set of members whose versions the node has held so far.
    blocks: Vec<BlockOrigin>,
    had: Vec<SetId>,
    held: DataAmount,
    levels: Vec<HoldingSample>,
}

impl<'a> Calls<'a> {
    fn of(contents: &'a [Content], nodes: usize) -> Holdings {
        let mut calls = Calls {
            totals: Vec::new(),
            numbers: BTreeMap::new(),
            begun: BTreeMap::new(),
            messages: BTreeMap::new(),
            nodes: (0..nodes).map(|_| Node::default()).collect(),
            origins: Origins { sets: Sets::new(), lists: Vec::new() },
        };
        contents.iter().for_each(|content| calls.nodes[content.rank].changes.push(content));
        advance_to_fixpoint(nodes, |rank| calls.advance(rank));
        let levels = calls.nodes.into_iter().map(|node| node.levels).collect();
        Holdings { rule: HoldingRule::Blocks, totals: calls.totals, levels }
    }

    /// Advances a node until it needs a message that has not been sent; returns whether it has advanced.
    fn advance(&mut self, rank: Rank) -> bool {
        let mut goes_on = false;
        loop {
            let (node, origins) = (&mut self.nodes[rank], &mut self.origins);
            let Some(&next) = node.changes.get(node.done) else {
                // Free the memory: of a finished node only the samples are needed.
                (node.blocks, node.had) = (Vec::new(), Vec::new());
                return goes_on;
            };
            match &next.change {
                Change::Begins { members, tag, sizes, blocks } => {
                    self.begin(rank, members, *tag, sizes, blocks);
                }
                Change::Gives { blocks } => {
                    let given = blocks.iter().map(|&block| node.has(block)).collect();
                    self.messages.insert((rank, next.sent), given);
                }
                Change::Takes { from, seq, blocks, combined } => {
                    let Some(brought) = self.messages.remove(&(*from, *seq)) else { return goes_on };
                    for (&block, origin) in blocks.iter().zip(brought) {
                        node.take(block, origin, *combined, origins);
                    }
                }
                Change::Merges { left, right, into } => {
                    let merged = origins.union(node.has(*left), node.has(*right));
                    *place(&mut node.blocks, *into) = merged;
                }
            }
            let node = &mut self.nodes[rank];
            push(&mut node.levels, HoldingSample { at: next.at, call: node.call, held: node.held });
            (node.done, goes_on) = (node.done + 1, true);
        }
    }

    fn begin(&mut self, rank: Rank, members: &'a [Rank], tag: Tag, sizes: &'a [u64], blocks: &[u32]) {
        let begun = self.begun.entry((rank, members, tag)).or_default();
        let call = *self.numbers.entry((members, tag, *begun)).or_insert(self.totals.len());
        *begun += 1;
        if call == self.totals.len() {
            self.totals.push(DataAmount::default());
        }
        let node = &mut self.nodes[rank];
        (node.call, node.sizes, node.held) = (call, sizes, DataAmount::default());
        (node.blocks, node.had) = (Vec::new(), Vec::new());
        let alone = self.origins.sets.one(rank as u32);
        for &block in blocks {
            node.take(block, BlockOrigin::Of(block, alone), false, &mut self.origins);
        }
        let total = &mut self.totals[call];
        (total.bytes, total.parts) = (total.bytes + node.held.bytes, total.parts + node.held.parts);
    }
}

impl Node<'_> {
    fn has(&self, block: u32) -> BlockOrigin {
        self.blocks.get(block as usize).copied().unwrap_or_default()
    }

    /// Stores a received block, or combines it with the stored one.
    fn take(&mut self, block: u32, brought: BlockOrigin, combined: bool, origins: &mut Origins) {
        match brought {
            BlockOrigin::Nothing => {}
            BlockOrigin::Of(block, members) => self.add(block, members, &mut origins.sets),
            BlockOrigin::Several(list) => {
                let Origins { sets, lists } = origins;
                lists[list as usize].iter().for_each(|(&block, &members)| self.add(block, members, sets));
            }
        }
        let own = place(&mut self.blocks, block);
        *own = if combined { origins.union(*own, brought) } else { brought };
    }

    /// Counts the versions of a block that are new to the node.
    fn add(&mut self, block: u32, members: SetId, sets: &mut Sets) {
        let had = place(&mut self.had, block);
        let all = sets.union(*had, members);
        let more = sets.size(all) - sets.size(*had);
        *had = all;
        self.held.parts += more;
        self.held.bytes += more * self.sizes.get(block as usize).copied().unwrap_or(0);
    }
}

/// Returns the element of a block in a list; extends the list if necessary.
fn place<T: Clone + Default>(list: &mut Vec<T>, block: u32) -> &mut T {
    let place = block as usize;
    if list.len() <= place {
        list.resize(place + 1, T::default());
    }
    &mut list[place]
}
