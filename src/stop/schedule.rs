//! Who sends which blocks to whom: the [`Schedule`] of an s-to-p broadcast.
//!
//! The message of source number `k` is *block* `k`. Every node knows the sources, so the holdings of all nodes in every
//! iteration follow from the pattern alone. A node sends *everything* that it held at the start of the iteration, as
//! one message, and nothing if it held nothing; of a pair of which only one holds data, only that one sends.
//!
//! # No block comes twice
//!
//! On a line where each block has one holder, [`Halving`] keeps each block at exactly one position of every segment (the
//! proof is there; it covers the additional transfer of an odd segment). So a node is never sent a block that it has,
//! each block is sent `p - 1` times, and a schedule has `s * (p - 1)` blocks on the way in all: the fewest possible.
//!
//! # The order of the blocks
//!
//! A node keeps its blocks in the order in which they came: its own, then those of each receive. That is also their
//! order in the messages that it sends. So a program that walks the schedule sends its data as it is, appends what it
//! receives, and takes the data apart once, at the end, by [`Schedule::order`].

use std::sync::Arc;

use thiserror::Error;

use crate::{pattern::Halving, rank::Rank, topology::Grid};

/// Numbers of blocks, in the order in which they lie in a message: places in the list of sources. Shared, not copied.
pub type Blocks = Arc<[u32]>;

/// The steps of all nodes in an s-to-p broadcast, computed once and read by everyone.
///
/// ```
/// use multicomputer::{stop::{Action, Schedule}, topology::Grid};
/// let schedule = Schedule::br_lin(Grid { rows: 1, columns: 4 }, &[1, 2])?;
/// let [send, exchange] = schedule.steps(1) else { panic!("two iterations") };
/// assert_eq!(send.action, Action::Send { to: 3, blocks: [0].into() });
/// assert_eq!(exchange.action, Action::Exchange { with: 0, send: [0].into(), recv: [1].into() });
/// assert_eq!([0, 1, 2].map(|iterations| schedule.active_after(iterations)), [2, 4, 4]);
/// assert_eq!([0, 1, 2].map(|iterations| schedule.longest_after(iterations)), [1, 1, 2]);
/// # Ok::<(), multicomputer::stop::ScheduleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    sources: Vec<Rank>,
    steps: Vec<Vec<Step>>,
    /// What the nodes hold before the first iteration and after each one.
    holdings: Vec<Holdings>,
}

/// One thing that a node does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The iteration that it belongs to, counted from 0. Nodes are not synchronized: a node goes on as soon as it can.
    pub iteration: usize,
    /// What is done.
    pub action: Action,
}

/// What a node does with another one; the blocks are never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sends one message.
    Send {
        /// The receiver.
        to: Rank,
        /// What is in the message.
        blocks: Blocks,
    },
    /// Receives one message.
    Recv {
        /// The sender.
        from: Rank,
        /// What is in the message.
        blocks: Blocks,
    },
    /// Sends one message and receives one, with the same partner.
    Exchange {
        /// The partner.
        with: Rank,
        /// What is in the message to the partner.
        send: Blocks,
        /// What is in the message from the partner.
        recv: Blocks,
    },
}

/// The two quantities that decide, at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Holdings {
    active: usize,
    longest: usize,
}

/// Sources for which there is no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScheduleError {
    /// The list of sources is empty.
    #[error("no source: at least one node must hold a message")]
    NoSource,
    /// A source is not a node.
    #[error("source {rank} is outside the mesh: its ranks are below {nodes}")]
    OutsideMesh {
        /// The source.
        rank: Rank,
        /// Nodes of the mesh.
        nodes: usize,
    },
    /// A node is named as a source twice.
    #[error("rank {rank} is a source twice: each node holds at most one message")]
    Twice {
        /// The source.
        rank: Rank,
    },
}

impl Action {
    /// What moves `send` to the partner and `recv` from it; nothing if nothing moves.
    fn new(partner: Rank, send: Option<Blocks>, recv: Option<Blocks>) -> Option<Action> {
        match (send, recv) {
            (Some(send), Some(recv)) => Some(Action::Exchange { with: partner, send, recv }),
            (Some(blocks), None) => Some(Action::Send { to: partner, blocks }),
            (None, Some(blocks)) => Some(Action::Recv { from: partner, blocks }),
            (None, None) => None,
        }
    }

    /// What the node receives, if it receives.
    pub fn received(&self) -> Option<&Blocks> {
        match self {
            Action::Send { .. } => None,
            Action::Recv { blocks, .. } | Action::Exchange { recv: blocks, .. } => Some(blocks),
        }
    }

