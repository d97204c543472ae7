//! Place where the programs of a case run.

use std::rc::Rc;

use multicomputer::Machine;

#[cfg(feature = "mpi")]
use super::super::ranks::Ranks;

/// A place for runs.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A machine of this process.
    Machine(Rc<Machine>),
    /// MPI ranks; this process is one of them.
    #[cfg(feature = "mpi")]
    Ranks(Rc<Ranks>),
}

impl Place {
    pub(super) fn nodes(&self) -> usize {
        match self {
            Place::Machine(machine) => machine.spec().nodes(),
            #[cfg(feature = "mpi")]
            Place::Ranks(ranks) => ranks.size(),
        }
    }

    pub(super) fn is_over_mpi(&self) -> bool {
        !matches!(self, Place::Machine(_))
    }

    /// Returns whether this process prints.
    pub(super) fn is_shown(&self) -> bool {
        match self {
            Place::Machine(_) => true,
            #[cfg(feature = "mpi")]
            Place::Ranks(ranks) => ranks.is_first(),
        }
    }
}
