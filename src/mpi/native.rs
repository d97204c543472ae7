//! MPI's own collective operations, for comparison with the library calls of this crate.

use ferrompi::{Communicator, Error, ReduceOp};

use super::MpiError;
use crate::runtime::mpi::library_error;

/// MPI's own collective operations among all ranks: the reference for the operations of the
/// [libraries](crate::collective). Data is bytes, or 64-bit floating-point numbers that are summed.
///
/// Every rank makes the same call. Lengths are in elements; `counts` has one for each rank.
///
/// # Errors
/// Every call fails with [`MpiError::Library`] if MPI fails, for example because lengths do not match.
#[derive(Clone, Copy)]
pub struct Native<'j> {
    comm: &'j Communicator,
}

impl std::fmt::Debug for Native<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Native({} ranks)", self.comm.size())
    }
}

/// Returns the counts of the ranks and their displacements, in MPI's types.
fn layout(counts: &[usize]) -> (Vec<i32>, Vec<i32>) {
    let counts: Vec<i32> = counts.iter().map(|&count| count as i32).collect();
    let begin = counts.iter().scan(0, |next, count| {
        let at = *next;
        *next += count;
        Some(at)
    });
    let begins = begin.collect();
    (counts, begins)
}

impl<'j> Native<'j> {
    pub(super) fn new(comm: &'j Communicator) -> Native<'j> {
        Native { comm }
    }

    /// `MPI_Barrier`.
    pub fn barrier(&self) -> Result<(), MpiError> {
        self.call(|comm| comm.barrier())
    }

    /// `MPI_Bcast` of `data` from `root`.
    pub fn broadcast(&self, data: &mut [u8], root: usize) -> Result<(), MpiError> {
        self.call(|comm| comm.broadcast(data, root as i32))
    }

    /// `MPI_Scatterv` of `all`, the blocks of all ranks in rank order, from `root`.
    pub fn scatter(
        &self,
        all: &[u8],
        counts: &[usize],
        mine: &mut [u8],
        root: usize,
    ) -> Result<(), MpiError> {
        let (counts, begins) = layout(counts);
        self.call(|comm| comm.scatterv(all, &counts, &begins, mine, root as i32))
    }

    /// `MPI_Gatherv` of the blocks of all ranks to `root`.
    pub fn gather(&self, mine: &[u8], all: &mut [u8], counts: &[usize], root: usize) -> Result<(), MpiError> {
        let (counts, begins) = layout(counts);
        self.call(|comm| comm.gatherv(mine, all, &counts, &begins, root as i32))
    }

    /// `MPI_Allgatherv` of the blocks of all ranks.
    pub fn all_gather(&self, mine: &[u8], all: &mut [u8], counts: &[usize]) -> Result<(), MpiError> {
        let (counts, begins) = layout(counts);
        self.call(|comm| comm.allgatherv(mine, all, &counts, &begins))
    }

    /// `MPI_Reduce` to `root`, with sums.
    pub fn reduce(&self, mine: &[f64], sums: &mut [f64], root: usize) -> Result<(), MpiError> {
        self.call(|comm| comm.reduce(mine, sums, ReduceOp::Sum, root as i32))
    }

    /// `MPI_Allreduce`, with sums.
    pub fn all_reduce(&self, mine: &[f64], sums: &mut [f64]) -> Result<(), MpiError> {
        self.call(|comm| comm.allreduce(mine, sums, ReduceOp::Sum))
    }

    /// `MPI_Reduce_scatter_block`, with sums: every rank receives the same number of elements.
    pub fn reduce_scatter(&self, mine: &[f64], sums: &mut [f64]) -> Result<(), MpiError> {
        self.call(|comm| comm.reduce_scatter_block(mine, sums, ReduceOp::Sum))
    }

    /// `MPI_Scan`, with sums.
    pub fn scan(&self, mine: &[f64], sums: &mut [f64]) -> Result<(), MpiError> {
        self.call(|comm| comm.scan(mine, sums, ReduceOp::Sum))
    }

    /// `MPI_Alltoallv`: `to` has the blocks for all ranks in rank order, `from` receives the blocks of all ranks.
    pub fn all_to_allv(
        &self,
        to: &[u8],
        to_counts: &[usize],
        from: &mut [u8],
        from_counts: &[usize],
    ) -> Result<(), MpiError> {
        let ((to_counts, to_begins), (from_counts, from_begins)) = (layout(to_counts), layout(from_counts));
        self.call(|comm| comm.alltoallv(to, &to_counts, &to_begins, from, &from_counts, &from_begins))
    }

    fn call(&self, call: impl FnOnce(&Communicator) -> Result<(), Error>) -> Result<(), MpiError> {
        call(self.comm).map_err(library_error)
    }
}
