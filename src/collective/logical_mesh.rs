//! The members as a logical mesh, and the schedules of strategies on it, dimension by dimension.

use super::{
    Operation, Task,
    cost::conflict,
    draft::{Draft, Piece, Tuning, cut},
    edge::{Direction, Load, edge},
    strategy::{AllGatherKind, Order, Strategy, Tree},
};
use crate::{
    pattern::{
        Builder, Division, circulant,
        division::{self, Ties},
        line, ring,
    },
    plan::rings::Rings,
    rank::Rank,
    time::Span,
    topology::Grid,
};

/// Returns the schedule of a strategy.
pub(super) fn draft(task: &Task, strategy: &Strategy, tuning: Tuning) -> Draft {
    let mesh = LogicalMesh::new(task, strategy, tuning.ties);
    match task.operation() {
        Operation::Broadcast => mesh.broadcast(tuning),
        Operation::Reduce => mesh.broadcast(tuning).combining(),
        Operation::Scatter => mesh.scatter(tuning),
        Operation::Gather => {
            let scatter = mesh.scatter(tuning);
            let owners: Vec<Rank> = mesh.blocks(1).map(|(rank, _)| rank).collect();
            scatter.gathering(&owners)
        }
        Operation::AllGather => mesh.all_gather(tuning),
        Operation::ReduceScatter => mesh.all_gather(tuning).combining(),
        Operation::AllReduce | Operation::Scan => mesh.spread(tuning).combining_and_back(),
    }
}

/// Whether a scatter or gather along a single tree has an equally fast tree with more even cuts than the default one.
pub(super) fn has_even_tree(task: &Task, strategy: &Strategy) -> bool {
    let tree = |ties| {
        let mesh = LogicalMesh::new(task, strategy, ties);
        mesh.trees(0, Tree::Fastest, Load::Blocks { bytes: task.shared_bytes() }, 1)
    };
    tree(Ties::Small) != tree(Ties::Even)
}

/// Lower bound of the time of the schedule of a strategy that uses rings, whose schedules are the slowest to make; 0 for other strategies.
pub(super) fn lower_bound(task: &Task, strategy: &Strategy, tuning: Tuning) -> Span {
    use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};
    let has_rings = strategy.long.iter().any(|&(_, kind)| kind == AllGatherKind::Ring);
    let operation = task.operation();
    if !has_rings || matches!(operation, Scatter | Gather) {
        return Span::ZERO;
    }
    let mesh = LogicalMesh::new(task, strategy, tuning.ties);
    let rings = mesh.rings(tuning.segments);
    match operation {
        AllReduce | Scan => rings.lower_bound_back_and_forth(task.parameters()),
        Broadcast | Reduce | AllGather | ReduceScatter | Scatter | Gather => {
            rings.lower_bound(task.parameters())
        }
    }
}

/// Returns the number of blocks in each message of a ring all-gather whose nodes hold these numbers of blocks: the node with the most blocks
/// sends one message per segment.
fn blocks_per_message(counts: &[usize], segments: usize) -> usize {
    counts.iter().max().copied().unwrap_or(0).div_ceil(segments)
}

/// The nodes with their coordinates in the logical mesh.
struct LogicalMesh<'a> {
    task: &'a Task,
    strategy: &'a Strategy,
    ties: Ties,
    sides: Vec<usize>,
    grid: Grid,
    /// The rank at each place, the first coordinate varying fastest.
    ranks: Vec<Rank>,
    /// The place of the root; 0 for operations without a root.
    root: usize,
}

