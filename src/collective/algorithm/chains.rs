//! *Chains*: a segmented pipeline along a chain of all ranks, or down several trees at once, one for each processor of a server.
//!
//! **What it does.** Broadcast, and as its dual reduce. A rank forwards each segment as soon as it has received the segment; unlike
//! *pipeline*, the schedule has no common clock. The variants differ in the trees from the root:
//!
//! - *chain*: all ranks, in boustrophedon order (the snake) of the layout; *chain around*: in node order, cyclically from the root;
//! - *arms*: one chain from the root to the last rank and one to the first. Partial results cover contiguous ranks, so the operator need
//!   not be commutative;
//! - *both ways*, for nodes with several ports: a cyclic chain in each direction, with half of the vector each; *both snakes*, on a
//!   rectangle: one chain along rows and one along columns;
//! - *rails*, for servers, or nodes at several switches: one tree for each processor of a server. In each server one rank receives the
//!   tree's part of the vector from the previous server, and sends it to the next server and to the other ranks of its own server. The
//!   trees use all network adapters at once, as the rings of NCCL do.
//!
//! **Restrictions.** At least two ranks and two elements.
//!
//! **Cost.** A chain: `(p - 1) (alpha + m beta) + (N - 1) max(o_s + o_r, m beta)` for a broadcast of `N` segments of `m` bytes; for a reduce
//! `m gamma` more with `alpha` and with `o_s + o_r`.
//!
//! **Source.** Folklore; for long vectors on meshes van de Geijn and Watts, 1995; rails: NVIDIA's NCCL.

use std::collections::BTreeMap;

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry, of,
};
use crate::{
    model::Parameters,
    pattern::{
        Transfer,
        pipeline::{Tree, chain},
    },
    plan::{Layout, Restriction},
    rank::Rank,
    time::Span,
    topology::{Grid, LinkId, Vertex},
};

impl Algorithm {
    /// A segmented pipeline along a chain of all ranks, or down one tree for each processor of a server.
    pub const CHAINS: Algorithm = of(&CHAINS);
}

static CHAINS: Entry =
    Entry::new("chains", |planning| Ok(variants_of_cheapest(planning.problem, candidates(planning.problem))))
        .aliases(&["chain"])
        .about("segments along a chain of all ranks, or over all network adapters of the servers")
        .source("folklore; NCCL")
        .cost("one chain, broadcast: `(p - 1) (alpha + m beta) + (N - 1) max(o_s + o_r, m beta)` for `N` segments of `m` bytes; reduce: `m gamma` more with `alpha` and with `o_s + o_r`")
        .kinds(|operation| matches!(operation, Operation::Broadcast | Operation::Reduce))
        .only_if(&[Restriction {
            text: "at least 2 ranks and at least 2 elements",
            is_met: |task, _| task.size() > 1 && task.bytes() >= 2 * task.element_bytes(),
            found: |_, _| String::new(),
        }]);

/// Maximum number of segments for each tree, as in `plan::pipeline`: more segments cost planning time.
const MAX_SEGMENTS: usize = 512;

/// Spanning trees with the same root. Each tree carries an equal part of the vector.
#[derive(Clone)]
struct TreeSet {
    name: &'static str,
    trees: Vec<Tree>,
}

/// The sets of trees for a task.
fn tree_sets(task: &Task) -> Vec<TreeSet> {
    let Layout { grid, ranks } = task.layout();
    let (size, root) = (task.size(), task.root());
    let place = ranks.iter().position(|&rank| rank == root).unwrap_or(0);
    let around: Vec<Rank> = (0..size).map(|step| ranks[(place + step) % size]).collect();
    let arms = [ranks[place..].to_vec(), ranks[..=place].iter().rev().copied().collect()];
    let one = |name, trees| TreeSet { name, trees };
    let mut tree_sets = vec![one("arms", vec![tree(size, &arms)])];
    if task.is_in_order() {
        return tree_sets;
    }
    let in_place = |path: Vec<Rank>| path.into_iter().map(|place| ranks[place]).collect::<Vec<Rank>>();
    let along_snake = in_place(path(&chain(grid, place)[0]));
    tree_sets.push(one("chain", vec![tree(size, std::slice::from_ref(&along_snake))]));
    if around != along_snake {
        tree_sets.push(one("chain around", vec![tree(size, std::slice::from_ref(&around))]));
    }
    if task.parameters().ports() > 1 {
        let back: Vec<Rank> = around[..1].iter().chain(around[1..].iter().rev()).copied().collect();
        tree_sets.push(one("both ways", [around, back].map(|path| tree(size, &[path])).into()));
        if grid.rows > 1 && grid.columns > 1 {
            let across = in_place(along_columns(grid, place));
            tree_sets.push(one("both snakes", [along_snake, across].map(|path| tree(size, &[path])).into()));
        }
    }
    tree_sets.extend(rails(task).map(|trees| one("rails", trees)));
    tree_sets
}