    /// What the node sends, if it sends.
    pub fn sent(&self) -> Option<&Blocks> {
        match self {
            Action::Recv { .. } => None,
            Action::Send { blocks, .. } | Action::Exchange { send: blocks, .. } => Some(blocks),
        }
    }

    /// The node at the other end.
    pub fn partner(&self) -> Rank {
        match *self {
            Action::Send { to: partner, .. }
            | Action::Recv { from: partner, .. }
            | Action::Exchange { with: partner, .. } => partner,
        }
    }
}

impl Schedule {
    /// Algorithm `Br_Lin` (report, section 2): [`Halving`] on the nodes of the mesh in [`snake`]-like row-major order.
    ///
    /// Block `k` is the message of `sources[k]`; the sources may be in any order. `ceil(log2 p)` iterations, of one or
    /// two messages each for a node. Building it takes time and memory for about `p log2 p` steps and `2 s p` blocks.
    ///
    /// # Errors
    ///
    /// [`ScheduleError`] if there is no source, one outside the mesh, or one twice.
    pub fn br_lin(grid: Grid, sources: &[Rank]) -> Result<Schedule, ScheduleError> {
        let mut builder = Builder::new(grid.nodes(), sources)?;
        builder.halve(&[snake(grid)]);
        Ok(builder.schedule)
    }

    /// Nodes of the machine.
    pub fn nodes(&self) -> usize {
        self.steps.len()
    }

    /// The sources: `sources()[k]` is the rank that has block `k` in the beginning.
    pub fn sources(&self) -> &[Rank] {
        &self.sources
    }

    /// The number of iterations.
    pub fn iterations(&self) -> usize {
        self.holdings.len() - 1
    }

    /// What `rank` does, in the order in which it does it; nothing for a rank outside the machine.
    pub fn steps(&self, rank: Rank) -> &[Step] {
        self.steps.get(rank).map_or(&[], Vec::as_slice)
    }

    /// The order in which the blocks lie at `rank` in the end: its own, then those of each receive. Every block is in it
    /// once. Takes a time proportional to the number of sources.
    pub fn order(&self, rank: Rank) -> Vec<u32> {
        let own = (0..).zip(&self.sources).filter(|&(_, &source)| source == rank).map(|(block, _)| block);
        let received = self.steps(rank).iter().filter_map(|step| step.action.received());
        own.chain(received.flat_map(|blocks| blocks.iter().copied())).collect()
    }

    /// How many nodes hold a block after so many iterations: `s` after 0, `p` in the end. It should grow as fast as
    /// possible (report, section 1). Iterations that do not exist change nothing.
    pub fn active_after(&self, iterations: usize) -> usize {
        self.holdings[iterations.min(self.iterations())].active
    }

    /// The most blocks that any node holds after so many iterations, so the longest message of the next one: 1 after 0,
    /// `s` in the end. It should grow as slowly as possible (report, section 1). Iterations that do not exist change
    /// nothing.
    pub fn longest_after(&self, iterations: usize) -> usize {
        self.holdings[iterations.min(self.iterations())].longest
    }
}

/// The ranks of the mesh as a line, neighbours on the line being neighbours on the mesh: the first row from left to
/// right, the second from right to left, and so on (report, section 2).
///
/// ```
/// use multicomputer::{stop::snake, topology::Grid};
/// assert_eq!(snake(Grid { rows: 3, columns: 3 }), [0, 1, 2, 5, 4, 3, 6, 7, 8]);
/// ```
pub fn snake(grid: Grid) -> Vec<Rank> {
    let mut line = Vec::with_capacity(grid.nodes());
    for row in 0..grid.rows {
        let ranks = (0..grid.columns).map(|column| grid.rank(row, column));
        if row % 2 == 0 {
            line.extend(ranks);
        } else {
            line.extend(ranks.rev());
        }
    }
    line
}

/// A schedule in the making, and what each node holds at its end so far.
struct Builder {
    schedule: Schedule,
    held: Vec<Blocks>,
}

impl Builder {
    fn new(nodes: usize, sources: &[Rank]) -> Result<Builder, ScheduleError> {
        let mut held = vec![Blocks::default(); nodes];
        for (block, &rank) in (0u32..).zip(sources) {
            let own = held.get_mut(rank).ok_or(ScheduleError::OutsideMesh { rank, nodes })?;
            if !own.is_empty() {
                return Err(ScheduleError::Twice { rank });
            }
            *own = [block].into();
        }
        if sources.is_empty() {
            return Err(ScheduleError::NoSource);
        }
        let holdings = vec![Holdings::of(&held)];
        let schedule = Schedule { sources: sources.to_vec(), steps: vec![Vec::new(); nodes], holdings };
        Ok(Builder { schedule, held })
    }

