//! Calls of a node that fail because of machine faults.

use super::{super::outbox::without_reply, NodeThread};
use crate::{
    error::CommError,
    kernel::{Cause, Op},
    rank::Rank,
    wire::Context,
};

impl NodeThread<'_> {
    /// Declares the members of a context to the kernel before the first call in it: the death of a node makes calls fail in the contexts to
    /// which it belongs.
    pub(super) fn declare_context(&self, context: Context) {
        if !self.world.fallible || !self.declared_contexts.borrow_mut().insert(context) {
            return;
        }
        let (members, library) = {
            let contexts = self.world.run_state.contexts.lock();
            (contexts.members(context), contexts.is_of_library_calls(context))
        };
        let all_nodes = || (0..self.world.mailboxes.len()).collect();
        let members = members.unwrap_or_else(all_nodes);
        self.push(without_reply(Op::Group { context, members, library }), 0);
    }

    /// Returns the error of a call that failed because of a fault.
    pub(super) fn failure(&self, cause: Cause) -> CommError {
        match cause {
            Cause::LinkDied { link, from, to, at } => CommError::LinkDied {
                link: self.world.run_state.machine.topology().link(link),
                from: from as Rank,
                to: to as Rank,
                at,
            },
            Cause::NodeDied { node, at } => CommError::NodeDied { rank: node as Rank, at },
            Cause::Died { at } => {
                self.died.set(Some(at));
                CommError::Died { at }
            }
        }
    }
}