/// The tree that consists of paths from the same root.
fn tree(size: usize, paths: &[Vec<Rank>]) -> Tree {
    let mut children = vec![Vec::new(); size];
    for pair in paths.iter().flat_map(|path| path.windows(2)) {
        children[pair[0]].push(pair[1]);
    }
    Tree::new(paths[0][0], children).expect("paths have only their root in common")
}

/// The ranks of a tree that is a path, from the root.
fn path(tree: &Tree) -> Vec<Rank> {
    std::iter::successors(Some(tree.root()), |&rank| tree.children(rank).first().copied()).collect()
}

/// The path from a place of the grid in boustrophedon order along the columns.
fn along_columns(grid: Grid, place: Rank) -> Vec<Rank> {
    let turned = Grid { rows: grid.columns, columns: grid.rows };
    let (row, column) = grid.coordinates(place);
    let back = |place: Rank| {
        let (column, row) = turned.coordinates(place);
        grid.rank(row, column)
    };
    path(&chain(turned, turned.rank(column, row))[0]).into_iter().map(back).collect()
}

/// One tree for each rank of the largest server. `None` if there are no servers.
fn rails(task: &Task) -> Option<Vec<Tree>> {
    let servers = servers(task)?;
    let root = task.root();
    let own = servers.iter().position(|server| server.contains(&root))?;
    let other_servers: Vec<&Vec<Rank>> = servers[own + 1..].iter().chain(&servers[..own]).collect();
    let rail = |nth: usize| {
        let mut children = vec![Vec::new(); task.size()];
        let of = |server: &Vec<Rank>| server[nth % server.len()];
        // Each sender starts with its successor in the server, so that no two senders send to the same rank at the same time.
        let mut star = |from: Rank, server: &[Rank]| {
            let at = server.iter().position(|&rank| rank == from).unwrap_or(0);
            let rest = server[at + 1..].iter().chain(&server[..at]).copied();
            children[from].extend(rest.filter(|&rank| rank != root));
        };
        let first = of(&servers[own]);
        other_servers.iter().for_each(|server| star(of(server), server));
        if first == root {
            // The root's port is busy with the parts of all other trees, so the other ranks of its server form a chain.
            let rest = servers[own].iter().copied().filter(|&rank| rank != root);
            let path: Vec<Rank> = std::iter::once(root).chain(rest).collect();
            path.windows(2).for_each(|pair| children[pair[0]].push(pair[1]));
        } else {
            star(first, &servers[own]);
            children[root].push(first);
        }
        let heads: Vec<Rank> =
            std::iter::once(first).chain(other_servers.iter().map(|server| of(server))).collect();
        heads.windows(2).for_each(|pair| children[pair[0]].insert(0, pair[1]));
        Tree::new(root, children).expect("each rank hangs on one other")
    };
    let most = servers.iter().map(Vec::len).max()?;
    Some((0..most).map(rail).collect())
}

/// The ranks at each switch. `None` if a rank is at no switch, if all ranks are at the same switch, or if no switch has two ranks.
fn servers(task: &Task) -> Option<Vec<Vec<Rank>>> {
    let topology = task.machine().topology();
    let mut switches: BTreeMap<Rank, usize> = BTreeMap::new();
    for link in 0..topology.links() {
        let link = topology.link(link);
        if let (Vertex::Node(node), Vertex::Switch(switch)) = (link.from, link.to) {
            switches.entry(node).or_insert(switch);
        }
    }
    let mut servers: BTreeMap<usize, Vec<Rank>> = BTreeMap::new();
    for &rank in &task.layout().ranks {
        servers.entry(*switches.get(&task.members()[rank])?).or_default().push(rank);
    }
    (servers.len() > 1 && servers.len() < task.size()).then(|| servers.into_values().collect())
}

