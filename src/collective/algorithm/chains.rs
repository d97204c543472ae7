//! *Chains*: the vector in segments along chains of all ranks, or down a tree for each processor of a server.
//!
//! **What it does.** Broadcast, and backwards combine-to-one. A rank sends a segment on as soon as it is there; no rank goes by the clock.
//! The ways of the segments are, from the root:
//!
//! - one *chain*, along the snake of the layout or in the order of the nodes, beginning anew after the last one;
//! - two *arms*, one towards the last rank and one towards the first; this one combines in rank order;
//! - between nodes with several ports *both ways* around in the order of the nodes, half of the vector each; on a rectangle *both snakes*,
//!   along rows and along columns;
//! - in a machine of servers, or of nodes at several switches, *rails*: in each server one rank gets a part of the vector from the server
//!   before, hands it on to the next server, and to all others of its own. So all adapters are in use, as in NCCL.
//!
//! **Restrictions.** Two ranks, two elements.
//!
//! **Cost.** A chain: `(p - 1) (alpha + m beta) + (N - 1) m beta` for `N` segments of `m` bytes.
//!
//! **Source.** Folklore; for long vectors on meshes van de Geijn and Watts, 1995; rails: NVIDIA's NCCL.

use std::collections::BTreeMap;

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, offered},
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
    /// In segments along chains of all ranks, or down a tree for each processor of a server.
    pub const CHAINS: Algorithm = of(&CHAINS);
}

static CHAINS: Entry =
    Entry::new("chains", |planning| Ok(offered(planning.problem, candidates(planning.problem))))
        .about("in segments along chains, or over all adapters of servers")
        .source("folklore; NCCL")
        .kinds(|operation| matches!(operation, Operation::Broadcast | Operation::CombineToOne))
        .only_if(&[Restriction {
            text: "there must be two ranks and two elements",
            is_met: |task, _| task.size() > 1 && task.bytes() >= 2 * task.element_bytes(),
            found: |_, _| String::new(),
        }]);

/// The most segments of a part of the vector.
const MOST: usize = 512;

/// Trees from one root, down each of which an equal part of the vector goes.
#[derive(Clone)]
struct Ways {
    name: &'static str,
    trees: Vec<Tree>,
}

/// The ways for a task.
fn ways(task: &Task) -> Vec<Ways> {
    let Layout { grid, ranks } = task.layout();
    let (size, root) = (task.size(), task.root());
    let place = ranks.iter().position(|&rank| rank == root).unwrap_or(0);
    let around: Vec<Rank> = (0..size).map(|step| ranks[(place + step) % size]).collect();
    let arms = [ranks[place..].to_vec(), ranks[..=place].iter().rev().copied().collect()];
    let one = |name, trees| Ways { name, trees };
    let mut ways = vec![one("arms", vec![tree(size, &arms)])];
    if task.is_in_order() {
        return ways;
    }
    let in_place = |path: Vec<Rank>| path.into_iter().map(|place| ranks[place]).collect::<Vec<Rank>>();
    let along_snake = in_place(path(&chain(grid, place)[0]));
    ways.push(one("chain", vec![tree(size, std::slice::from_ref(&along_snake))]));
    if around != along_snake {
        ways.push(one("chain around", vec![tree(size, std::slice::from_ref(&around))]));
    }
    if task.parameters().ports() > 1 {
        let back: Vec<Rank> = around[..1].iter().chain(around[1..].iter().rev()).copied().collect();
        ways.push(one("both ways", [around, back].map(|path| tree(size, &[path])).into()));
        if grid.rows > 1 && grid.columns > 1 {
            let across = in_place(along_columns(grid, place));
            ways.push(one("both snakes", [along_snake, across].map(|path| tree(size, &[path])).into()));
        }
    }
    ways.extend(rails(task).map(|trees| one("rails", trees)));
    ways
}

/// The tree of paths that begin at one root.
fn tree(size: usize, paths: &[Vec<Rank>]) -> Tree {
    let mut children = vec![Vec::new(); size];
    for pair in paths.iter().flat_map(|path| path.windows(2)) {
        children[pair[0]].push(pair[1]);
    }
    Tree::new(paths[0][0], children).expect("paths have only their root in common")
}

