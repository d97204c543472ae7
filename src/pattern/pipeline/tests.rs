use super::*;
use crate::{
    pattern::line,
    topology::{Grid, LinkId, Mesh, Topology},
};

const MESHES: [(usize, usize); 13] =
    [(1, 1), (1, 2), (2, 1), (1, 7), (7, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 5), (5, 4), (7, 3), (3, 13)];

/// Returns every set of trees for a mesh and a root.
fn sets(grid: Grid, root: Rank) -> [(&'static str, Vec<Tree>); 5] {
    [
        ("chain", chain(grid, root)),
        ("spines in columns", spines_in_columns(grid, root)),
        ("spines in rows", spines_in_rows(grid, root)),
        ("two trees", two_trees(&line::snake(grid), root)),
        ("two trees by bisection", two_trees(&line::bisection(grid), root)),
    ]
}

fn everywhere(check: impl Fn(Grid, Rank, &str, &[Tree])) {
    for (rows, columns) in MESHES {
        let grid = Grid { rows, columns };
        for root in 0..grid.nodes() {
            for (name, trees) in sets(grid, root) {
                check(grid, root, name, &trees);
            }
        }
    }
}

/// Executes the rounds, checks every rule, and returns the number of rounds.
fn carry_out(trees: &[Tree], chunks: usize) -> usize {
    let rounds = rounds(trees, chunks);
    let (root, nodes) = (trees[0].root(), trees[0].nodes());
    // The first round in which each node can send each chunk.
    let mut has = vec![vec![None; chunks]; nodes];
    has[root].fill(Some(0));
    for (number, round) in rounds.iter().enumerate() {
        let (mut sends, mut receives) = (vec![false; nodes], vec![false; nodes]);
        for hop in round {
            assert!(!std::mem::replace(&mut sends[hop.from], true), "{} sends twice", hop.from);
            assert!(!std::mem::replace(&mut receives[hop.to], true), "{} receives twice", hop.to);
            let since = has[hop.from][hop.chunk as usize];
            assert!(since.is_some_and(|since| since <= number), "{} has what it sends", hop.from);
            let had = has[hop.to][hop.chunk as usize].replace(number + LAG);
            assert_eq!(had, None, "{} has chunk {}", hop.to, hop.chunk);
        }
    }
    assert!(has.iter().flatten().all(Option::is_some), "every node gets every chunk");
    rounds.len()
}

#[test]
fn every_node_gets_every_chunk_once_through_one_port() {
    everywhere(|_, _, _, trees| {
        for chunks in [0, 1, 2, 3, 7] {
            carry_out(trees, chunks);
        }
    });
}

/// Tests that, above some number of chunks, each additional chunk takes one more round.
#[test]
fn one_chunk_per_round() {
    everywhere(|grid, root, name, trees| {
        if grid.nodes() > 1 {
            let rounds = carry_out(trees, 19);
            assert_eq!(carry_out(trees, 27), rounds + 8, "{name} on {grid} from {root}");
        }
    });
}

/// Returns the number of rounds until all nodes have the first chunk of each tree.
fn depth(trees: &[Tree]) -> usize {
    rounds(trees, trees.len()).len()
}

#[test]
fn first_chunks_reach_all_nodes_early() {
    everywhere(|grid, root, name, trees| {
        let nodes = grid.nodes();
        let [lanes, width, log] =
            [grid.rows, grid.columns, nodes].map(|number| if number < 2 { 0. } else { number as f64 });
        let most = match name {
            "chain" => 2.0 * nodes as f64 - 1.0,
            "spines in columns" => 2.0 * width + (8.0 * lanes).sqrt() + 13.0,
            "spines in rows" => 2.0 * lanes + (8.0 * width).sqrt() + 13.0,
            _ => 3.0 * log.max(1.0).log2() + 4.0,
        };
        assert!(depth(trees) as f64 <= most, "{name} on {grid} from {root}: {} > {most}", depth(trees));
    });
}

/// Tests that two messages on one link have the same sender or receiver, and are therefore serialized at the port anyway. Other concurrent
/// messages on one link would slow each other down.
#[test]
fn chains_and_spines_are_contention_free() {
    everywhere(|grid, root, name, trees| {
        if name.starts_with("two trees") {
            return;
        }
        let mesh = Mesh::new(grid.rows, grid.columns).unwrap();
        let mut on_link: Vec<Vec<(Rank, Rank)>> = vec![Vec::new(); mesh.links()];
        for tree in trees {
            for from in 0..tree.nodes() {
                for &to in tree.children(from) {
                    let mut route: Vec<LinkId> = Vec::new();
                    mesh.route(from, to, &mut route);
                    route.iter().for_each(|&link| on_link[link].push((from, to)));
                }
            }
        }
        for edges in on_link {
            let (from, to) =
                (|edge: &(Rank, Rank)| edge.0 == edges[0].0, |edge: &(Rank, Rank)| edge.1 == edges[0].1);
            let is_one_end = edges.iter().all(from) || edges.iter().all(to);
            assert!(is_one_end, "{name} on {grid} from {root}: {edges:?}");
        }
    });
}

#[test]
fn each_node_has_children_in_one_of_two_trees() {
    for nodes in 2..70 {
        let line: Vec<Rank> = (0..nodes).collect();
        for root in [0, nodes / 3, nodes - 1] {
            let trees = two_trees(&line, root);
            for rank in line.iter().filter(|&&rank| rank != root) {
                let children = trees.iter().map(|tree| tree.children(*rank).len());
                let [one, other] = <[usize; 2]>::try_from(children.collect::<Vec<_>>()).unwrap();
                assert!(one.max(other) <= 2 && one.min(other) == 0, "{rank} of {nodes}");
            }
        }
    }
}

/// Tests that the rate of a single tree is limited by the node with the most children.
#[test]
fn one_tree_is_as_slow_as_its_busiest_node() {
    let star = Tree::new(0, vec![vec![1, 2, 3], vec![], vec![], vec![]]).unwrap();
    assert_eq!(carry_out(std::slice::from_ref(&star), 5), 15);
    // Three stars and a chain: the root sends ten messages for four chunks.
    let chain = Tree::new(0, vec![vec![1], vec![2], vec![3], vec![]]).unwrap();
    assert!((40..=43).contains(&carry_out(&[star.clone(), star.clone(), star, chain], 16)));
}

/// Tests more than two colours, and edges whose ends have no common free colour.
#[test]
fn any_trees_are_carried_out() {
    let nodes = 40;
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for count in 1..8 {
        let tree = |random: &mut dyn FnMut(usize) -> usize| {
            let mut children = vec![Vec::new(); nodes];
            (1..nodes).for_each(|rank| children[random(rank)].push(rank));
            Tree::new(0, children).unwrap()
        };
        let trees: Vec<Tree> = (0..count).map(|_| tree(&mut random)).collect();
        let sends = |rank| trees.iter().map(|tree| tree.children(rank).len()).sum::<usize>();
        let period = (0..nodes).map(sends).max().unwrap().max(count);
        assert_eq!(carry_out(&trees, 9 * count), carry_out(&trees, 7 * count) + 2 * period, "{count} trees");
    }
}

#[test]
fn a_tree_spans_all_nodes_from_its_root() {
    let tree =
        |root, children: &[&[Rank]]| Tree::new(root, children.iter().map(|list| list.to_vec()).collect());
    assert!(tree(0, &[&[]]).is_some());
    assert!(tree(2, &[&[], &[], &[1, 0]]).is_some());
    assert_eq!(tree(0, &[]), None, "no node");
    assert_eq!(tree(1, &[&[]]), None, "the root is outside");
    assert_eq!(tree(0, &[&[1]]), None, "a child is outside");
    assert_eq!(tree(0, &[&[], &[]]), None, "a node without parent");
    assert_eq!(tree(0, &[&[1, 1], &[]]), None, "twice a child");
    assert_eq!(tree(0, &[&[1], &[0]]), None, "the root has a parent");
}