/// For each set of trees three candidates: the best number of segments, a power of two, by the closed form, its half, and its double.
fn candidates(task: &Task) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for tree_set in tree_sets(task) {
        let form = ClosedForm::of(task, &tree_set);
        let most = (task.bytes() / task.element_bytes()) as usize / tree_set.trees.len();
        let numbers = std::iter::successors(Some(1), |number| Some(2 * number));
        let numbers: Vec<usize> =
            numbers.take_while(|&number| number <= most.clamp(1, MAX_SEGMENTS)).collect();
        let best = (0..numbers.len()).min_by_key(|&nth| form.estimate(numbers[nth])).unwrap_or(0);
        let near = best.saturating_sub(1)..(best + 2).min(numbers.len());
        let is_single = tree_set.trees.len() == 1;
        candidates.extend(numbers[near].iter().map(|&segments| {
            let tree_set = tree_set.clone();
            let lower_bound = form.lower_bound(segments);
            Candidate {
                name: format!("{}, {segments} segments", tree_set.name),
                estimate: form.estimate(segments),
                messages: segments * tree_set.trees.len(),
                tunings: if is_single {
                    vec![Tuning::OVERLAPPED, Tuning::PLAIN]
                } else {
                    vec![Tuning::OVERLAPPED]
                },
                lower_bound: Some(Box::new(move |_, _| lower_bound)),
                make: Box::new(move |task, tuning| draft(task, &tree_set, segments, tuning)),
            }
        }));
    }
    candidates
}

/// The figures that determine the time of segments down trees.
struct ClosedForm<'a> {
    parameters: &'a Parameters,
    /// Bytes that each tree carries, and bytes of an element.
    part: f64,
    element: f64,
    /// Maxima over the paths from the root to a rank: edges, links, and the sum of the seconds per byte of the edges.
    edges: u64,
    links: u64,
    path_beta: f64,
    /// A round moves one segment in every tree. Number of messages per round that the root sends, maximum of this number over all ranks,
    /// and maximum of the seconds for which one byte of each of these messages occupies the out-ports of a rank. A message occupies its
    /// out-port exclusively, even if a slow link limits the message.
    of_root: f64,
    busiest: f64,
    out: f64,
    /// Messages per round that a rank receives: one in each tree.
    received: f64,
    /// Seconds per byte of each message of a round on the busiest link.
    link: f64,
    /// Whether segments go towards the root (reduce).
    is_back: bool,
    /// Seconds in which a processor combines one byte.
    combining: f64,
}

