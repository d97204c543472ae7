//! Processes of one host that send through MPI, as they have been measured.

use std::sync::Arc;

use super::Preset;
use crate::{
    model::{Description, Parameters},
    topology::{TopologyError, read_nodes},
};

/// The registry entry, spelled `mpi:16`.
pub(super) const PRESET: Preset = Preset {
    name: "mpi",
    shape: "RANKS",
    topology: |shape| Ok(Arc::new(super::host::network(read_nodes(shape)?)?)),
    parameters: Parameters::mpi,
    sources: None,
};

/// The machine of so many ranks, for plans.
#[cfg(feature = "mpi")]
pub(crate) fn machine(ranks: usize) -> Result<Description, TopologyError> {
    let network = super::host::network(ranks)?;
    Ok(Description::new(format!("mpi:{ranks}"), Arc::new(network), Parameters::mpi()))
}

impl Parameters {
    /// Processes of one host that send through MPI: two ranks of Open MPI 4.1.4, each with a core of its own, on a virtual
    /// machine, measured by `multicomputer mpi calibrate`, which writes the same for the ranks at hand. `mpi:16` is this
    /// machine as a model; over MPI libraries plan for it unless they are given another.
    ///
    /// | parameter | value | how sure |
    /// | --- | --- | --- |
    /// | `o_s` | 0.2 us | measured |
    /// | `o_r` | 0.2 us | measured |
    /// | `L` | 0.4 us | measured |
    /// | `beta` | 0.1 ns/B | measured |
    /// | `gamma` | 1 ns an element of 8 bytes | measured |
    /// | `copy` | 0.1 ns/B | measured |
    pub fn mpi() -> Parameters {
        Parameters::builder()
            .send_overhead(0.2e-6)
            .receive_overhead(0.2e-6)
            .latency(0.4e-6)
            .beta(0.1e-9)
            .gamma(1e-9)
            .copy(0.1e-9)
            .finish()
    }
}
