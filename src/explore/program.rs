//! Programs that are explored.

use std::{marker::PhantomData, num::NonZeroU32, sync::Arc};

use super::{Order, graph::Graph, log::RankLog};
use crate::{
    comm::Node,
    error::{Failure, RunError},
    rank::Rank,
    runtime::Observer,
    wire::NodeId,
};

/// A program that can be explored, with a state of its own for each run. Functions of a node need no state: [`Machine::explore`](crate::Machine::explore).
pub trait ExploredProgram: Sync {
    /// What the nodes of one run share.
    type State: Sync;

    /// The output of a node.
    type Output: Send + PartialEq;

    /// Begins a run. Several runs are made at once.
    ///
    /// # Errors
    /// Any reason for which no run can be made; the exploration ends with it.
    fn begin(&self) -> Result<Self::State, Failure>;

    /// The observer of a run.
    fn observer(&self, state: &Self::State) -> Option<Arc<dyn Observer>> {
        let _ = state;
        None
    }

    /// Runs the program of a node. The other nodes of the run go on after a failure.
    ///
    /// # Errors
    /// The failure of the program, of which the text tells failures apart.
    fn run(&self, state: &Self::State, node: &Node<'_>) -> Result<Self::Output, Failure>;

    /// Ends a run: once for each order of arrival with its error, such as a deadlock, and once for one order in which
    /// [all sends](Order::sends_wait) or [all calls](Order::calls_wait) wait that may do so, if there is one with a failure.
    fn ended(&self, state: Self::State, order: &Order, error: Option<&RunError>, messages: &Messages<'_>) {
        let _ = (state, order, error, messages);
    }
}

/// The messages of a run, in causal order (happened-before).
#[derive(Debug)]
pub struct Messages<'r> {
    logs: &'r [RankLog],
}

impl<'r> Messages<'r> {
    pub(super) fn of(logs: &'r [RankLog]) -> Messages<'r> {
        Messages { logs }
    }

    /// Returns for each of these messages whether a receive was open for it when it was sent, under any timing; `None` if no receive has taken it, or
    /// if that is not known. A message is given by its sender and the [note](crate::Payload::with_note) of its payload.
    pub fn were_awaited(&self, messages: &[(Rank, NonZeroU32)]) -> Vec<Option<bool>> {
        if messages.is_empty() {
            return Vec::new();
        }
        let graph = Graph::of(self.logs);
        // Remote memory accesses order events too.
        let is_known = !self.logs.iter().any(|log| log.has_remote);
        let of = |&(sender, note): &(Rank, NonZeroU32)| {
            graph.was_awaited(sender as NodeId, note).filter(|was_awaited| *was_awaited || is_known)
        };
        messages.iter().map(of).collect()
    }
}

/// A function as a program.
pub(super) struct Function<T, F> {
    function: F,
    output: PhantomData<fn() -> T>,
}

impl<T, F> Function<T, F> {
    pub(super) fn new(function: F) -> Function<T, F> {
        Function { function, output: PhantomData }
    }
}

impl<T, F> ExploredProgram for Function<T, F>
where
    T: Send + PartialEq,
    F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
{
    type Output = T;
    type State = ();

    fn begin(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&self, (): &(), node: &Node<'_>) -> Result<T, Failure> {
        (self.function)(node)
    }
}
