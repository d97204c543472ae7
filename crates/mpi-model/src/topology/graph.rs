//! Graphs that every process knows.

use std::rc::Rc;

use super::{Topology, check_room, checked_rank, create, not_negative, wrong_topology};
use crate::{
    abi,
    communicator::Communicator,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Array, Handle, Out},
};

/// A graph of processes. Edges are directed, and a pair of processes may have several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// For each rank, the number of edges of it and of all ranks before it.
    pub index: Vec<i32>,
    /// The neighbors of rank 0, then those of rank 1, and so on.
    pub edges: Vec<i32>,
}

impl Graph {
    /// The neighbors of a rank.
    pub fn neighbors(&self, rank: usize) -> &[i32] {
        let end = |rank: usize| self.index[rank] as usize;
        let begin = rank.checked_sub(1).map_or(0, end);
        &self.edges[begin..end(rank)]
    }
}

functions! {
    MPI_Graph_create: graph_create(comm_old, nnodes, index, edges, reorder, comm_graph);
    MPI_Graph_map: graph_map(comm, nnodes, index, edges, newrank);
    MPI_Graphdims_get: graphdims_get(comm, nnodes, nedges);
    MPI_Graph_get: graph_get(comm, maxindex, maxedges, index, edges);
    MPI_Graph_neighbors_count: graph_neighbors_count(comm, rank, nneighbors);
    MPI_Graph_neighbors: graph_neighbors(comm, rank, maxneighbors, neighbors);
}

/// Reads a graph that the program gives, which has to fit the communicator.
fn given(
    process: &Process<'_>,
    comm: &Communicator<'_>,
    nnodes: i32,
    index: Array<i32>,
    edges: Array<i32>,
) -> Result<Graph> {
    let nodes = not_negative(Class::ARG, "nnodes", nnodes)?;
    if nnodes > comm.size() {
        let text = format!("a graph of {nnodes} does not fit {} processes", comm.size());
        return Err(Error::argument(Class::ARG, "nnodes", text));
    }
    let index = index.read(process, nodes).map_err(|error| error.of("index"))?;
    if index.first().is_some_and(|&first| first < 0) || index.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(Error::argument(Class::ARG, "index", "the numbers of edges decrease or are negative"));
    }
    let count = index.last().copied().unwrap_or(0) as usize;
    let edges = edges.read(process, count).map_err(|error| error.of("edges"))?;
    if let Some(edge) = edges.iter().find(|edge| !(0..nnodes).contains(edge)) {
        let text = format!("{edge} is not a rank of the graph, which has {nnodes}");
        return Err(Error::argument(Class::ARG, "edges", text));
    }
    Ok(Graph { index, edges })
}

/// The graph of a communicator.
fn graph<'a>(comm: &'a Communicator<'_>) -> Result<&'a Graph> {
    match comm.topology.get().map(|topology| &**topology) {
        Some(Topology::Graph(graph)) => Ok(graph),
        _ => Err(wrong_topology("graph topology")),
    }
}

fn graph_create<'n>(
    process: &Process<'n>,
    comm_old: Rc<Communicator<'n>>,
    nnodes: i32,
    index: Array<i32>,
    edges: Array<i32>,
    _: i32,
    comm_graph: Out<Handle>,
) -> Result<()> {
    let graph = given(process, &comm_old, nnodes, index, edges)?;
    let members: Vec<usize> = (0..graph.index.len()).collect();
    create(process, &comm_old, &members, Topology::Graph(graph), comm_graph)
}

fn graph_map<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    nnodes: i32,
    index: Array<i32>,
    edges: Array<i32>,
    newrank: Out<i32>,
) -> Result<()> {
    given(process, &comm, nnodes, index, edges)?;
    newrank.set(process, if comm.rank() < nnodes { comm.rank() } else { abi::UNDEFINED });
    Ok(())
}

fn graphdims_get<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    nnodes: Out<i32>,
    nedges: Out<i32>,
) -> Result<()> {
    let graph = graph(&comm)?;
    nnodes.set(process, graph.index.len() as i32);
    nedges.set(process, graph.edges.len() as i32);
    Ok(())
}

fn graph_get<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    maxindex: i32,
    maxedges: i32,
    index: Array<i32>,
    edges: Array<i32>,
) -> Result<()> {
    let graph = graph(&comm)?;
    check_room("maxindex", maxindex, graph.index.len())?;
    check_room("maxedges", maxedges, graph.edges.len())?;
    index.write(process, &graph.index);
    edges.write(process, &graph.edges);
    Ok(())
}

fn graph_neighbors_count<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    rank: i32,
    nneighbors: Out<i32>,
) -> Result<()> {
    let graph = graph(&comm)?;
    let rank = checked_rank("rank", rank, &comm)?;
    nneighbors.set(process, graph.neighbors(rank).len() as i32);
    Ok(())
}

fn graph_neighbors<'n>(
    process: &Process<'n>,
    comm: Rc<Communicator<'n>>,
    rank: i32,
    maxneighbors: i32,
    neighbors: Array<i32>,
) -> Result<()> {
    let graph = graph(&comm)?;
    let found = graph.neighbors(checked_rank("rank", rank, &comm)?);
    check_room("maxneighbors", maxneighbors, found.len())?;
    neighbors.write(process, found);
    Ok(())
}
