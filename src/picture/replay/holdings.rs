//! The holdings of every node at every instant: of library calls as they tell it, of other programs as far as messages can have
//! brought it.

use std::collections::BTreeMap;

use super::sets::{NOBODY, SetId, Sets};
use crate::{
    rank::{Rank, Tag},
    record::{Change, Content, EventKind, Trace},
    time::Time,
};

/// The things that nodes hold, as far as they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Blocks of the calls that nodes make.
    Blocks,
    /// The nodes from which messages can have come, directly or over others.
    Reach,
}

/// All that there is to be held, in one call or in the whole run, or a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    pub(super) bytes: u64,
    /// Blocks, each as often as a member has a version of its own; or nodes.
    pub(super) parts: u64,
}

/// The holding of a node from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) at: Time,
    /// The call among the totals.
    pub(super) call: usize,
    pub(super) held: Total,
}

/// The holdings of all nodes.
#[derive(Debug)]
pub(super) struct Holdings {
    pub(super) rule: Rule,
    pub(super) totals: Vec<Total>,
    /// The levels of each node, in the order of time.
    pub(super) levels: Vec<Vec<Level>>,
}

impl Holdings {
    pub(super) fn of(trace: &Trace, nodes: usize) -> Holdings {
        let known = Calls::of(&trace.contents, nodes);
        if known.totals.iter().any(|total| total.bytes > 0) { known } else { Holdings::reached(trace, nodes) }
    }

    /// The causal closure of messages: a node that receives one has all that its sender had when it sent it.
    fn reached(trace: &Trace, nodes: usize) -> Holdings {
        let mut calls: Vec<Vec<(Time, Option<Rank>, u64)>> = vec![Vec::new(); nodes];
        let mut events: Vec<_> = trace.events.iter().collect();
        // The order in which they were made: calls of a node do not overlap.
        events.sort_by_key(|event| event.end);
        for event in events {
            match event.kind {
                EventKind::Send { seq, .. } => calls[event.rank].push((event.end, None, seq)),
                EventKind::Recv { from, seq, .. } => calls[event.rank].push((event.end, Some(from), seq)),
                _ => {}
            }
        }
        let level = |at, parts| Level { at, call: 0, held: Total { bytes: 0, parts } };
        let mut levels = vec![vec![level(Time::ZERO, 1)]; nodes];
        let mut reached: Vec<Vec<u64>> = (0..nodes).map(|rank| alone(rank, nodes)).collect();
        let (mut done, mut sent) = (vec![0; nodes], BTreeMap::new());
        until_nothing_changes(nodes, |rank| {
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
        let totals = vec![Total { bytes: 0, parts: nodes as u64 }];
        Holdings { rule: Rule::Reach, totals, levels }
    }
}

/// A set of one node.
fn alone(rank: Rank, nodes: usize) -> Vec<u64> {
    let mut set = vec![0; nodes.div_ceil(64)];
    set[rank / 64] |= 1 << (rank % 64);
    set
}

/// Lets every node go as far as it can, until none can go on.
fn until_nothing_changes(nodes: usize, mut go: impl FnMut(Rank) -> bool) {
    while (0..nodes).fold(false, |changed, rank| go(rank) | changed) {}
}

/// Adds a level if it is another one than before; the last one of an instant counts.
fn push(levels: &mut Vec<Level>, level: Level) {
    if levels.last().is_some_and(|last| (last.call, last.held) == (level.call, level.held)) {
        return;
    }
    if levels.last().is_some_and(|last| last.at == level.at) {
        levels.pop();
    }
    levels.push(level);
}

/// The part of a block that a node has: the versions of members that went into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Origin {
    #[default]
    Nothing,
    /// Versions of one block.
    Of(u32, SetId),
    /// Versions of several blocks, by the place of their list: only merging brings that about.
    Several(u32),
}

/// The sets and lists that origins refer to.
#[derive(Debug)]
struct Origins {
    sets: Sets,
    lists: Vec<BTreeMap<u32, SetId>>,
}

impl Origins {
    /// The blocks of an origin, and the members whose versions of them it has.
    fn parts(&self, origin: Origin) -> BTreeMap<u32, SetId> {
        match origin {
            Origin::Nothing => BTreeMap::new(),
            Origin::Of(block, members) => BTreeMap::from([(block, members)]),
            Origin::Several(list) => self.lists[list as usize].clone(),
        }
    }