/// The nodes of a tree that is a path.
fn path(tree: &Tree) -> Vec<Rank> {
    std::iter::successors(Some(tree.root()), |&rank| tree.children(rank).first().copied()).collect()
}

/// The chain from a place along columns.
fn along_columns(grid: Grid, place: Rank) -> Vec<Rank> {
    let turned = Grid { rows: grid.columns, columns: grid.rows };
    let (row, column) = grid.coordinates(place);
    let back = |place: Rank| {
        let (column, row) = turned.coordinates(place);
        grid.rank(row, column)
    };
    path(&chain(turned, turned.rank(column, row))[0]).into_iter().map(back).collect()
}

/// A tree for each rank of the largest server, if there are several servers.
fn rails(task: &Task) -> Option<Vec<Tree>> {
    let servers = servers(task)?;
    let root = task.root();
    let own = servers.iter().position(|server| server.contains(&root))?;
    let others: Vec<&Vec<Rank>> = servers[own + 1..].iter().chain(&servers[..own]).collect();
    let rail = |nth: usize| {
        let mut children = vec![Vec::new(); task.size()];
        let of = |server: &Vec<Rank>| server[nth % server.len()];
        // Each begins with the rank behind it, so that no two send to one at the same time.
        let mut star = |from: Rank, server: &[Rank]| {
            let at = server.iter().position(|&rank| rank == from).unwrap_or(0);
            let rest = server[at + 1..].iter().chain(&server[..at]).copied();
            children[from].extend(rest.filter(|&rank| rank != root));
        };
        let first = of(&servers[own]);
        others.iter().for_each(|server| star(of(server), server));
        if first == root {
            // The root has all other parts to send, so others hand this one on.
            let rest = servers[own].iter().copied().filter(|&rank| rank != root);
            let path: Vec<Rank> = std::iter::once(root).chain(rest).collect();
            path.windows(2).for_each(|pair| children[pair[0]].push(pair[1]));
        } else {
            star(first, &servers[own]);
            children[root].push(first);
        }
        let heads: Vec<Rank> = std::iter::once(first).chain(others.iter().map(|server| of(server))).collect();
        heads.windows(2).for_each(|pair| children[pair[0]].insert(0, pair[1]));
        Tree::new(root, children).expect("each rank hangs on one other")
    };
    let most = servers.iter().map(Vec::len).max()?;
    Some((0..most).map(rail).collect())
}

/// The ranks at each switch, if there are several switches and all ranks are at one, and some switch has several.
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

/// Each of the ways with the number of segments that is best by the closed form, half as many, and twice as many.
fn candidates(task: &Task) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for ways in ways(task) {
        let form = ClosedForm::of(task, &ways);
        let most = (task.bytes() / task.element_bytes()) as usize / ways.trees.len();
        let numbers = std::iter::successors(Some(1), |number| Some(2 * number));
        let numbers: Vec<usize> = numbers.take_while(|&number| number <= most.clamp(1, MOST)).collect();
        let best = (0..numbers.len()).min_by_key(|&nth| form.estimate(numbers[nth])).unwrap_or(0);
        let near = best.saturating_sub(1)..(best + 2).min(numbers.len());
        let is_single = ways.trees.len() == 1;
        candidates.extend(numbers[near].iter().map(|&segments| {
            let ways = ways.clone();
            let least = form.least(segments);
            Candidate {
                name: format!("{}, {segments} segments", ways.name),
                estimate: form.estimate(segments),
                messages: segments * ways.trees.len(),
                tunings: if is_single {
                    vec![Tuning::OVERLAPPED, Tuning::PLAIN]
                } else {
                    vec![Tuning::OVERLAPPED]
                },
                least: Some(Box::new(move |_, _| least)),
                make: Box::new(move |task, tuning| draft(task, &ways, segments, tuning)),
            }
        }));
    }
    candidates
}

