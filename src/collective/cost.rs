//! Closed-form cost of a hybrid.

use std::collections::BTreeMap;

use super::{
    Operation, Task,
    edge::{Direction, Load, edge},
    strategy::{AllGatherKind, Order, Strategy, Tree},
};
use crate::{
    model::Parameters,
    pattern::{Division, circulant},
    rank::Rank,
    time::Span,
    topology::Grid,
};

/// Coefficients of the machine's parameters along the critical path, including link contention.
///
/// ```
/// use multicomputer::collective::{Operation, Strategy, Task};
///
/// // The first lines of table 2 in the InterCom paper: 9 alpha + 160/30 n beta.
/// let task = Task::builder(&"line:30".parse()?, Operation::Broadcast).elements(30_000).build()?;
/// let cost = Strategy::parse(Operation::Broadcast, "2x3x5:SSMCC")?.cost(&task);
/// assert_eq!((cost.alphas, cost.bytes.round()), (9.0, 160_000.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Cost {
    /// Number of start-ups.
    pub alphas: f64,
    /// Bytes at `beta`. Bytes on a shared link are multiplied by the factor by which contention delays them.
    pub bytes: f64,
    /// Combined elements, at `gamma`.
    pub elements: f64,
    /// Time of the fastest trees, which has no closed form in the parameters.
    pub trees: Span,
}

impl Cost {
    /// The time that these coefficients give with a machine's parameters.
    pub fn time(&self, parameters: &Parameters) -> Span {
        // Start-ups are piecewise constant in the message length, so the start-up of the mean length stands for all.
        let mean = if self.alphas > 0.0 { self.bytes / self.alphas } else { 0.0 };
        let alphas = self.alphas * parameters.start_up(mean as u64).as_secs_f64();
        // If `beta` is 0, links are infinitely slow compared with ports, and no closed form gives their time.
        let bytes = if parameters.beta() > 0.0 { self.bytes * parameters.beta() } else { 0.0 };
        let rest = bytes + self.elements * parameters.gamma();
        Span::from_secs_f64(alphas + rest) + self.trees
    }
}

impl Strategy {
    /// The cost for a task. Barnett et al. (1994, section 6) give the formula for broadcasts; here it covers every operation, with excess
    /// bandwidth of links and both directions of a mesh.
    ///
    /// In a dimension `i` with `h_i` groups interleaved on the same links, a message takes `c_i = max(1, h_i / k)` times as long, where `k`
    /// is the capacity of a link divided by that of a port; where nodes send and receive at the same time, the factor is at least `2 / d`,
    /// where `d` is the duplex factor of the ports. The formula assumes an even cut of vectors.
    ///
    /// # Panics
    ///
    /// If the strategy is for another number of ranks, or if its alternating dimensions do not divide the sides of the members' mesh.
    pub fn cost(&self, task: &Task) -> Cost {
        self.cost_in(task, task.layout().grid)
    }

    /// The cost for members that form this rectangle.
    pub(super) fn cost_in(&self, task: &Task, grid: Grid) -> Cost {
        assert_eq!(self.nodes(), task.size(), "a strategy for this group");
        assert!(self.fits(grid), "a strategy for {} rows and {} columns", grid.rows, grid.columns);
        let mut sum = Sum { task, strategy: self, grid, cost: Cost::default() };
        sum.add_all();
        sum.cost
    }

    /// Number of lines (groups along a dimension with this stride) that are interleaved on the same links.
    pub(super) fn interleaved(&self, grid: Grid, stride: usize) -> usize {
        let inner = match self.order {
            Order::Rows => grid.columns,
            Order::Columns => grid.rows,
            Order::Compact => return stride,
            Order::Alternating(first) => return self.alternating_lines(grid, first, stride),
        };
        if stride.is_multiple_of(inner) { stride / inner } else { stride }
    }
}

/// Factor by which messages take longer if `sharing` messages share each link.
pub(super) fn conflict(parameters: &Parameters, sharing: usize) -> f64 {
    (sharing as f64 / parameters.link_excess()).max(1.0)
}

/// The contention factor if these places send to their partners at the same time; `ranks` has the rank of each place.
pub(super) fn conflict_of(
    task: &Task,
    ranks: &[Rank],
    partners: impl Iterator<Item = (usize, usize)>,
) -> f64 {
    let (topology, members) = (task.machine().topology(), task.members());
    let (mut route, mut loads) = (Vec::new(), BTreeMap::new());
    for (place, partner) in partners {
        route.clear();
        topology.route(members[ranks[place]], members[ranks[partner]], &mut route);
        route.iter().for_each(|&link| *loads.entry(link).or_insert(0_usize) += 1);
    }
    conflict(task.parameters(), loads.into_values().max().unwrap_or(1))
}

/// The contention factor where nodes send and receive at the same time.
pub(super) fn both_ways(parameters: &Parameters, sharing: usize) -> f64 {
    conflict(parameters, sharing).max(2.0 / parameters.duplex())
}

