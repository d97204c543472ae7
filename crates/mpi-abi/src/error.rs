//! Errors of programs.

use std::{io, path::PathBuf};

use multicomputer::{error::RunError, explore::ExploreError};
use thiserror::Error;

use crate::{elf::ElfError, library::LibraryError};

/// A file that cannot be loaded as an MPI program.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file is not a program of this kind of host.
    #[error("{} is not a program: {source}", path.display())]
    Elf {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: ElfError,
    },
    /// The file is a program, but was not linked by a wrapper.
    #[error(
        "{} was not linked by `multicomputer cc`, `c++` or `fortran`{}: compile and link it with one of these", path.display(),
        if *.is_mpi { ", but for another MPI library" } else { "" }
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Whether it is linked to another MPI library.
        is_mpi: bool,
    },
    /// A library of the program was not found.
    #[error("{} needs the library {name}, which was not found: set LD_LIBRARY_PATH, or link with -Wl,-rpath", path.display())]
    Missing {
        /// The program.
        path: PathBuf,
        /// The name of the library.
        name: String,
    },
    /// The dynamic linker refuses a copy of the program.
    #[error("cannot load {}: {message}", path.display())]
    Refused {
        /// The program.
        path: PathBuf,
        /// The message of the dynamic linker.
        message: String,
    },
    /// The program was linked by another version of `multicomputer`.
    #[error("{} was linked by another version of multicomputer: link it again", path.display())]
    Version {
        /// The program.
        path: PathBuf,
    },
    /// A copy cannot be written.
    #[error("cannot write a copy of the program for each rank to {}: {source}; set TMPDIR to a folder with more space", path.display())]
    Copy {
        /// The copy.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The library of MPI cannot be installed or loaded.
    #[error(transparent)]
    Library(#[from] LibraryError),
}

/// The error of a run of a program.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The program cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The number of ranks is not possible on the machine.
    #[error("{given} ranks were given, and the machine has {nodes} node{}: give no more than that", if *nodes == 1 { "" } else { "s" })]
    Ranks {
        /// The number of ranks.
        given: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// The run ended without a result. [`ProgramFailure`] is the failure of a rank.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The orders of arrival cannot be explored.
    #[error(transparent)]
    Explore(Box<ExploreError>),
}

impl From<ExploreError> for ProgramError {
    fn from(error: ExploreError) -> ProgramError {
        ProgramError::Explore(Box::new(error))
    }
}

impl ProgramError {
    /// The failure of the program, if one of its ranks has failed.
    pub fn failure(&self) -> Option<&ProgramFailure> {
        match self {
            ProgramError::Run(RunError::Node { source, .. }) => source.downcast_ref(),
            _ => None,
        }
    }

    /// The exit status, as of `mpirun`: that of the first rank that failed, and 1 for other errors.
    pub fn status(&self) -> i32 {
        self.failure().map_or(1, ProgramFailure::status)
    }
}

/// The failure of a program on one rank, which ends the run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgramFailure {
    /// The program has ended with another status than 0 before it called `MPI_Finalize`.
    #[error("rank {rank} ended with status {status}{}", if *.is_finalized { "" } else { " before it called MPI_Finalize" })]
    Status {
        /// The rank.
        rank: usize,
        /// The status.
        status: i32,
        /// Whether it had called `MPI_Finalize`.
        is_finalized: bool,
    },
    /// The program has called `MPI_Abort`.
    #[error("rank {rank} called MPI_Abort with code {code}{place}")]
    Abort {
        /// The rank.
        rank: usize,
        /// The code.
        code: i32,
        /// Where it was called, as ` at FILE:LINE`.
        place: String,
    },
    /// The program has called `abort`, or an assertion failed.
    #[error("rank {rank} called abort{last_call}")]
    Aborted {
        /// The rank.
        rank: usize,
        /// The last call of MPI or NX.
        last_call: String,
    },
    /// An error of MPI that the program does not handle.
    #[error("rank {rank}, {text}{place}")]
    Mpi {
        /// The rank.
        rank: usize,
        /// The function and the error.
        text: String,
        /// Where it was called, as ` at FILE:LINE`.
        place: String,
    },
    /// The run is over for another reason, which the error of the run states.
    #[error("rank {rank} was stopped, since the run is over{last_call}")]
    Stopped {
        /// The rank.
        rank: usize,
        /// The last call of MPI or NX.
        last_call: String,
    },
}

impl ProgramFailure {
    /// The exit status of the run.
    pub fn status(&self) -> i32 {
        match self {
            ProgramFailure::Status { status, .. } => *status,
            // As mpirun's, a code that is no exit status is one modulo 256; 0 would say success.
            ProgramFailure::Abort { code, .. } if code & 0xff == 0 => 1,
            ProgramFailure::Abort { code, .. } => code & 0xff,
            ProgramFailure::Aborted { .. } => 134,
            ProgramFailure::Mpi { .. } | ProgramFailure::Stopped { .. } => 1,
        }
    }
}
