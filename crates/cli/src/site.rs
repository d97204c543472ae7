//! Site of a command that compares algorithms: machines of this process, or MPI ranks.
//!
//! The commands are the same at both sites. A site defines the machines for which plans are made, the place of the
//! runs, and whether MPI's own operation is compared too.

use std::rc::Rc;

use multicomputer::model::MachineSpec;

#[cfg(feature = "mpi")]
use super::ranks::Ranks;
use super::{
    clock,
    compare::{Place, Runs},
    error::Error,
    options::{MachinesOptions, RunOptions},
};

/// Site of a command.
#[derive(Clone, Debug)]
pub(super) enum Site {
    /// Machines of this process.
    Machines,
    /// MPI ranks.
    #[cfg(feature = "mpi")]
    Ranks(Rc<Ranks>),
}

impl Site {
    pub(super) fn is_over_mpi(&self) -> bool {
        !matches!(self, Site::Machines)
    }

    /// Returns the machines for which plans are made, at least one.
    pub(super) fn specs(&self, options: &MachinesOptions) -> Result<Vec<MachineSpec>, Error> {
        match self {
            Site::Machines => options.specs(),
            #[cfg(feature = "mpi")]
            Site::Ranks(ranks) => Ok(vec![ranks.machine().clone()]),
        }
    }

    /// Returns the place of the runs.
    pub(super) fn place(&self, options: &RunOptions, machine: &MachineSpec) -> Result<Place, Error> {
        match self {
            Site::Machines => Ok(Place::Machine(Rc::new(options.build(machine, options.clock())?))),
            #[cfg(feature = "mpi")]
            Site::Ranks(ranks) => Ok(Place::Ranks(ranks.clone())),
        }
    }

    /// Returns the kind of time, for names: the name of the clock, or `MPI`.
    pub(super) fn time(&self, options: &RunOptions) -> &'static str {
        match self {
            Site::Machines => clock::name(options.clock()),
            #[cfg(feature = "mpi")]
            Site::Ranks(_) => "MPI",
        }
    }

    /// Returns the default choice of the plans that are run.
    pub(super) fn runs(&self, on_machines: Runs) -> Runs {
        if self.is_over_mpi() { Runs::All } else { on_machines }
    }
}
