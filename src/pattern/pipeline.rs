//! Pipelines: a long vector is cut into chunks, which are sent down a set of spanning trees one after another.
//!
//! Chunk `i` goes down tree `i mod T` of `T` trees. A node is one-port: in a step it sends at most one chunk and receives at most one. The
//! rate of one tree is limited by the node with the most children: a chain moves a chunk every step, a binary tree one every second step.
//! Several trees are faster: if no node has more than `T` children in all trees together, no node is busier than a node of a chain,
//! although the trees may be as shallow as binary trees.
//!
//! **The step order.** The order of the sends is periodic. The period is the maximum number of messages that a node sends or receives for
//! `T` chunks, one down each tree. Each edge of a tree is assigned one step of the period such that edges with the same sender, or the same
//! receiver, have different steps. This is an edge colouring of a bipartite graph with senders on one side and receivers on the other; it
//! exists by König's theorem. A chunk crosses an edge in the first step of the edge in which the sender has the chunk. In lockstep no
//! message waits for a port, and the root sends a chunk every step.
//!
//! **Cost.** `N` chunks of `m` bytes take `N - 1 + h` rounds if the period is `T`, where `h` is the number of rounds until all nodes have
//! the first chunks: about twice the hops below. A round takes `max(alpha, m beta)`, because ports carry the next chunk while a node
//! processes the previous one; half duplex, `beta` becomes `2 beta / d`. With `m = alpha / beta` the total is `n beta + h alpha`.
//!
//! Nodes do not run in lockstep by themselves, and two senders may send to one node at the same time. Both are then slowed down while other
//! nodes could have used their ports, and these delays accumulate: long vectors move at `1.75 beta` per byte. Only a chain, where every
//! node has one sender, keeps the full rate. The nodes should therefore follow a
//! [time-triggered schedule](crate::pattern::Schedule::time_triggered).
//!
//! | trees | hops of the first chunk | conflicts where links are as fast as ports |
//! | --- | --- | --- |
//! | [`chain`] | `p - 1` | none |
//! | [`spines_in_columns`], [`spines_in_rows`] of `r x c` | `c + (2r)^(1/2) + 2`, `r + (2c)^(1/2) + 2` | none |
//! | [`two_trees`] | `log2 p + 1`, second children one round later | many |
//! | [`edge_disjoint`] of a `d`-cube | `d + 1` | none |
//!
//! **Source.** J. Watts, R. van de Geijn, "A Pipelined Broadcast for Multidimensional Meshes", Parallel Processing
//! Letters 5, 1995; P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction
//! and scan", Parallel Computing 35, 2009; S. L. Johnsson, C.-T. Ho, "Optimum broadcasting and personalized communication
//! in hypercubes", IEEE Transactions on Computers 38(9), 1989.

mod hypercube;
mod mesh;
mod tree;

pub use self::{
    hypercube::{across_dimensions, edge_disjoint},
    mesh::{chain, spines_in_columns, spines_in_rows},
    tree::{Tree, two_trees},
};

use crate::rank::Rank;

/// One message of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hop {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The number of the chunk.
    pub chunk: u32,
}

/// Returns the messages of each round until every node has every chunk. In a round every node sends at most one message and receives at
/// most one. No node receives a chunk twice. A chunk is forwarded at least two rounds after its arrival, so that a node can process the
/// chunk of the previous round while it sends another one.
///
/// ```
/// use multicomputer::pattern::pipeline::{Hop, Tree, rounds};
///
/// let chain = Tree::new(0, vec![vec![1], vec![2], vec![]]).unwrap();
/// let hop = |from, to, chunk| Hop { from, to, chunk };
/// assert_eq!(
///     rounds(&[chain], 2),
///     [vec![hop(0, 1, 0)], vec![hop(0, 1, 1)], vec![hop(1, 2, 0)], vec![hop(1, 2, 1)]]
/// );
/// ```
///
/// # Panics
///
/// If there is no tree, or the trees have different roots or numbers of nodes.
pub fn rounds(trees: &[Tree], chunks: usize) -> Vec<Vec<Hop>> {
    let timetable = Timetable::new(trees);
    let mut rounds: Vec<Vec<Hop>> = Vec::new();
    for chunk in 0..chunks {
        let first = chunk / trees.len() * timetable.period;
        for edge in timetable.edges.iter().filter(|edge| edge.tree == chunk % trees.len()) {
            let round = first + edge.round;
            if rounds.len() <= round {
                rounds.resize(round + 1, Vec::new());
            }
            rounds[round].push(Hop { from: edge.from, to: edge.to, chunk: chunk as u32 });
        }
    }
    rounds
}

/// The minimum number of rounds between receiving and forwarding a chunk.
const LAG: usize = 2;

/// The rounds in which the first chunk of each tree crosses each edge; each later chunk follows one period after the previous one.
struct Timetable {
    period: usize,
    edges: Vec<Edge>,
}

struct Edge {
    tree: usize,
    from: Rank,
    to: Rank,
    round: usize,
}

