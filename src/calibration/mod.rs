//! Measurements of this host: the dilation that it can sustain in real time, and machine parameters of its
//! [threads](host); with MPI, of the ranks of a job.

pub(crate) mod dilation;
pub mod host;
#[cfg(feature = "mpi")]
pub mod mpi;
mod work;

/// Returns the median of at least one value: of an even number of values, the mean of the middle two.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}
