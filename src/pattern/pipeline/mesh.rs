//! Contention-free trees on a mesh, even if links are only as fast as ports.

use super::Tree;
use crate::{pattern::line, rank::Rank, topology::Grid};

/// Returns one path through all nodes: along the [snake](line::snake) from the root to the end of the snake, then from the root's other
/// neighbour to the start of the snake.
///
/// The only long hop, from the end of the snake back to the other neighbour, goes against the snake in its last row and up a column that
/// the snake only goes down. No link is therefore used twice.
///
/// **Restrictions.** None. **Cost.** `N + p - 2` rounds for `N` chunks: suitable only for vectors of very many chunks.
///
/// **Source.** Folklore; for long vectors on meshes, van de Geijn and Watts, 1995.
///
/// # Panics
///
/// If the root is outside the mesh.
pub fn chain(grid: Grid, root: Rank) -> Vec<Tree> {
    let snake = line::snake(grid);
    let position = line::positions(&snake)[root];
    let (before, from_root) = snake.split_at(position);
    let mut children = vec![Vec::new(); grid.nodes()];
    let path: Vec<Rank> = from_root.iter().chain(before.iter().rev()).copied().collect();
    for pair in path.windows(2) {
        children[pair[0]].push(pair[1]);
    }
    vec![Tree::spanning(root, children)]
}

/// Returns two trees with their spines in the first and in the last column. From the spines, chains run along the rows to the other side.
///
/// A node on a spine has up to two children in its tree and is a leaf of the other tree; any other node has one child in each tree. Each
/// node thus sends and receives one chunk per step, and the two chains of a row use its links in opposite directions.
///
/// *The spine* is not a chain of all rows but has shortcuts: from the starting row, skips go up and down over groups of `g`, `g - 1`, .., 1
/// rows, and each group is filled by a chain of short hops back. Skips and fills use the links of the column in opposite directions. With
/// these lengths all groups are filled at the same time, `r^(1/2)` to `(2r)^(1/2)` hops from the start. A node with a skip and a fill
/// cannot also send to its own row; the last node of a fill, in the next row, starts this row instead.
///
/// *The row of the root* is different, because the root's messages to the two spines run through it. Its chain goes from the spine to the
/// node before the root, then in one hop to the far end, and from the far end back. If this hop shares a link with a message of the root,
/// both messages have the same receiver and could not be received at the same time anyway.
///
/// **Restrictions.** None; a mesh of one column is treated as one row.
///
/// **Cost.** About `N + c + (2r)^(1/2) + 3` rounds for `N` chunks on an `r x c` mesh, up to `N + 2c + 2 (2r)^(1/2)` if the edges of a row
/// have to wait for their rounds.
///
/// **Source.** The two directions on a mesh: Watts and van de Geijn, 1995. Nodes that are inner in one tree and leaves in the other:
/// Sanders, Speck and Träff, 2009. The spine with shortcuts is new here.
///
/// # Panics
///
/// If the root is outside the mesh.
pub fn spines_in_columns(grid: Grid, root: Rank) -> Vec<Tree> {
    spines(grid, root, grid.columns == 1)
}

/// Returns two trees as [`spines_in_columns`], with spines in the first and in the last row and chains along the columns. Better for meshes
/// with more columns than rows.
///
/// # Panics
///
/// If the root is outside the mesh.
pub fn spines_in_rows(grid: Grid, root: Rank) -> Vec<Tree> {
    spines(grid, root, grid.rows > 1)
}

fn spines(grid: Grid, root: Rank, is_transposed: bool) -> Vec<Tree> {
    let (row, column) = grid.coordinates(root);
    let (lanes, width, lane, place) = if is_transposed {
        (grid.columns, grid.rows, column, row)
    } else {
        (grid.rows, grid.columns, row, column)
    };
    assert!(root < grid.nodes(), "the root is in the mesh");
    let trees = [false, true].map(|is_mirrored| {
        let mirrored = |place: usize| if is_mirrored { width - 1 - place } else { place };
        let mut children = vec![Vec::new(); grid.nodes()];
        let rank = |(lane, place): Place| {
            let place = mirrored(place);
            if is_transposed { grid.rank(place, lane) } else { grid.rank(lane, place) }
        };
        for (parent, child) in comb(lanes, width, (lane, mirrored(place))) {
            children[rank(parent)].push(rank(child));
        }
        Tree::spanning(root, children)
    });
    trees.into()
}

/// A lane (row or column) and a place on it.
type Place = (usize, usize);

