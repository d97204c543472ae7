//! Graphs of which every process knows its own neighbors.

use std::rc::Rc;

use super::{Topology, checked_rank, create, not_negative, wrong_topology};
use crate::{
    abi,
    collective::all_gather_bytes,
    communicator::Communicator,
    error::{Class, Error, Result},
    function::functions,
    info::Info,
    process::Process,
    word::{Address, Array, Handle, Out, Stored},
};

/// Neighbors, and the weights of the edges to them; no weights if the graph has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbors {
    /// Their ranks.
    pub ranks: Vec<i32>,
    /// The weights.
    pub weights: Vec<i32>,
}

/// The neighbors of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distributed {
    /// Those with an edge to this process.
    pub sources: Neighbors,
    /// Those with an edge from this process.
    pub destinations: Neighbors,
    /// Whether edges have weights.
    pub is_weighted: bool,
}

/// An edge that some process has given: its source, its destination and its weight.
pub(super) type Edge = [i32; 3];

impl Distributed {
    /// The neighbors of a rank in the graph of these edges.
    pub(super) fn of(edges: &[Edge], rank: i32, is_weighted: bool) -> Distributed {
        let mut graph =
            Distributed { sources: Neighbors::default(), destinations: Neighbors::default(), is_weighted };
        let add = |neighbors: &mut Neighbors, rank, weight| {
            neighbors.ranks.push(rank);
            if is_weighted {
                neighbors.weights.push(weight);
            }
        };
        for &[source, destination, weight] in edges {
            if destination == rank {
                add(&mut graph.sources, source, weight);
            }
            if source == rank {
                add(&mut graph.destinations, destination, weight);
            }
        }
        graph
    }
}

functions! {
    MPI_Dist_graph_create: dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph);
    MPI_Dist_graph_create_adjacent: dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph);
    MPI_Dist_graph_neighbors_count: dist_graph_neighbors_count(comm, indegree, outdegree, weighted);
    MPI_Dist_graph_neighbors: dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights);
}

/// Whether an address is that of an array of weights, and not `MPI_UNWEIGHTED` or `MPI_WEIGHTS_EMPTY`.
fn is_array(weights: Array<i32>) -> bool {
    ![0, abi::UNWEIGHTED, abi::WEIGHTS_EMPTY].contains(&weights.address.0)
}

fn is_weighted(weights: Array<i32>) -> bool {
    weights.address != Address(abi::UNWEIGHTED)
}

/// Reads weights of `count` edges; none if the graph has none.
fn read_weights(
    process: &Process<'_>,
    argument: &'static str,
    weights: Array<i32>,
    count: usize,
) -> Result<Vec<i32>> {
    if !is_weighted(weights) || count == 0 {
        return Ok(Vec::new());
    }
    if !is_array(weights) {
        let text = format!("{count} weights are needed, and no array is given");
        return Err(Error::argument(Class::ARG, argument, text));
    }
    let weights = weights.read(process, count)?;
    match weights.iter().find(|&&weight| weight < 0) {
        Some(weight) => {
            Err(Error::argument(Class::ARG, argument, format!("the weight {weight} is negative")))
        }
        None => Ok(weights),
    }
}

/// Reads ranks of the communicator.
fn read_ranks(
    process: &Process<'_>,
    comm: &Communicator<'_>,
    argument: &'static str,
    ranks: Array<i32>,
    count: usize,
) -> Result<Vec<i32>> {
    let ranks = ranks.read(process, count).map_err(|error| error.of(argument))?;
    ranks.iter().try_for_each(|&rank| checked_rank(argument, rank, comm).map(|_| ()))?;
    Ok(ranks)
}