impl ClosedForm<'_> {
    fn of<'a>(task: &'a Task, tree_set: &TreeSet) -> ClosedForm<'a> {
        let (machine, parameters) = (task.machine(), task.parameters());
        let topology = machine.topology();
        let (mut edges, mut links, mut path_beta) = (0, 0, 0.0_f64);
        let (mut sent, mut out, mut route) = (vec![0_u32; task.size()], vec![0.0; task.size()], Vec::new());
        let mut loads: BTreeMap<LinkId, u32> = BTreeMap::new();
        let seconds = |link| 1.0 / machine.link_capacity(link);
        for tree in &tree_set.trees {
            let mut open = vec![(tree.root(), 0, 0, 0.0)];
            while let Some((from, depth, before, seconds_before)) = open.pop() {
                for &to in tree.children(from) {
                    sent[from] += 1;
                    route.clear();
                    let ends = if task.operation().combines() { [to, from] } else { [from, to] };
                    topology.route(task.members()[ends[0]], task.members()[ends[1]], &mut route);
                    route.iter().for_each(|&link| *loads.entry(link).or_default() += 1);
                    let byte = route.iter().map(|&link| seconds(link)).fold(parameters.beta(), f64::max);
                    out[ends[0]] += byte / f64::from(parameters.ports());
                    let next = (to, depth + 1, before + route.len() as u64, seconds_before + byte);
                    (edges, links, path_beta) = (edges.max(next.1), links.max(next.2), path_beta.max(next.3));
                    open.push(next);
                }
            }
        }
        let element = task.element_bytes();
        let is_combining = task.operation().combines();
        ClosedForm {
            parameters,
            part: task.bytes() as f64 / tree_set.trees.len() as f64,
            element: element as f64,
            edges,
            links,
            path_beta,
            of_root: f64::from(sent[task.root()]),
            busiest: f64::from(sent.iter().copied().max().unwrap_or(0)),
            out: out.into_iter().fold(0.0, f64::max),
            received: tree_set.trees.len() as f64,
            link: loads.iter().map(|(&link, &load)| f64::from(load) * seconds(link)).fold(0.0, f64::max),
            is_back: is_combining,
            combining: if is_combining {
                parameters.combining(1 << 20).as_secs_f64() / (element << 20) as f64
            } else {
                0.0
            },
        }
    }

    /// The time by the closed form, for a number of segments in each part: the time until the first segment reaches the last rank, and for
    /// each further segment the time of the busiest port, processor or link.
    fn estimate(&self, segments: usize) -> Span {
        let ClosedForm { parameters, busiest, received, .. } = *self;
        let bytes = self.part / segments as f64;
        let (send, receive) = parameters.overheads(bytes as u64);
        let processor = busiest * send.as_secs_f64() + received * receive.as_secs_f64();
        let ports = busiest.max(received).max((busiest + received) / parameters.duplex());
        let combining = busiest * bytes * self.combining;
        let ports = (ports * parameters.node_beta()).max(self.out);
        let round = (processor + combining).max(bytes * ports.max(self.link));
        let start_ups =
            parameters.start_up(bytes as u64).times(self.edges) + parameters.hop().times(self.links);
        let fill = start_ups.as_secs_f64() + bytes * (self.path_beta + self.edges as f64 * self.combining);
        Span::from_secs_f64((segments - 1) as f64 * round + fill)
    }

    /// A lower bound: the ports of the root carry all segments but the last one, and then the last segment goes down the deepest tree. The
    /// dual has the same bound in reverse: the first segment goes up the deepest tree, and then the root receives the others.
    fn lower_bound(&self, segments: usize) -> Span {
        let parameters = self.parameters;
        if !parameters.regimes().is_empty() {
            return Span::ZERO;
        }
        // Segments are cut at elements.
        let bytes = (self.part / segments as f64 - self.element).max(0.0);
        // In the dual the segments of shallower trees may reach the root before the first segment of the deepest tree. Only the later
        // segments of the deepest tree certainly follow it.
        let each = if self.is_back { 1.0 } else { self.of_root };
        let further_messages = (segments - 1) as f64 * each - f64::from(parameters.ports() - 1);
        let ports = further_messages.max(0.0) * bytes * parameters.node_beta();
        let fill = self.edges as f64 * (parameters.alpha().as_secs_f64() + bytes * parameters.beta());
        Span::from_secs_f64(ports + fill)
    }
}

fn draft(task: &Task, tree_set: &TreeSet, segments: usize, tuning: Tuning) -> Draft {
    let trees = tree_set.trees.len();
    let cut = cut(0, task.bytes(), task.element_bytes(), segments * trees);
    let (numbers, pieces): (Vec<usize>, Vec<Piece>) = cut.unzip();
    let mut blocks = vec![None; segments * trees];
    (0..).zip(&numbers).for_each(|(block, &number)| blocks[number] = Some(block));
    // The edges of all trees, by depth.
    let mut levels: Vec<Vec<(usize, Rank, Rank)>> = Vec::new();
    for (nth, tree) in tree_set.trees.iter().enumerate() {
        let mut level = vec![tree.root()];
        for depth in 0.. {
            let edges =
                level.iter().flat_map(|&from| tree.children(from).iter().map(move |&to| (nth, from, to)));
            let edges: Vec<_> = edges.collect();
            if edges.is_empty() {
                break;
            }
            level = edges.iter().map(|&(.., to)| to).collect();
            if levels.len() == depth {
                levels.push(Vec::new());
            }
            levels[depth].extend(edges);
        }
    }
    let origins = vec![task.root(); pieces.len()];
    let draft = Draft::moving(task, pieces, &origins, tuning.exchange, |builder| {
        for round in 0..segments + levels.len() - 1 {
            let under_way =
                levels.iter().enumerate().filter(|&(depth, _)| (depth..depth + segments).contains(&round));
            let transfers =
                under_way.flat_map(|(depth, edges)| edges.iter().map(move |edge| (round - depth, edge)));
            builder.iteration(transfers.filter_map(|(segment, &(tree, from, to))| {
                let block: u32 = blocks[segment * trees + tree]?;
                Some(Transfer { from, to, blocks: [block].into() })
            }));
        }
    });
    if task.operation() == Operation::Reduce { draft.combining() } else { draft }
}
