//! Spanning trees, and pairs of binary trees on any line of nodes.

use crate::rank::Rank;

/// A spanning tree of all nodes, with ordered children.
///
/// ```
/// use multicomputer::pattern::pipeline::Tree;
///
/// let tree = Tree::new(1, vec![vec![], vec![2, 0], vec![]]).unwrap();
/// assert_eq!((tree.root(), tree.nodes(), tree.children(1)), (1, 3, &[2, 0][..]));
/// assert_eq!(Tree::new(0, vec![vec![], vec![2], vec![1]]), None, "1 and 2 hang on each other");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    root: Rank,
    children: Vec<Vec<Rank>>,
}

impl Tree {
    /// Creates the tree in which node `i` has the children `children[i]`; `None` if the result is not a spanning tree with this root.
    pub fn new(root: Rank, children: Vec<Vec<Rank>>) -> Option<Tree> {
        let nodes = children.len();
        let mut has_parent = vec![false; nodes];
        for &child in children.iter().flatten() {
            if std::mem::replace(has_parent.get_mut(child)?, true) {
                return None;
            }
        }
        if root >= nodes || has_parent[root] {
            return None;
        }
        // Each node has at most one parent, so the walk from the root never enters a cycle and ends.
        let tree = Tree { root, children };
        (tree.by_levels().len() == nodes).then_some(tree)
    }

    /// Creates a tree from a root and children that are known to form a spanning tree.
    pub(super) fn spanning(root: Rank, children: Vec<Vec<Rank>>) -> Tree {
        let tree = Tree { root, children };
        debug_assert_eq!(tree.by_levels().len(), tree.nodes(), "not all nodes are in the tree once");
        tree
    }

    /// Returns the root, at which all data starts.
    pub fn root(&self) -> Rank {
        self.root
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.children.len()
    }

    /// Returns the children of a node, to which it sends each chunk, in order; empty for a rank outside the tree.
    pub fn children(&self, rank: Rank) -> &[Rank] {
        self.children.get(rank).map_or(&[], Vec::as_slice)
    }

    /// Returns the nodes in level order, starting at the root.
    pub(super) fn by_levels(&self) -> Vec<Rank> {
        let mut order = vec![self.root];
        let mut next = 0;
        while next < order.len() {
            order.extend_from_slice(&self.children[order[next]]);
            next += 1;
        }
        order
    }
}

/// Returns two binary trees on a line of all nodes, in which each node has children in at most one tree.
///
/// The root sends the chunks in turn to the tops of the two trees. The first tree is built in order on the line without the root, so that
/// every second node is a leaf. The second tree is the mirror image of the first, or the same tree shifted by one node, so that the leaves
/// of the first tree are the inner nodes of the second.
///
/// **Restrictions.** None. Contention depends on the line: an edge to a child covers half the distance along the line that the edge above
/// covers. On [`bisection`](crate::pattern::line::bisection) most edges are short in the mesh.
///
/// **Cost.** At most about `N + 2 log2 p` rounds for `N` chunks.
///
/// **Source.** Sanders, Speck and Träff, 2009.
///
/// # Panics
///
/// If the root is not on the line, or the line does not have every rank below its length once.
pub fn two_trees(line: &[Rank], root: Rank) -> Vec<Tree> {
    let mut sorted = line.to_vec();
    sorted.sort_unstable();
    let is_whole = sorted.into_iter().eq(0..line.len()) && root < line.len();
    assert!(is_whole, "the line has every rank once, the root among them");
    let mut line_without_root = line.to_vec();
    line_without_root.retain(|&rank| rank != root);
    let count = line_without_root.len();
    let tree = |at: &dyn Fn(usize) -> Rank| {
        let mut children = vec![Vec::new(); line.len()];
        let top = in_order(0, count, at, &mut children);
        children[root].extend(top);
        Tree::spanning(root, children)
    };
    let second =
        |position| if count.is_multiple_of(2) { count - 1 - position } else { (position + 1) % count };
    vec![tree(&|position| line_without_root[position]), tree(&|position| line_without_root[second(position)])]
}

/// Builds the tree of the positions from `start`, which is even, to `end`, and returns its top. Leaves are at even positions.
fn in_order(
    start: usize,
    end: usize,
    at: &dyn Fn(usize) -> Rank,
    children: &mut [Vec<Rank>],
) -> Option<Rank> {
    let count = end - start;
    let top = start + if count < 2 { 0 } else { ((count - 1) / 2) | 1 };
    if count > 1 {
        let before = in_order(start, top, at, children);
        let after = in_order(top + 1, end, at, children);
        // The larger part comes first.
        let both = if top - start < end - top - 1 { [after, before] } else { [before, after] };
        children[at(top)].extend(both.into_iter().flatten());
    }
    (count > 0).then(|| at(top))
}