impl LogicalMesh<'_> {
    fn new<'a>(task: &'a Task, strategy: &'a Strategy, ties: Ties) -> LogicalMesh<'a> {
        let layout = task.layout();
        let places = match strategy.order {
            Order::Rows => (0..layout.size()).collect(),
            Order::Columns => line::columns(layout.grid).concat(),
            Order::Compact => line::bisection(layout.grid),
            Order::Alternating(first) => strategy.alternating_places(layout.grid, first),
        };
        let mut ranks: Vec<Rank> = places.into_iter().map(|place| layout.ranks[place]).collect();
        let mut sides: Vec<usize> = strategy.dimensions().collect();
        if let ([_], Operation::Scatter | Operation::Gather) = (&sides[..], task.operation()) {
            // Along a single tree, ranks with empty blocks need no message.
            ranks.retain(|&rank| rank == task.root() || !task.block(rank).is_empty());
            sides = vec![ranks.len()];
        }
        let has_root = task.operation().has_root();
        let root = ranks.iter().position(|&rank| rank == task.root()).filter(|_| has_root).unwrap_or(0);
        LogicalMesh { task, strategy, ties, sides, grid: layout.grid, ranks, root }
    }

    /// The distance of neighbouring places in a dimension.
    fn stride(&self, dimension: usize) -> usize {
        self.sides[..dimension].iter().product()
    }

    fn coordinate(&self, place: usize, dimension: usize) -> usize {
        place / self.stride(dimension) % self.sides[dimension]
    }

    /// The places of all lines of a dimension.
    fn lines(&self, dimension: usize) -> Vec<Vec<usize>> {
        let (stride, side) = (self.stride(dimension), self.sides[dimension]);
        let firsts = (0..self.ranks.len()).filter(|&place| self.coordinate(place, dimension) == 0);
        firsts.map(|first| (0..side).map(|coordinate| first + coordinate * stride).collect()).collect()
    }

    fn ranks(&self, lines: &[Vec<usize>]) -> Vec<Vec<Rank>> {
        lines.iter().map(|line| line.iter().map(|&place| self.ranks[place]).collect()).collect()
    }

    /// Number of long-vector dimensions.
    fn long(&self) -> usize {
        self.strategy.long.len()
    }

    /// The non-empty blocks of all ranks, each cut into `segments` pieces, with the rank of each piece.
    fn blocks(&self, segments: usize) -> impl Iterator<Item = (Rank, Piece)> {
        let element = self.task.element_bytes();
        (0..self.task.size()).flat_map(move |rank| {
            let block = self.task.block(rank);
            cut(block.start, block.end - block.start, element, segments).map(move |(_, piece)| (rank, piece))
        })
    }

    /// Returns the whole vector, cut into `segments` pieces for each place in the long dimensions, and the place of each piece. The first
    /// dimension makes the coarsest cut.
    fn parts(&self, segments: usize) -> Vec<(usize, Piece)> {
        let parts = self.stride(self.long());
        let pieces = cut(0, self.task.bytes(), self.task.element_bytes(), parts * segments);
        let place = |number: usize| {
            let (mut rest, mut place) = (number / segments, 0);
            for dimension in (0..self.long()).rev() {
                place += rest % self.sides[dimension] * self.stride(dimension);
                rest /= self.sides[dimension];
            }
            place
        };
        pieces.map(|(number, piece)| (place(number), piece)).collect()
    }

    fn broadcast(&self, tuning: Tuning) -> Draft {
        let (homes, pieces): (Vec<usize>, Vec<Piece>) = self.parts(tuning.segments).into_iter().unzip();
        let origins = vec![self.ranks[self.root]; pieces.len()];
        Draft::moving(self.task, pieces, &origins, tuning.exchange, |builder| {
            for dimension in 0..self.long() {
                self.scatter_in(builder, dimension, &homes, Tree::Halves);
            }
            self.short_broadcast(builder);
            self.collect_in_all(builder, tuning.segments);
        })
    }

    /// The second half of a broadcast: each piece starts at its place in the long dimensions.
    fn spread(&self, tuning: Tuning) -> Draft {
        let (homes, pieces): (Vec<usize>, Vec<Piece>) = self.parts(tuning.segments).into_iter().unzip();
        let origins: Vec<Rank> = homes.iter().map(|&place| self.ranks[place]).collect();
        Draft::moving(self.task, pieces, &origins, tuning.exchange, |builder| {
            self.short_broadcast(builder);
            self.collect_in_all(builder, tuning.segments);
        })
    }

    fn scatter(&self, tuning: Tuning) -> Draft {
        let (owners, pieces): (Vec<Rank>, Vec<Piece>) = self.blocks(1).unzip();
        let mut place_of = vec![0; self.task.size()];
        self.ranks.iter().enumerate().for_each(|(place, &rank)| place_of[rank] = place);
        let homes: Vec<usize> = owners.into_iter().map(|rank| place_of[rank]).collect();
        let origins = vec![self.ranks[self.root]; pieces.len()];
        Draft::moving(self.task, pieces, &origins, tuning.exchange, |builder| {
            for dimension in 0..self.sides.len() {
                let tree = self
                    .strategy
                    .short
                    .filter(|_| dimension == self.long())
                    .map_or(Tree::Halves, |(_, tree)| tree);
                self.scatter_in(builder, dimension, &homes, tree);
            }
        })
    }

    fn all_gather(&self, tuning: Tuning) -> Draft {
        let (owners, pieces): (Vec<Rank>, Vec<Piece>) = self.blocks(tuning.segments).unzip();
        Draft::moving(self.task, pieces, &owners, tuning.exchange, |builder| {
            if let Some((_, tree)) = self.strategy.short {
                let lines = self.ranks(&self.lines(self.long()));
                let own: Vec<Vec<Vec<u32>>> = lines
                    .iter()
                    .map(|line| line.iter().map(|&rank| builder.held(rank).to_vec()).collect())
                    .collect();
                let bytes = self.task.shared_bytes() / self.stride(self.long()) as u64;
                let trees = self.trees(self.long(), tree, Load::Blocks { bytes }, lines.len());
                division::gather(builder, &lines, &trees, &|line, position| own[line][position].clone());
                self.short_broadcast(builder);
            }
            self.collect_in_all(builder, tuning.segments);
        })
    }

    /// Scatters in a dimension, along the lines that the data from the root has reached.
    fn scatter_in(&self, builder: &mut Builder, dimension: usize, homes: &[usize], tree: Tree) {
        let is_reached = |place: usize| {
            (dimension..self.sides.len()).all(|later| {
                later == dimension || self.coordinate(place, later) == self.coordinate(self.root, later)
            })
        };
        let lines: Vec<Vec<usize>> =
            self.lines(dimension).into_iter().filter(|line| is_reached(line[0])).collect();
        let lines = self.ranks(&lines);
        let root = self.coordinate(self.root, dimension);
        let held: Vec<Vec<Vec<u32>>> = lines
            .iter()
            .map(|line| {
                let mut parts = vec![Vec::new(); self.sides[dimension]];
                for &block in builder.held(line[root]) {
                    parts[self.coordinate(homes[block as usize], dimension)].push(block);
                }
                parts
            })
            .collect();
        let bytes = self.task.shared_bytes() / self.stride(dimension) as u64;
        let trees = self.trees(dimension, tree, Load::Blocks { bytes }, lines.len());
        division::scatter(builder, &lines, &trees, &|line, position| held[line][position].clone());
    }

    fn short_broadcast(&self, builder: &mut Builder) {
        let Some((_, tree)) = self.strategy.short else { return };
        let lines = self.ranks(&self.lines(self.long()));
        let bytes = self.task.bytes() / self.stride(self.long()) as u64;
        let trees = self.trees(self.long(), tree, Load::Whole { bytes }, lines.len());
        division::broadcast(builder, &lines, &trees);
    }

    fn collect_in_all(&self, builder: &mut Builder, segments: usize) {
        for (dimension, &(_, kind)) in self.strategy.long.iter().enumerate().rev() {
            let lines = self.ranks(&self.lines(dimension));
            match kind {
                AllGatherKind::Ring => {
                    ring::all_gather(builder, &lines, |counts| blocks_per_message(counts, segments))
                }
                AllGatherKind::Circulant => circulant::all_gather(builder, &lines, 2),
            }
        }
    }

    /// Returns the numbers of bytes that the rings collect. Before the all-gathers, the whole vector is spread over the long dimensions,
    /// unless each rank has its own block.
    fn rings(&self, segments: usize) -> Rings {
        let (operation, nodes) = (self.task.operation(), self.ranks.len());
        let mut rings = if matches!(operation, Operation::AllGather | Operation::ReduceScatter) {
            let blocks = self.blocks(segments).map(|(rank, piece)| (rank, piece.bytes));
            let mut rings = Rings::of(nodes, blocks);
            if self.strategy.short.is_some() {
                rings.gather(&self.ranks(&self.lines(self.long())));
            }
            rings
        } else {
            let parts = self.parts(segments);
            // All places along a short dimension hold the same data.
            let stride = self.stride(self.long());
            let holders = |home: usize| (home..nodes).step_by(stride).map(|place| self.ranks[place]);
            let held = parts.iter().flat_map(|(home, piece)| holders(*home).map(|rank| (rank, piece.bytes)));
            Rings::of(nodes, held)
        };
        if matches!(operation, Operation::Broadcast | Operation::Reduce) {
            let root = self.ranks[self.root];
            rings.has_sent(root, self.task.bytes() - rings.held(root));
        }
        for (dimension, &(_, kind)) in self.strategy.long.iter().enumerate().rev() {
            let lines = self.ranks(&self.lines(dimension));
            match kind {
                AllGatherKind::Ring => {
                    rings.all_gather(&lines, |counts| blocks_per_message(counts, segments))
                }
                AllGatherKind::Circulant => rings.gather(&lines),
            }
        }
        rings
    }

    /// Direction of the data in the short dimension; duals have the reverse direction.
    fn direction(&self, load: Load) -> Direction {
        use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};
        match (load, self.task.operation()) {
            (Load::Whole { .. }, AllReduce | Scan) => Direction::Both,
            (Load::Whole { .. }, Reduce | ReduceScatter) => Direction::In,
            (Load::Whole { .. }, Broadcast | AllGather | Scatter | Gather) => Direction::Out,
            (Load::Blocks { .. }, Gather | AllGather) => Direction::In,
            (Load::Blocks { .. }, _) => Direction::Out,
        }
    }

    /// The same tree for each line of a dimension.
    fn trees(&self, dimension: usize, tree: Tree, load: Load, count: usize) -> Vec<Division> {
        let (side, root) = (self.sides[dimension], self.coordinate(self.root, dimension));
        let division = match tree {
            Tree::Halves => Division::halves(side, root),
            Tree::Fastest => {
                let lines = self.strategy.interleaved(self.grid, self.stride(dimension));
                let conflict = conflict(self.task.parameters(), lines);
                let direction = self.direction(load);
                // For even cuts, parts with the same number of blocks count as equally long, although block lengths may differ by an
                // element.
                let load = match (self.ties, load) {
                    (Ties::Even, Load::Blocks { bytes }) if self.task.is_even() => Load::Blocks {
                        bytes: bytes.next_multiple_of(side as u64 * self.task.element_bytes()),
                    },
                    _ => load,
                };
                let cost = |size| edge(self.task, load, direction, conflict, side, size);
                Division::fastest_by(
                    self.ties,
                    side,
                    root,
                    self.task.is_in_order(),
                    |size| cost(size).0,
                    |size| cost(size).1,
                )
            }
        };
        vec![division; count]
    }
}