/// What the time of segments down trees follows from.
struct ClosedForm<'a> {
    parameters: &'a Parameters,
    /// The bytes of the part for one tree, and of an element.
    part: f64,
    element: f64,
    /// The most edges from the root to a rank, links on the way, and seconds that a byte takes one edge after the other.
    edges: u64,
    links: u64,
    way: f64,
    /// The parts of the vector that the root sends, the most parts that a rank sends, and the most seconds that a byte of each takes its
    /// out-ports, which a message has for itself.
    of_root: f64,
    busiest: f64,
    out: f64,
    /// The parts that a rank receives.
    received: f64,
    /// The seconds for a byte of each part on the busiest link.
    link: f64,
    /// Whether segments go to the root.
    is_back: bool,
    /// The seconds of a processor for combining a byte.
    combining: f64,
}

impl ClosedForm<'_> {
    fn of<'a>(task: &'a Task, ways: &Ways) -> ClosedForm<'a> {
        let (machine, parameters) = (task.machine(), task.parameters());
        let topology = machine.topology();
        let (mut edges, mut links, mut way) = (0, 0, 0.0_f64);
        let (mut sent, mut out, mut route) = (vec![0_u32; task.size()], vec![0.0; task.size()], Vec::new());
        let mut loads: BTreeMap<LinkId, u32> = BTreeMap::new();
        let seconds = |link| 1.0 / topology.capacity(link).unwrap_or(parameters.link_capacity());
        for tree in &ways.trees {
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
                    (edges, links, way) = (edges.max(next.1), links.max(next.2), way.max(next.3));
                    open.push(next);
                }
            }
        }
        let element = task.element_bytes();
        let is_combining = task.operation().combines();
        ClosedForm {
            parameters,
            part: task.bytes() as f64 / ways.trees.len() as f64,
            element: element as f64,
            edges,
            links,
            way,
            of_root: f64::from(sent[task.root()]),
            busiest: f64::from(sent.iter().copied().max().unwrap_or(0)),
            out: out.into_iter().fold(0.0, f64::max),
            received: ways.trees.len() as f64,
            link: loads.iter().map(|(&link, &load)| f64::from(load) * seconds(link)).fold(0.0, f64::max),
            is_back: is_combining,
            combining: if is_combining {
                parameters.combining(1 << 20).as_secs_f64() / (element << 20) as f64
            } else {
                0.0
            },
        }
    }

    /// The time of so many segments in each part: those of all parts follow each other as fast as the busiest port, processor and link
    /// let them, after the first ones have come to the last rank.
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
        let fill = start_ups.as_secs_f64() + bytes * (self.way + self.edges as f64 * self.combining);
        Span::from_secs_f64((segments - 1) as f64 * round + fill)
    }

    /// A time that it takes at least: the last segment that the root sends, or the first one that gets there, and all others through the
    /// ports of the root.
    fn least(&self, segments: usize) -> Span {
        let parameters = self.parameters;
        if !parameters.regimes().is_empty() {
            return Span::ZERO;
        }
        // Segments are cut at elements.
        let bytes = (self.part / segments as f64 - self.element).max(0.0);
        // On the way back those of a shorter tree may have come before.
        let each = if self.is_back { 1.0 } else { self.of_root };
        let others = (segments - 1) as f64 * each - f64::from(parameters.ports() - 1);
        let ports = others.max(0.0) * bytes * parameters.node_beta();
        let fill = self.edges as f64 * (parameters.alpha().as_secs_f64() + bytes * parameters.beta());
        Span::from_secs_f64(ports + fill)
    }
}

fn draft(task: &Task, ways: &Ways, segments: usize, tuning: Tuning) -> Draft {
    let trees = ways.trees.len();
    let cut = cut(0, task.bytes(), task.element_bytes(), segments * trees);
    let (numbers, pieces): (Vec<usize>, Vec<Piece>) = cut.unzip();
    let mut blocks = vec![None; segments * trees];
    (0..).zip(&numbers).for_each(|(block, &number)| blocks[number] = Some(block));
    // The edges by the round of the first segment.
    let mut levels: Vec<Vec<(usize, Rank, Rank)>> = Vec::new();
    for (nth, tree) in ways.trees.iter().enumerate() {
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
    if task.operation() == Operation::CombineToOne { draft.combining() } else { draft }
}
