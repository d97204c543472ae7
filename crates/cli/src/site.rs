//! Where a command that compares algorithms is carried out: on machines of this process, or by the ranks of MPI.
//!
//! The commands are the same in both cases. A site says which machines plans are made for, what runs them, and which
//! algorithms there are beside those of the libraries.

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

/// Where a command is carried out.
#[derive(Clone, Debug)]
pub(super) enum Site {
    /// Machines of this process.
    Machines,
    /// The ranks of MPI.
    #[cfg(feature = "mpi")]
    Ranks(Rc<Ranks>),
}

impl Site {
    pub(super) fn is_over_mpi(&self) -> bool {
        !matches!(self, Site::Machines)
    }

    /// The machine that plans are made for.
    pub(super) fn spec(&self, options: &MachineOptions) -> Result<MachineSpec, Error> {
        match self {
            Site::Machines => options.spec(),
            #[cfg(feature = "mpi")]
            Site::Ranks(ranks) => Ok(ranks.machine().clone()),
        }
    }

    /// The same for a command that compares machines.
    pub(super) fn specs(&self, options: &MachinesOptions) -> Result<Vec<MachineSpec>, Error> {
        match self {
            Site::Machines => options.specs(),
            #[cfg(feature = "mpi")]
            Site::Ranks(ranks) => Ok(vec![ranks.machine().clone()]),
        }
    }

    /// The place for runs.
    pub(super) fn place(&self, options: &RunOptions, machine: &MachineSpec) -> Result<Place, Error> {
        match self {
            Site::Machines => Ok(Place::Machine(Rc::new(options.build(machine, options.clock())?))),
            #[cfg(feature = "mpi")]
            Site::Ranks(ranks) => Ok(Place::Ranks(ranks.clone())),
        }
    }

    /// The kind of the time of runs, for names: that of a clock, or MPI.
    pub(super) fn time(&self, options: &RunOptions) -> &'static str {
        match self {
            Site::Machines => clock::name(options.clock()),
            #[cfg(feature = "mpi")]
            Site::Ranks(_) => "MPI",
        }
    }

    /// The plans that are run unless it is said.
    pub(super) fn runs(&self, on_machines: Runs) -> Runs {
        if self.is_over_mpi() { Runs::All } else { on_machines }
    }

    /// The lines of a case: those with algorithms of the libraries, and over MPI one for its own operation before them, with
    /// which they are compared as they come.
    pub(super) fn lines<A>(&self, ours: impl IntoIterator<Item = Vec<A>>) -> Vec<Vec<Implementation<A>>> {
        let own = self.own().map(|own| vec![own]);
        let ours = ours.into_iter().map(|line| line.into_iter().map(Implementation::Ours).collect());
        own.into_iter().chain(ours).collect()
    }

    /// MPI's own operation, if there is one.
    fn own<A>(&self) -> Option<Implementation<A>> {
        match self {
            Site::Machines => None,
            #[cfg(feature = "mpi")]
            Site::Ranks(_) => Some(Implementation::Mpi(())),
        }
    }
}
