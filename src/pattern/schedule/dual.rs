//! Schedules out of schedules: the dual of one, and one after the other.
//!
//! Turned around in time, a schedule that spreads data gathers it: what goes from `a` to `b` goes from `b` to `a`, the
//! last message first. The dual of a broadcast combines everything at the root, that of a collect leaves each rank with
//! its combined block, that of a scatter gathers. If no node is ever sent a block that it has, each node combines a
//! block with what comes from all that it had sent it to, and then sends it on, once.

use std::collections::BTreeSet;

use super::{Action, Blocks, Holdings, Message, Origin, Schedule, Step};

impl Schedule {
    /// The schedule turned around, in which every rank has its own version of every block in the beginning, and
    /// versions that meet are combined.
    ///
    /// What was the origin of a block has it combined in the end. No node may be sent a block that it has. Where a node
    /// hands a block over and gets it back later, it now sends its version away and later gets the combined one.
    #[must_use]
    pub fn combining(&self) -> Schedule {
        self.reversed(vec![Origin::Everywhere; self.sizes.len()], true)
    }

    /// The schedule turned around, in which block `k` is where `origins[k]` says in the beginning and goes to where it
    /// came from.
    #[must_use]
    pub fn gathering(&self, origins: Vec<Origin>) -> Schedule {
        self.reversed(origins, false)
    }

    fn reversed(&self, origins: Vec<Origin>, combines: bool) -> Schedule {
        let all = self.sizes.iter().copied().fold(0, u64::saturating_add);
        let holding = Holdings { active: self.nodes(), longest: all };
        let last = self.iterations().saturating_sub(1);
        let is_overlapped = self.steps.iter().flatten().any(|step| matches!(step.action, Action::Start(_)));
        let turned = |steps: &Vec<Step>| reversed(steps, last, combines, is_overlapped);
        Schedule {
            origins,
            sizes: self.sizes.clone(),
            element: self.element,
            steps: self.steps.iter().map(turned).collect(),
            holdings: vec![holding; self.holdings.len()],
        }
    }

    /// This schedule and then another one on the same blocks, which starts with what this one leaves.
    ///
    /// # Panics
    ///
    /// If the two have different nodes or blocks.
    #[must_use]
    pub fn then(mut self, next: Schedule) -> Schedule {
        assert_eq!(self.nodes(), next.nodes(), "both are for the same nodes");
        assert_eq!(self.sizes, next.sizes, "both are for the same blocks");
        let before = self.iterations();
        for (steps, more) in self.steps.iter_mut().zip(next.steps) {
            steps.extend(more.into_iter().map(|step| Step { iteration: before + step.iteration, ..step }));
        }
        self.holdings.extend(next.holdings.into_iter().skip(1));
        self
    }
}

/// The blocks in the order in which they lie in the vector, which every node has a version of.
fn sorted(blocks: &Blocks) -> Blocks {
    if blocks.is_sorted() {
        return blocks.clone();
    }
    let mut sorted = blocks.to_vec();
    sorted.sort_unstable();
    sorted.into()
}

/// The steps of one node, the last one first: what it sent it receives.
fn reversed(forward: &[Step], last: usize, combines: bool, is_overlapped: bool) -> Vec<Step> {
    // Blocks of which this node has sent its version away.
    let mut gone: BTreeSet<u32> = BTreeSet::new();
    let mut steps = Vec::with_capacity(forward.len());
    for Step { iteration, action } in forward.iter().rev() {
        let mut add = |action| steps.push(Step { iteration: last - iteration, action });
        let (sends, receives) = (action.received(), action.sent());
        let send = sends.map(|message| {
            let blocks = sorted(&message.blocks);
            if !blocks.is_sorted_by(|a, b| a + 1 == *b) {
                add(Action::Pack(message.bytes));
            }
            Message { blocks, combined: false, ..message.clone() }
        });
        let recv = receives.map(|message| {
            let combined = combines && !message.blocks.first().is_some_and(|block| gone.contains(block));
            Message { blocks: sorted(&message.blocks), combined, ..message.clone() }
        });
        if let Some(send) = &send
            && combines
        {
            gone.extend(send.blocks.iter());
        }
        let combined = recv.as_ref().filter(|recv| recv.combined).map(|recv| recv.bytes);
        match (send, recv) {
            (Some(send), Some(recv)) => add(Action::Exchange { send, recv }),
            (Some(send), None) if is_overlapped => add(Action::Start(send)),
            (Some(send), None) => add(Action::Send(send)),
            (None, Some(recv)) => add(Action::Recv(recv)),
            (None, None) => {}
        }
        if let Some(bytes) = combined {
            add(Action::Combine(bytes));
        }
    }
    steps
}
