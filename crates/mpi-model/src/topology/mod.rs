//! Virtual topologies of communicators: grids and graphs.
//!
//! Ranks are not reordered: rank `r` of the new communicator is rank `r` of the old one.

pub(crate) mod cartesian;
pub(crate) mod distributed;
pub(crate) mod graph;
#[cfg(test)]
mod tests;

use std::rc::Rc;

pub use self::{
    cartesian::Cartesian,
    distributed::{Distributed, Neighbors},
    graph::Graph,
};
use crate::{
    abi,
    communicator::{self, Communicator, sub_communicator},
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Handle, Out},
};

/// The topology of a communicator.
#[derive(Clone, Debug)]
pub enum Topology {
    /// A grid: `MPI_Cart_create`.
    Cartesian(Cartesian),
    /// A graph that every process knows: `MPI_Graph_create`.
    Graph(Graph),
    /// A graph of which every process knows its neighbors: `MPI_Dist_graph_create`.
    Distributed(Distributed),
}

impl Topology {
    /// The result of `MPI_Topo_test`.
    pub fn kind(&self) -> i32 {
        match self {
            Topology::Cartesian(_) => abi::CART,
            Topology::Graph(_) => abi::GRAPH,
            Topology::Distributed(_) => abi::DIST_GRAPH,
        }
    }

    /// Whether this is a grid.
    pub fn is_cartesian(&self) -> bool {
        matches!(self, Topology::Cartesian(_))
    }

    /// The ranks that the process with `rank` receives from and the ranks that it sends to in neighborhood collective operations, in the order
    /// of the blocks of their buffers. Beyond the edge of a grid the neighbor is `MPI_PROC_NULL`. `rank` is that of this process.
    pub fn neighbors(&self, rank: usize) -> (Vec<i32>, Vec<i32>) {
        match self {
            Topology::Cartesian(grid) => {
                let neighbors = grid.neighbors(rank);
                (neighbors.clone(), neighbors)
            }
            Topology::Graph(graph) => {
                let neighbors = graph.neighbors(rank).to_vec();
                (neighbors.clone(), neighbors)
            }
            Topology::Distributed(graph) => (graph.sources.ranks.clone(), graph.destinations.ranks.clone()),
        }
    }
}

functions! {
    MPI_Topo_test: topo_test(comm, status);
}

fn topo_test<'n>(process: &Process<'n>, comm: Rc<Communicator<'n>>, status: Out<i32>) -> Result<()> {
    status.set(process, comm.topology.get().map_or(abi::UNDEFINED, |topology| topology.kind()));
    Ok(())
}

/// Makes the communicator of some members of `parent` with a topology; its handle is `MPI_COMM_NULL` on other processes.
fn create<'n>(
    process: &Process<'n>,
    parent: &Communicator<'n>,
    members: &[usize],
    topology: Topology,
    handle: Out<Handle>,
) -> Result<()> {
    check_intra(parent)?;
    let Some(made) = sub_communicator(process, parent, members, String::new())? else {
        handle.set(process, abi::COMM_NULL);
        return Ok(());
    };
    // The communicator is new and has no topology.
    let _ = made.topology.set(Rc::new(topology));
    handle.set(process, communicator::enter(process, made));
    Ok(())
}

/// Checks that a communicator has one group, as topologies need it.
fn check_intra(comm: &Communicator<'_>) -> Result<()> {
    if comm.remote.is_some() {
        return Err(Error::argument(Class::COMM, "comm_old", "an intercommunicator was given"));
    }
    Ok(())
}

/// A number that the program gives, which is not negative.
fn not_negative(class: Class, argument: &'static str, number: i32) -> Result<usize> {
    usize::try_from(number).map_err(|_| Error::argument(class, argument, format!("{number} is negative")))
}

/// Checks a rank of a communicator.
fn checked_rank(argument: &'static str, rank: i32, comm: &Communicator<'_>) -> Result<usize> {
    let found = usize::try_from(rank).ok().filter(|_| rank < comm.size());
    found.ok_or_else(|| {
        let text = format!("{rank} is not a rank: the communicator has {}", comm.size());
        Error::argument(Class::RANK, argument, text)
    })
}

/// Checks the room in an array of the program.
fn check_room(argument: &'static str, given: i32, needed: usize) -> Result<()> {
    if i64::from(given) < needed as i64 {
        let text = format!("the array has room for {given}, and {needed} are returned");
        return Err(Error::argument(Class::ARG, argument, text));
    }
    Ok(())
}

/// The error of a communicator with another topology than the call needs, or none.
fn wrong_topology(needed: &str) -> Error {
    Error::argument(Class::TOPOLOGY, "comm", format!("the communicator has no {needed}"))
}