impl Timetable {
    fn new(trees: &[Tree]) -> Timetable {
        assert!(!trees.is_empty(), "there is a tree");
        let nodes = trees[0].nodes();
        let alike = |tree: &Tree| (tree.root(), tree.nodes()) == (trees[0].root(), nodes);
        assert!(trees.iter().all(alike), "all trees have the same root and the same nodes");
        // The edges of a tree are in level order, so that an edge comes after the edge above it.
        let mut edges = Vec::new();
        let mut above = Vec::new();
        let mut through = Vec::new();
        for (number, tree) in trees.iter().enumerate() {
            let start = edges.len();
            let order = tree.by_levels();
            let mut edge_to = vec![None; nodes];
            let (mut depth, mut height) = (vec![0; nodes], vec![0; nodes]);
            for &from in &order {
                for &to in tree.children(from) {
                    edge_to[to] = Some(edges.len());
                    above.push(edge_to[from]);
                    depth[to] = depth[from] + 1;
                    edges.push(Edge { tree: number, from, to, round: 0 });
                }
            }
            for edge in edges[start..].iter().rev() {
                height[edge.from] = height[edge.from].max(height[edge.to] + 1);
            }
            // The length of the longest path from the root to a leaf through this edge.
            through.extend(edges[start..].iter().map(|edge| depth[edge.to] + height[edge.to]));
        }
        let mut colouring = Colouring::new(nodes, &edges);
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by_key(|&edge| (std::cmp::Reverse(through[edge]), edge));
        for edge in order {
            colouring.colour_all_around(edge, &edges, &above);
        }
        let period = colouring.colours;
        // All edges are coloured now.
        let colours: Vec<usize> = colouring.colour_of.into_iter().flatten().collect();
        for (index, colour) in colours.into_iter().enumerate() {
            let earliest = above[index].map_or(0, |above| edges[above].round + LAG);
            edges[index].round = earliest + (colour + period - earliest % period) % period;
        }
        Timetable { period, edges }
    }
}

/// An edge colouring: edges that share an end have different colours.
struct Colouring {
    colours: usize,
    colour_of: Vec<Option<usize>>,
    /// The edges at each end: first the senders' ends, then the receivers' ends.
    at: Vec<Vec<usize>>,
    nodes: usize,
}

impl Colouring {
    fn new(nodes: usize, edges: &[Edge]) -> Colouring {
        let mut at = vec![Vec::new(); 2 * nodes];
        for (index, edge) in edges.iter().enumerate() {
            at[edge.from].push(index);
            at[nodes + edge.to].push(index);
        }
        let colours = at.iter().map(Vec::len).max().unwrap_or(0).max(1);
        Colouring { colours, colour_of: vec![None; edges.len()], at, nodes }
    }

    /// Colours an edge, then the edges that share an end with it, and so on. With at most two edges at each end, this order
    /// never reaches an edge whose ends have no free colour in common.
    fn colour_all_around(&mut self, edge: usize, edges: &[Edge], above: &[Option<usize>]) {
        let mut next = vec![edge];
        while let Some(edge) = next.pop() {
            if self.colour_of[edge].is_some() {
                continue;
            }
            let ends = self.ends(&edges[edge]);
            let colour_above = above[edge].map(|above| self.colour_of[above]);
            let wished = match colour_above {
                // The root sends down the trees in turn.
                None => edges[edge].tree % self.colours,
                Some(above) => above.map_or(0, |colour| (colour + LAG) % self.colours),
            };
            let free_at = |ends: &[usize]| {
                let mut in_order = (0..self.colours).map(|later| (wished + later) % self.colours);
                in_order.find(|&colour| ends.iter().all(|&end| self.with(end, colour).is_none()))
            };
            let colour = match free_at(&ends) {
                Some(colour) => colour,
                None => {
                    // There are as many colours as edges at any end, and this edge is not coloured yet: each end has a free colour.
                    let [one, other] = ends.map(|end| free_at(&[end]).unwrap_or(wished));
                    self.swap_from(ends[1], one, other, edges);
                    one
                }
            };
            self.colour_of[edge] = Some(colour);
            next.extend(ends.iter().flat_map(|&end| &self.at[end]).rev());
        }
    }

    /// Makes `colour` free at an end where `other` is free, by swapping both colours along the alternating path that starts at the end.
    fn swap_from(&mut self, end: usize, colour: usize, other: usize, edges: &[Edge]) {
        let (mut end, mut colours) = (end, [colour, other]);
        let mut path = Vec::new();
        while let Some(edge) = self.with(end, colours[0]) {
            path.push((edge, colours[1]));
            let ends = self.ends(&edges[edge]);
            end = if ends[0] == end { ends[1] } else { ends[0] };
            colours.reverse();
        }
        for (edge, colour) in path {
            self.colour_of[edge] = Some(colour);
        }
    }

    fn with(&self, end: usize, colour: usize) -> Option<usize> {
        self.at[end].iter().copied().find(|&edge| self.colour_of[edge] == Some(colour))
    }

    fn ends(&self, edge: &Edge) -> [usize; 2] {
        [edge.from, self.nodes + edge.to]
    }
}

#[cfg(test)]
mod tests;
