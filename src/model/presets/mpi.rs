//! Processes of one host that communicate through MPI, with measured parameters.

use std::sync::Arc;

use super::Preset;
#[cfg(feature = "mpi")]
use crate::{model::MachineSpec, topology::TopologyError};
use crate::{model::Parameters, topology::read_nodes};

/// The registry entry, spelled `mpi:16`.
pub(super) const PRESET: Preset = Preset {
    name: "mpi",
    shape: "NODES",
    topology: |shape| Ok(Arc::new(super::host::network(read_nodes(shape)?)?)),
    parameters: Parameters::mpi,
    sources: None,
};

/// Creates the machine of `ranks` ranks, for plans.
#[cfg(feature = "mpi")]
pub(crate) fn machine(ranks: usize) -> Result<MachineSpec, TopologyError> {
    let network = super::host::network(ranks)?;
    Ok(MachineSpec::new(format!("mpi:{ranks}"), Arc::new(network), Parameters::mpi()))
}

impl Parameters {
    /// Processes of one host that communicate through MPI: two ranks of Open MPI 4.1.4, each on its own core of a virtual
    /// machine, measured by `multicomputer mpi calibrate`, which writes the same parameters for the current ranks. `mpi:16` is
    /// this machine as a model. Over MPI, libraries plan for this machine by default.
    ///
    /// | parameter | value | how sure |
    /// | --- | --- | --- |
    /// | `o_s`, `o_r` | 0.3 us each | measured |
    /// | `L` | 0.9 us | measured |
    /// | `beta` | 0.107 ns/B | measured; both ranks at once move 11.5 GB/s together, which is not modeled |
    /// | `gamma` | 0.2 ns per element of 8 bytes | measured |
    /// | `copy` | 0.022 ns/B | measured |
    pub fn mpi() -> Parameters {
        Parameters::builder()
            .send_overhead(0.3e-6)
            .receive_overhead(0.3e-6)
            .latency(0.9e-6)
            .beta(0.107e-9)
            .gamma(0.2e-9)
            .copy(0.022e-9)
            .finish()
    }
}