/// Returns the edges of the tree with its spine at place 0 of the lanes; the other tree is its mirror image. The children of a node are
/// ordered by decreasing distance from the leaves.
fn comb(lanes: usize, width: usize, root: Place) -> Vec<(Place, Place)> {
    let (root_lane, root_place) = root;
    let own = lane_of_root(width, root_place);
    let mut edges = Vec::new();
    let Some(&first) = own.first() else { return edges };
    let start = (root_lane, first);
    edges.push((root, start));
    // The start of this tree has a child in the other tree, unless the root's lane of the other tree ends there.
    let ends_there = lane_of_root(width, width - 1 - root_place).last() == Some(&(width - 1 - first));
    let spine = Spine::new(lanes, root_lane);
    if let Some(&next) = spine.order.first() {
        edges.push((start, (next, 0)));
    }
    edges.extend(spine.edges.iter().map(|&(from, to)| ((from, 0), (to, 0))));
    let mut free = spine.free.clone();
    // The spine has as many free sends as needed; without a spine, the start feeds the lane.
    let mut feeder_of = |lane: usize| {
        let can_feed = spine.order.iter().copied().filter(|&feeder| free[feeder] > 0);
        let nearest = can_feed.min_by_key(|feeder| feeder.abs_diff(lane));
        nearest.map_or(start, |nearest| {
            free[nearest] -= 1;
            (nearest, 0)
        })
    };
    // Each spine node with a free send feeds its own lane first; the other lanes follow.
    let (own_feeders, others): (Vec<usize>, Vec<usize>) =
        spine.order.iter().partition(|&&lane| spine.free[lane] > 0);
    for lane in own_feeders.into_iter().chain(others) {
        edges.push((feeder_of(lane), (lane, 1)));
        edges.extend((2..width).map(|place| ((lane, place - 1), (lane, place))));
    }
    if let Some(&second) = own.get(1) {
        let feeder = if ends_there { start } else { feeder_of(root_lane) };
        edges.push((feeder, (root_lane, second)));
        edges.extend(own[1..].windows(2).map(|pair| ((root_lane, pair[0]), (root_lane, pair[1]))));
    }
    edges
}

/// Returns the order in which the lane of the root is visited: up to the root, then from the far end back.
fn lane_of_root(width: usize, root: usize) -> Vec<usize> {
    // If the root is at place 0, the lane starts at the next place.
    let near = if root == 0 { 1..width.min(2) } else { 0..root };
    let far = near.end.max(root + 1)..width;
    near.chain(far.rev()).collect()
}

/// The spine on all lanes except the lane of the root.
struct Spine {
    /// The lanes in the order of the spine, starting at the top.
    order: Vec<usize>,
    edges: Vec<(usize, usize)>,
    /// The number of messages per chunk that the node of each lane can still send.
    free: Vec<usize>,
}

impl Spine {
    fn new(lanes: usize, root: usize) -> Spine {
        let before: Vec<usize> = (0..root).rev().collect();
        let after: Vec<usize> = (root + 1..lanes).collect();
        let (more, fewer) = if after.len() >= before.len() { (after, before) } else { (before, after) };
        let mut spine = Spine { order: Vec::new(), edges: Vec::new(), free: vec![0; lanes] };
        if let Some((&top, more)) = more.split_first() {
            spine.order.push(top);
            spine.free[top] = 2;
            spine.side(top, more);
            spine.side(top, &fewer);
        }
        spine
    }

    /// Extends the spine from the top through the adjacent lanes of one side.
    fn side(&mut self, top: usize, side: &[usize]) {
        let is_enough = |group: &usize| group * (group + 1) / 2 >= side.len();
        let largest = (1..=side.len()).find(is_enough).unwrap_or(0);
        let mut groups = Vec::new();
        let mut rest = side;
        for group in (1..=largest).rev() {
            let (lanes, further) = rest.split_at(group.min(rest.len()));
            groups.push(lanes);
            rest = further;
        }
        groups.retain(|lanes| !lanes.is_empty());
        let mut from = top;
        for lanes in &groups {
            from = self.add(from, lanes[lanes.len() - 1]);
        }
        for lanes in groups {
            lanes.iter().rev().copied().reduce(|above, lane| self.add(above, lane));
        }
    }

    fn add(&mut self, above: usize, lane: usize) -> usize {
        self.edges.push((above, lane));
        self.order.push(lane);
        self.free[above] -= 1;
        self.free[lane] = 2;
        lane
    }
}