/// The graph of a communicator.
fn graph<'a>(comm: &'a Communicator<'_>) -> Result<&'a Distributed> {
    match comm.topology.get().map(|topology| &**topology) {
        Some(Topology::Distributed(graph)) => Ok(graph),
        _ => Err(wrong_topology("distributed graph topology")),
    }
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn dist_graph_create_adjacent<'n>(
    process: &Process<'n>,
    comm_old: Rc<Communicator<'n>>,
    indegree: i32,
    sources: Array<i32>,
    sourceweights: Array<i32>,
    outdegree: i32,
    destinations: Array<i32>,
    destweights: Array<i32>,
    _: Info,
    _: i32,
    comm_dist_graph: Out<Handle>,
) -> Result<()> {
    let indegree = not_negative(Class::ARG, "indegree", indegree)?;
    let outdegree = not_negative(Class::ARG, "outdegree", outdegree)?;
    let graph = Distributed {
        sources: Neighbors {
            ranks: read_ranks(process, &comm_old, "sources", sources, indegree)?,
            weights: read_weights(process, "sourceweights", sourceweights, indegree)?,
        },
        destinations: Neighbors {
            ranks: read_ranks(process, &comm_old, "destinations", destinations, outdegree)?,
            weights: read_weights(process, "destweights", destweights, outdegree)?,
        },
        is_weighted: is_weighted(sourceweights) && is_weighted(destweights),
    };
    enter(process, &comm_old, graph, comm_dist_graph)
}

fn enter<'n>(
    process: &Process<'n>,
    comm_old: &Communicator<'n>,
    graph: Distributed,
    handle: Out<Handle>,
) -> Result<()> {
    let members: Vec<usize> = (0..comm_old.size() as usize).collect();
    create(process, comm_old, &members, Topology::Distributed(graph), handle)
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn dist_graph_create<'n>(
    process: &Process<'n>,
    comm_old: Rc<Communicator<'n>>,
    n: i32,
    sources: Array<i32>,
    degrees: Array<i32>,
    destinations: Array<i32>,
    weights: Array<i32>,
    _: Info,
    _: i32,
    comm_dist_graph: Out<Handle>,
) -> Result<()> {
    let n = not_negative(Class::ARG, "n", n)?;
    let sources = read_ranks(process, &comm_old, "sources", sources, n)?;
    let degrees = degrees.read(process, n).map_err(|error| error.of("degrees"))?;
    let degrees: Result<Vec<usize>> =
        degrees.into_iter().map(|degree| not_negative(Class::ARG, "degrees", degree)).collect();
    let degrees = degrees?;
    let count = degrees.iter().sum();
    let destinations = read_ranks(process, &comm_old, "destinations", destinations, count)?;
    let is_weighted = is_weighted(weights);
    let weights = read_weights(process, "weights", weights, count)?;
    let mut own = Vec::with_capacity(count * 3 * i32::SIZE);
    let of_edges =
        sources.iter().zip(&degrees).flat_map(|(&source, &degree)| std::iter::repeat_n(source, degree));
    for (at, source) in of_edges.enumerate() {
        let edge: Edge = [source, destinations[at], weights.get(at).copied().unwrap_or(1)];
        edge.iter().for_each(|number| number.store(&mut own));
    }
    let edges = all_gather_bytes(process, &comm_old, own)?.concat();
    let numbers: Vec<i32> = edges.chunks_exact(i32::SIZE).map(i32::load).collect();
    let edges: Vec<Edge> = numbers.chunks_exact(3).map(|edge| [edge[0], edge[1], edge[2]]).collect();
    enter(process, &comm_old, Distributed::of(&edges, comm_old.rank(), is_weighted), comm_dist_graph)
}

fn dist_graph_neighbors_count<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    indegree: Out<i32>,
    outdegree: Out<i32>,
    weighted: Out<i32>,
) -> Result<()> {
    let graph = graph(&comm)?;
    indegree.set(process, graph.sources.ranks.len() as i32);
    outdegree.set(process, graph.destinations.ranks.len() as i32);
    weighted.set_flag(process, graph.is_weighted);
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn dist_graph_neighbors<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    maxindegree: i32,
    sources: Array<i32>,
    sourceweights: Array<i32>,
    maxoutdegree: i32,
    destinations: Array<i32>,
    destweights: Array<i32>,
) -> Result<()> {
    let graph = graph(&comm)?;
    let in_room = not_negative(Class::ARG, "maxindegree", maxindegree)?;
    let out_room = not_negative(Class::ARG, "maxoutdegree", maxoutdegree)?;
    for (neighbors, room, ranks, weights) in [
        (&graph.sources, in_room, sources, sourceweights),
        (&graph.destinations, out_room, destinations, destweights),
    ] {
        ranks.write(process, &neighbors.ranks[..room.min(neighbors.ranks.len())]);
        if is_array(weights) {
            weights.write(process, &neighbors.weights[..room.min(neighbors.weights.len())]);
        }
    }
    Ok(())
}
