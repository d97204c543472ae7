//! Measurements of this host: the dilation that it keeps in real time, and the parameters of its own
//! [threads](host) as a machine; with MPI those of the ranks of a job.

pub(crate) mod dilation;
pub mod host;
#[cfg(feature = "mpi")]
pub mod mpi;
mod work;
