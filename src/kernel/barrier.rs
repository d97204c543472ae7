//! The hardware barrier of the whole machine.

use super::{
    Kernel,
    node::NodeState,
    op::{Cause, Outcome},
};
use crate::{record::EventKind, time::Time, wire::NodeId};

impl Kernel {
    /// Makes a node enter the barrier. The barrier fails if it would end after the death of a node, because it needs all nodes.
    pub(super) fn barrier(&mut self, id: NodeId) {
        let called = self.nodes[id as usize].clock;
        let death = self.first_death();
        if let Some((_, cause)) = death.filter(|&(at, _)| at <= called) {
            self.fail(id, called, cause);
            return;
        }
        self.nodes[id as usize].state = NodeState::Barrier { called };
        self.in_barrier.push(id);
        if self.in_barrier.len() < self.nodes.len() {
            return;
        }
        let last = self.in_barrier.iter().map(|&id| self.nodes[id as usize].clock).max().unwrap_or(called);
        let end = last + self.barrier;
        if let Some((at, cause)) = death.filter(|&(at, _)| at < end) {
            self.fail_barrier(at, cause);
            return;
        }
        for id in std::mem::take(&mut self.in_barrier) {
            let called = self.nodes[id as usize].clock;
            // Recorded even if the barrier took no time, so that a node's barriers can be counted.
            self.count_wait(id, called, end);
            self.record_event(id, called, end, EventKind::Barrier);
            self.release(id, end, Outcome::Done);
        }
    }

    /// Fails the calls of all nodes in the barrier, except for the dying node.
    pub(super) fn fail_barrier(&mut self, at: Time, cause: Cause) {
        for id in std::mem::take(&mut self.in_barrier) {
            match cause {
                Cause::NodeDied { node, .. } if node == id => {
                    self.count_wait(id, self.nodes[id as usize].clock, at);
                    self.nodes[id as usize].state = NodeState::Dying;
                }
                _ => {
                    let called = self.nodes[id as usize].clock;
                    self.fail_waiting(id, called, at, cause);
                }
            }
        }
    }
}