    fn union(&mut self, one: Origin, other: Origin) -> Origin {
        match (one, other) {
            (one, Origin::Nothing) => one,
            (Origin::Nothing, other) => other,
            (one, other) if one == other => one,
            (Origin::Of(block, members), Origin::Of(same, others)) if block == same => {
                Origin::Of(block, self.sets.union(members, others))
            }
            _ => {
                let mut all = self.parts(one);
                for (block, members) in self.parts(other) {
                    let own = all.entry(block).or_insert(NOBODY);
                    *own = self.sets.union(*own, members);
                }
                self.lists.push(all);
                Origin::Several((self.lists.len() - 1) as u32)
            }
        }
    }
}

/// Library calls on their way: what every node has of which block. The effort is that of the blocks in messages: sets are
/// shared by all that have the same, and the figures of a node grow by what is new to it.
struct Calls<'a> {
    totals: Vec<Total>,
    /// Each call by its members, its tag, and how often a node has made such a call before.
    numbers: BTreeMap<(&'a [Rank], Tag, usize), usize>,
    begun: BTreeMap<(Rank, &'a [Rank], Tag), usize>,
    /// The contents of messages that were sent and not yet taken, block by block.
    messages: BTreeMap<(Rank, u64), Vec<Origin>>,
    nodes: Vec<Node<'a>>,
    origins: Origins,
}

/// A node in the call that it is in.
#[derive(Default)]
struct Node<'a> {
    changes: Vec<&'a Content>,
    done: usize,
    call: usize,
    sizes: &'a [u64],
    /// By block: what it has now, and the members whose versions it has had.
    blocks: Vec<Origin>,
    had: Vec<SetId>,
    held: Total,
    levels: Vec<Level>,
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
        until_nothing_changes(nodes, |rank| calls.go(rank));
        let levels = calls.nodes.into_iter().map(|node| node.levels).collect();
        Holdings { rule: Rule::Blocks, totals: calls.totals, levels }
    }

    /// Lets a node go on until it takes a message that is not there; returns whether it has done anything.
    fn go(&mut self, rank: Rank) -> bool {
        let mut goes_on = false;
        loop {
            let (node, origins) = (&mut self.nodes[rank], &mut self.origins);
            let Some(&next) = node.changes.get(node.done) else {
                // It needs no more than its levels.
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
            push(&mut node.levels, Level { at: next.at, call: node.call, held: node.held });
            (node.done, goes_on) = (node.done + 1, true);
        }
    }

    fn begin(&mut self, rank: Rank, members: &'a [Rank], tag: Tag, sizes: &'a [u64], blocks: &[u32]) {
        let begun = self.begun.entry((rank, members, tag)).or_default();
        let call = *self.numbers.entry((members, tag, *begun)).or_insert(self.totals.len());
        *begun += 1;
        if call == self.totals.len() {
            self.totals.push(Total::default());
        }
        let node = &mut self.nodes[rank];
        (node.call, node.sizes, node.held) = (call, sizes, Total::default());
        (node.blocks, node.had) = (Vec::new(), Vec::new());
        let alone = self.origins.sets.one(rank as u32);
        for &block in blocks {
            node.take(block, Origin::Of(block, alone), false, &mut self.origins);
        }
        let total = &mut self.totals[call];
        (total.bytes, total.parts) = (total.bytes + node.held.bytes, total.parts + node.held.parts);
    }
}

impl Node<'_> {
    fn has(&self, block: u32) -> Origin {
        self.blocks.get(block as usize).copied().unwrap_or_default()
    }

    /// Puts what has come into its place, or adds it to what is there.
    fn take(&mut self, block: u32, brought: Origin, combined: bool, origins: &mut Origins) {
        match brought {
            Origin::Nothing => {}
            Origin::Of(block, members) => self.add(block, members, &mut origins.sets),
            Origin::Several(list) => {
                let Origins { sets, lists } = origins;
                lists[list as usize].iter().for_each(|(&block, &members)| self.add(block, members, sets));
            }
        }
        let own = place(&mut self.blocks, block);
        *own = if combined { origins.union(*own, brought) } else { brought };
    }

    /// Counts the versions of a block that the node has not had before.
    fn add(&mut self, block: u32, members: SetId, sets: &mut Sets) {
        let had = place(&mut self.had, block);
        let all = sets.union(*had, members);
        let more = sets.size(all) - sets.size(*had);
        *had = all;
        self.held.parts += more;
        self.held.bytes += more * self.sizes.get(block as usize).copied().unwrap_or(0);
    }
}

/// The place of a block in a list, which becomes as long as that takes.
fn place<T: Clone + Default>(list: &mut Vec<T>, block: u32) -> &mut T {
    let place = block as usize;
    if list.len() <= place {
        list.resize(place + 1, T::default());
    }
    &mut list[place]
}