    /// Adds a [`Halving`] on each of the lines, all at the same time.
    ///
    /// The lines have no node in common, and on each of them a block has at most one holder.
    fn halve(&mut self, lines: &[Vec<Rank>]) {
        let mut walkers: Vec<_> = lines
            .iter()
            .flat_map(|line| {
                let halving = Halving::new(line.len());
                let transfers = move |position| halving.transfers(position).peekable();
                line.iter().enumerate().map(move |(position, &rank)| (line, rank, transfers(position)))
            })
            .collect();
        let iterations = lines.iter().map(|line| Halving::new(line.len()).iterations()).max().unwrap_or(0);
        for current in 0..iterations {
            let iteration = self.schedule.iterations();
            let before = self.held.clone();
            for (line, rank, transfers) in &mut walkers {
                while let Some(transfer) = transfers.next_if(|transfer| transfer.iteration == current) {
                    let partner = line[transfer.partner];
                    let moved = |goes: bool, held: &Blocks| (goes && !held.is_empty()).then(|| held.clone());
                    let send = moved(transfer.direction.sends(), &before[*rank]);
                    let recv = moved(transfer.direction.receives(), &before[partner]);
                    if let Some(action) = Action::new(partner, send, recv) {
                        self.add(*rank, Step { iteration, action });
                    }
                }
            }
            self.schedule.holdings.push(Holdings::of(&self.held));
        }
    }

    fn add(&mut self, rank: Rank, step: Step) {
        if let Some(blocks) = step.action.received() {
            let held = &mut self.held[rank];
            *held = held.iter().chain(blocks.iter()).copied().collect();
        }
        self.schedule.steps[rank].push(step);
    }
}

impl Holdings {
    fn of(held: &[Blocks]) -> Holdings {
        let active = held.iter().filter(|blocks| !blocks.is_empty()).count();
        let longest = held.iter().map(|blocks| blocks.len()).max().unwrap_or(0);
        Holdings { active, longest }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, VecDeque};

    use proptest::prelude::*;

    use super::*;
    use crate::stop::Distribution;

    const TEN: Grid = Grid { rows: 10, columns: 10 };

    /// Runs the schedule as nodes would, without any synchronization, and checks that it is a broadcast.
    fn check(schedule: &Schedule) {
        let nodes = schedule.nodes();
        let mut held = vec![Vec::new(); nodes];
        for (block, &rank) in (0u32..).zip(schedule.sources()) {
            held[rank].push(block);
        }
        let mut on_the_way: BTreeMap<(Rank, Rank), VecDeque<Blocks>> = BTreeMap::new();
        let mut next = vec![(0, false); nodes]; // next step of each node, and whether it has sent its part
        let mut sent_blocks = 0;
        loop {
            let mut progress = false;
            for rank in 0..nodes {
                while let Some(Step { action, .. }) = schedule.steps(rank).get(next[rank].0) {
                    let partner = action.partner();
                    if let (Some(blocks), false) = (action.sent(), next[rank].1) {
                        assert_eq!(blocks[..], held[rank], "everything that the sender holds");
                        assert!(!blocks.is_empty());
                        sent_blocks += blocks.len();
                        on_the_way.entry((rank, partner)).or_default().push_back(blocks.clone());
                        next[rank].1 = true;
                        progress = true;
                    }
                    if let Some(blocks) = action.received() {
                        let Some(message) =
                            on_the_way.get_mut(&(partner, rank)).and_then(VecDeque::pop_front)
                        else {
                            break;
                        };
                        assert_eq!(message, *blocks, "both ends agree on what is sent");
                        held[rank].extend(message.iter());
                    }
                    next[rank] = (next[rank].0 + 1, false);
                    progress = true;
                }
            }
            if !progress {
                break;
            }
        }
        assert!(on_the_way.values().all(VecDeque::is_empty), "every message is received");
        let blocks = schedule.sources().len();
        assert_eq!(sent_blocks, blocks * (nodes - 1), "no block twice");
        for (rank, held) in held.iter().enumerate() {
            assert_eq!(next[rank].0, schedule.steps(rank).len(), "no node waits forever");
            assert_eq!(*held, schedule.order(rank));
            assert_eq!(held.len(), blocks);
            assert!((0..blocks as u32).eq(BTreeSet::from_iter(held.iter().copied())), "every block once");
            assert!(schedule.steps(rank).is_sorted_by_key(|step| step.iteration));
        }
        assert_eq!((schedule.active_after(0), schedule.longest_after(0)), (blocks, 1));
        let end = schedule.iterations();
        assert_eq!((schedule.active_after(end), schedule.longest_after(end)), (nodes, blocks));
        assert_eq!(schedule.active_after(usize::MAX), nodes);
    }

