//! A builder of [`Schedule`]s in which ranks combine versions of blocks, for algorithms that are not the dual of a broadcast.

use super::{Action, Blocks, Exchange, Message, Origin, Schedule, Step};
use crate::rank::Rank;

/// A schedule under construction whose messages are combined with the receiver's blocks.
///
/// ```
/// use multicomputer::pattern::{Action, Combiner, Exchange, Fold, Origin};
///
/// // Both ranks have a version of block 0; each sends it to the other one and combines.
/// let mut combiner = Combiner::new(2, &[Origin::Everywhere], &[8], Exchange::Together);
/// combiner.iteration([(0, 1), (1, 0)].map(|(from, to)| Fold::of(from, to, 0, 0)));
/// let schedule = combiner.finish();
/// assert!(matches!(schedule.steps(0)[0].action, Action::Exchange { .. }));
/// assert_eq!(schedule.steps(0)[1].action, Action::Combine(8));
/// ```
#[derive(Clone, Debug)]
pub struct Combiner {
    schedule: Schedule,
    exchange: Exchange,
    has: Vec<Vec<bool>>,
    /// The messages that each rank sends and receives in the current iteration.
    current: Vec<(Option<Message>, Option<Message>)>,
}

/// One message of an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The blocks that are sent; the sender must hold them before the iteration.
    pub sent: Blocks,
    /// For each sent block, the receiver's block of the same length with which it is combined, or which it fills if the receiver has no
    /// version yet. The receiver must hold either all of these blocks or none.
    pub into: Blocks,
}

impl Fold {
    /// Creates a message of one block.
    pub fn of(from: Rank, to: Rank, sent: u32, into: u32) -> Fold {
        Fold { from, to, sent: [sent].into(), into: [into].into() }
    }
}

impl Combiner {
    /// Creates a schedule without steps.
    ///
    /// # Panics
    ///
    /// If `origins` and `sizes` differ in length, or an origin is not below `nodes`.
    #[track_caller]
    pub fn new(nodes: usize, origins: &[Origin], sizes: &[u64], exchange: Exchange) -> Combiner {
        assert_eq!(origins.len(), sizes.len(), "each block has one origin and one size");
        let has = |rank: Rank| origins.iter().map(|origin| origin.is_at(rank)).collect();
        let schedule =
            Schedule { sizes: sizes.into(), element: 1, steps: vec![Vec::new(); nodes], iterations: 0 };
        Combiner {
            schedule,
            exchange,
            has: (0..nodes).map(has).collect(),
            current: vec![(None, None); nodes],
        }
    }

    /// Adds an iteration, in which each node sends at most one message and receives at most one. A node sends blocks that it had before the
    /// iteration.
    ///
    /// # Panics
    ///
    /// If a rank is outside the machine, sends to itself or twice, or sends a block that it does not have, or if a receiver has only some
    /// of the blocks.
    #[track_caller]
    pub fn iteration(&mut self, folds: impl IntoIterator<Item = Fold>) {
        self.round(folds, false);
    }

    /// Adds an iteration like [`iteration`](Combiner::iteration) in which each received block replaces the block of the receiver.
    ///
    /// # Panics
    ///
    /// As [`iteration`](Combiner::iteration).
    #[track_caller]
    pub fn replacing(&mut self, folds: impl IntoIterator<Item = Fold>) {
        self.round(folds, true);
    }

    #[track_caller]
    fn round(&mut self, folds: impl IntoIterator<Item = Fold>, replaces: bool) {
        let mut busy: Vec<Rank> = Vec::new();
        let mut arrivals = Vec::new();
        for Fold { from, to, sent, into } in folds {
            assert_ne!(from, to, "a node has nothing to send to itself");
            let has = |rank: Rank, block: &u32| self.has[rank][*block as usize];
            assert!(sent.iter().all(|block| has(from, block)), "a node sends what it holds");
            let bytes = sent.iter().map(|&block| self.schedule.sizes[block as usize]).sum();
            let combined = !replaces && into.iter().any(|block| has(to, block));
            assert!(
                !combined || into.iter().all(|block| has(to, block)),
                "all of a message is combined, or nothing"
            );
            arrivals.push((to, into.clone()));
            let send = Message { peer: to, blocks: sent, bytes, combined: false };
            let recv = Message { peer: from, blocks: into, bytes, combined };
            let is_second =
                self.current[from].0.replace(send).is_some() | self.current[to].1.replace(recv).is_some();
            assert!(!is_second, "one message each way");
            busy.extend([from, to]);
        }
        busy.sort_unstable();
        busy.dedup();
        for rank in busy {
            let (send, recv) = std::mem::take(&mut self.current[rank]);
            let combined = recv.as_ref().filter(|recv| recv.combined).map(|recv| recv.bytes);
            match (send, recv) {
                (Some(send), Some(recv)) if self.exchange == Exchange::Together => {
                    self.step(rank, Action::Exchange { send, recv });
                }
                (send, recv) => {
                    let action =
                        if self.exchange == Exchange::Overlapped { Action::Start } else { Action::Send };
                    send.into_iter().for_each(|send| self.step(rank, action(send)));
                    recv.into_iter().for_each(|recv| self.step(rank, Action::Recv(recv)));
                }
            }
            combined.into_iter().for_each(|bytes| self.step(rank, Action::Combine(bytes)));
        }
        for (rank, blocks) in arrivals {
            blocks.iter().for_each(|&block| self.has[rank][block as usize] = true);
        }
        self.schedule.iterations += 1;
    }

    /// Adds a step on every rank that makes the block `into` by combining the blocks `left` and `right`.
    ///
    /// # Panics
    ///
    /// If a rank does not have both blocks.
    #[track_caller]
    pub fn merge(&mut self, left: u32, right: u32, into: u32) {
        for rank in 0..self.schedule.nodes() {
            self.merge_at(rank, left, right, into);
        }
    }

    /// Adds a step on one rank that makes the block `into` by combining the blocks `left` and `right`.
    ///
    /// # Panics
    ///
    /// If the rank is outside the machine or does not have both blocks.
    #[track_caller]
    pub fn merge_at(&mut self, rank: Rank, left: u32, right: u32, into: u32) {
        assert!([left, right].iter().all(|&block| self.has[rank][block as usize]), "both are there");
        self.step(rank, Action::Merge { left, right, into });
        self.has[rank][into as usize] = true;
    }

    /// Returns the number of ranks.
    pub fn nodes(&self) -> usize {
        self.schedule.nodes()
    }

    /// Returns the schedule.
    pub fn finish(self) -> Schedule {
        self.schedule
    }

    fn step(&mut self, rank: Rank, action: Action) {
        let iteration = self.schedule.iterations();
        self.schedule.steps[rank].push(Step { iteration, action });
    }
}
