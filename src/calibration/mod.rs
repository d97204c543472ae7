//! Measurements of this host: the dilation that it can sustain in real time, and machine parameters of its
//! [threads](host); with MPI, of the ranks of a job.

pub(crate) mod dilation;
pub mod host;
#[cfg(feature = "mpi")]
pub mod mpi;
mod work;