    #[test]
    fn every_node_ends_with_every_block_once() {
        for (rows, columns) in [(1, 1), (1, 2), (1, 7), (9, 1), (3, 5), (5, 3), (4, 4), (7, 13), (10, 10)] {
            let grid = Grid { rows, columns };
            let nodes = grid.nodes();
            for distribution in Distribution::ALL {
                for sources in BTreeSet::from([1, 2, 3, nodes / 2, nodes - 1, nodes]) {
                    if let Ok(sources) = distribution.place(grid, sources) {
                        let schedule = Schedule::br_lin(grid, &sources).unwrap();
                        assert_eq!(schedule.iterations(), (nodes as f64).log2().ceil() as usize);
                        check(&schedule);
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_set_of_sources_in_any_order(
            (grid, sources) in (1usize..9, 1usize..9).prop_flat_map(|(rows, columns)| {
                let nodes = rows * columns;
                let shuffled = Just((0..nodes).collect::<Vec<Rank>>()).prop_shuffle();
                (Just(Grid { rows, columns }), (shuffled, 1..=nodes).prop_map(|(mut ranks, count)| {
                    ranks.truncate(count);
                    ranks
                }))
            }),
        ) {
            check(&Schedule::br_lin(grid, &sources).unwrap());
        }
    }

    /// Two phases of lines, as the algorithms that go along rows and columns need them.
    #[test]
    fn rows_then_columns_make_a_broadcast_too() {
        let grid = Grid { rows: 5, columns: 7 };
        let rows: Vec<Vec<Rank>> =
            (0..5).map(|row| (0..7).map(|column| grid.rank(row, column)).collect()).collect();
        let columns: Vec<Vec<Rank>> =
            (0..7).map(|column| (0..5).map(|row| grid.rank(row, column)).collect()).collect();
        let mut builder = Builder::new(grid.nodes(), &[3, 17, 9, 30, 31]).unwrap();
        builder.halve(&rows);
        builder.halve(&columns);
        assert_eq!(builder.schedule.iterations(), 6);
        check(&builder.schedule);
    }

    #[test]
    fn a_single_source_doubles_the_active_nodes() {
        let schedule = Schedule::br_lin(Grid { rows: 4, columns: 8 }, &[13]).unwrap();
        assert_eq!(
            Vec::from_iter((0..=5).map(|iterations| schedule.active_after(iterations))),
            [1, 2, 4, 8, 16, 32]
        );
        assert_eq!(schedule.longest_after(5), 1);
    }

    /// Report, section 4: two rows of 10 x 10 do not grow in the first iteration when they are the first and the sixth,
    /// and do when they are the first and the seventh.
    #[test]
    fn two_rows_grow_only_if_they_are_not_paired() {
        let after_one = |rows: [usize; 2]| {
            let sources: Vec<Rank> = rows.into_iter().flat_map(|row| row * 10..row * 10 + 10).collect();
            let schedule = Schedule::br_lin(TEN, &sources).unwrap();
            (schedule.active_after(1), schedule.longest_after(1))
        };
        assert_eq!(after_one([0, 5]), (20, 2));
        assert_eq!(after_one([0, 6]), (40, 1));
    }

    /// Report, section 4, says that the main diagonal of 10 x 10 does not grow in the first iteration. By its own rules
    /// it nearly doubles: node `(i, j)` is paired with `(i + 5, 9 - j)`, and of the diagonal only `(2, 2)` and `(7, 7)`
    /// are a pair (in row-major order without the snake no two would be).
    #[test]
    fn the_main_diagonal_grows_except_for_one_pair() {
        let sources = Distribution::RightDiagonal.place(TEN, 10).unwrap();
        let schedule = Schedule::br_lin(TEN, &sources).unwrap();
        assert_eq!((schedule.active_after(1), schedule.longest_after(1)), (18, 2));
    }

    #[test]
    fn bad_sources_are_errors() {
        let grid = Grid { rows: 2, columns: 2 };
        assert_eq!(Schedule::br_lin(grid, &[]), Err(ScheduleError::NoSource));
        assert_eq!(Schedule::br_lin(grid, &[0, 4]), Err(ScheduleError::OutsideMesh { rank: 4, nodes: 4 }));
        assert_eq!(Schedule::br_lin(grid, &[3, 0, 3]), Err(ScheduleError::Twice { rank: 3 }));
        assert!(Schedule::br_lin(grid, &[3]).unwrap().steps(4).is_empty());
    }
}