struct Sum<'a> {
    task: &'a Task,
    strategy: &'a Strategy,
    grid: Grid,
    cost: Cost,
}

impl Sum<'_> {
    fn add_all(&mut self) {
        let operation = self.task.operation();
        let strategy = self.strategy;
        let bytes = self.task.shared_bytes() as f64;
        let (mut stride, mut parts) = (1, 1);
        for &(side, kind) in &strategy.long {
            let share = bytes / parts as f64;
            match operation {
                Operation::Broadcast => {
                    self.scatter(side, stride, share);
                    self.all_gather(side, stride, share, kind, false);
                }
                Operation::Reduce => {
                    self.all_gather(side, stride, share, kind, true);
                    self.scatter(side, stride, share);
                }
                Operation::Scatter | Operation::Gather => self.scatter(side, stride, share),
                Operation::AllGather => self.all_gather(side, stride, share, kind, false),
                Operation::ReduceScatter => self.all_gather(side, stride, share, kind, true),
                Operation::AllReduce | Operation::Scan => {
                    self.all_gather(side, stride, share, kind, true);
                    self.all_gather(side, stride, share, kind, false);
                }
            }
            (stride, parts) = (stride * side, parts * side);
        }
        let Some((side, tree)) = strategy.short else { return };
        let share = bytes / parts as f64;
        let whole = Load::Whole { bytes: share as u64 };
        let blocks = Load::Blocks { bytes: share as u64 };
        match operation {
            Operation::Broadcast => self.tree(side, stride, whole, tree, false),
            Operation::Reduce => self.tree(side, stride, whole, tree, true),
            Operation::Scatter | Operation::Gather => self.tree(side, stride, blocks, tree, false),
            Operation::AllGather => {
                self.tree(side, stride, blocks, tree, false);
                self.tree(side, stride, whole, tree, false);
            }
            Operation::ReduceScatter => {
                self.tree(side, stride, whole, tree, true);
                self.tree(side, stride, blocks, tree, false);
            }
            Operation::AllReduce | Operation::Scan => {
                self.tree(side, stride, whole, tree, true);
                self.tree(side, stride, whole, tree, false);
            }
        }
    }

    fn conflict(&self, stride: usize) -> f64 {
        conflict(self.task.parameters(), self.strategy.interleaved(self.grid, stride))
    }

    fn scatter(&mut self, side: usize, stride: usize, bytes: f64) {
        let conflict = self.conflict(stride);
        self.cost.alphas += f64::from(log2_ceil(side));
        self.cost.bytes += conflict * bytes * (side - 1) as f64 / side as f64;
    }

    fn all_gather(&mut self, side: usize, stride: usize, bytes: f64, kind: AllGatherKind, combines: bool) {
        let parameters = self.task.parameters();
        let lines = self.strategy.interleaved(self.grid, stride);
        let block = bytes / side as f64;
        match kind {
            AllGatherKind::Ring => {
                self.cost.alphas += (side - 1) as f64;
                self.cost.bytes += both_ways(parameters, lines) * block * (side - 1) as f64;
            }
            AllGatherKind::Circulant => {
                let mut has = 1;
                for distance in circulant::distances(side) {
                    let sent = has.min(side - has);
                    // Each link of a line carries either the messages that go forward, or the messages that wrap around.
                    let sharing = lines * distance.min(side - distance);
                    self.cost.alphas += 1.0;
                    self.cost.bytes += both_ways(parameters, sharing) * block * sent as f64;
                    has += sent;
                }
            }
        }
        if combines {
            self.cost.elements += block * (side - 1) as f64 / self.task.element_bytes() as f64;
        }
    }

    fn tree(&mut self, side: usize, stride: usize, load: Load, tree: Tree, combines: bool) {
        let conflict = self.conflict(stride);
        let rounds = f64::from(log2_ceil(side));
        match (tree, load) {
            (Tree::Fastest, _) => {
                let inwards = combines
                    || matches!(
                        (load, self.task.operation()),
                        (Load::Blocks { .. }, Operation::Gather | Operation::AllGather)
                    );
                let direction = if inwards { Direction::In } else { Direction::Out };
                let cost = |size| edge(self.task, load, direction, conflict, side, size);
                self.cost.trees += Division::fastest_time(side, |size| cost(size).0, |size| cost(size).1);
            }
            (Tree::Halves, Load::Whole { bytes }) => {
                self.cost.alphas += rounds;
                self.cost.bytes += rounds * conflict * bytes as f64;
                if combines {
                    self.cost.elements += rounds * bytes as f64 / self.task.element_bytes() as f64;
                }
            }
            (Tree::Halves, Load::Blocks { bytes }) => self.scatter(side, stride, bytes as f64),
        }
    }
}

fn log2_ceil(number: usize) -> u32 {
    number.next_power_of_two().ilog2()
}
