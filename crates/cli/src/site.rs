//! Site of a command that compares algorithms: machines of this process, or MPI ranks.
//!
//! The commands are the same at both sites. A site defines the machines for which plans are made, the place of the
//! runs, and whether MPI's native operation is compared too.

use std::rc::Rc;

use multicomputer::model::MachineSpec;

#[cfg(feature = "mpi")]
use super::ranks::Ranks;
use super::{
    clock,
    compare::{Implementation, Place, Runs},
    error::Error,
    options::{MachineOptions, MachinesOptions, RunOptions},
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

    /// Returns the machine for which plans are made.
    pub(super) fn spec(&self, options: &MachineOptions) -> Result<MachineSpec, Error> {
        match self {
            Site::Machines => options.spec(),
            #[cfg(feature = "mpi")]
            Site::Ranks(ranks) => Ok(ranks.machine().clone()),
        }
    }

    /// Returns the machines for which plans are made, for a command that compares machines.
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

    /// Returns the lines of a case: over MPI, its native operation first, because the rows of the algorithms contain
    /// ratios to its time; then the algorithms of the libraries.
    pub(super) fn lines<A>(&self, ours: impl IntoIterator<Item = Vec<A>>) -> Vec<Vec<Implementation<A>>> {
        let native = self.native().map(|native| vec![native]);
        let ours = ours.into_iter().map(|line| line.into_iter().map(Implementation::Ours).collect());
        native.into_iter().chain(ours).collect()
    }

    /// Returns MPI's native operation; `None` on machines of this process.
    fn native<A>(&self) -> Option<Implementation<A>> {
        match self {
            Site::Machines => None,
            #[cfg(feature = "mpi")]
            Site::Ranks(_) => Some(Implementation::Mpi(())),
        }
    }
}
