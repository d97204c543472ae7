//! Errors that end a command, and their exit statuses.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use multicomputer::{
    calibration::host::MeasureError,
    error::{ConfigError, Failure, RunError},
    goal::PredictError,
};
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
use multicomputer_mpi_abi::{LoadError, ProgramError};
use multicomputer_published::JobError;
use thiserror::Error;

use super::{count::counted, files::OutputError};

pub(super) const SUCCESS: u8 = 0;
pub(super) const FAILED: u8 = 1;
pub(super) const USAGE: u8 = 2;

/// An error that ends a command.
#[derive(Debug, Error)]
pub(super) enum Error {
    /// The arguments are invalid, individually or in combination.
    #[error("{0}\n\nFor more information, try '--help'.")]
    Usage(Failure),
    /// A run ended without a result.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The time of a program in GOAL could not be predicted.
    #[error(transparent)]
    Predict(#[from] PredictError),
    /// The host could not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A published value could not be run in real time.
    #[error("{0}")]
    Rerun(Failure),
    /// A published result could not be computed.
    #[error(transparent)]
    Job(#[from] JobError),
    /// Some items could not be computed; each has printed its reason. The other items were computed.
    #[error("{} failed: {}", counted(ids.len(), "item"), ids.join(", "))]
    Failed { ids: Vec<&'static str> },
    /// A run delivered wrong data, or its time differs from the prediction.
    #[error("{0}")]
    Wrong(String),
    /// An output file that could be opened before the runs cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A table is incomplete; its finished rows are in the partial file.
    #[error("{cause}\n\n{} is unchanged; finished rows are in {}", path.display(), partial.display())]
    Unfinished { cause: Box<Error>, path: PathBuf, partial: PathBuf },
    /// The program is built without MPI.
    #[cfg(not(feature = "mpi"))]
    #[error(
        "this program is built without MPI: rebuild it with `cargo build --release --features mpi`, which \
         needs a C compiler and an MPI library"
    )]
    NoMpi,
    /// MPI could not be started.
    #[cfg(feature = "mpi")]
    #[error(transparent)]
    Mpi(#[from] multicomputer::mpi::MpiError),
    /// Another rank has reported the error.
    #[cfg(feature = "mpi")]
    #[error("another rank has reported the error")]
    Reported { status: u8 },
    /// An MPI program failed, or could not be loaded.
    #[cfg(all(
        target_os = "linux",
        target_env = "gnu",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    #[error("{}", .0.failure().map_or_else(|| .0.to_string(), ToString::to_string))]
    Program(ProgramError),
    /// An MPI program has ended with this status, which says all.
    #[cfg(all(
        target_os = "linux",
        target_env = "gnu",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    #[error("exit status {status}")]
    Exit { status: u8 },
    /// A result could not be written to standard output.
    #[error("standard output cannot be written: {0}")]
    Stdout(#[from] io::Error),
}

impl Error {
    /// Creates a usage error (exit status 2).
    pub(super) fn usage(cause: impl Into<Failure>) -> Error {
        Error::Usage(cause.into())
    }

    /// Returns the text for the user; `None` if another rank has reported the error, or if the reader of a pipe, such
    /// as standard output, has closed it, as `head` does.
    pub(super) fn message(&self) -> Option<String> {
        #[cfg(feature = "mpi")]
        if let Error::Reported { .. } = self {
            return None;
        }
        #[cfg(all(
            target_os = "linux",
            target_env = "gnu",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ))]
        if let Error::Exit { .. } = self {
            return None;
        }
        (!self.is_closed_pipe()).then(|| format!("error: {self}"))
    }

    /// Prints the message to standard error, if there is one.
    pub(super) fn say(&self) {
        if let Some(message) = self.message() {
            // If standard error is closed, the message is lost.
            let _ = writeln!(io::stderr(), "{message}");
        }
    }

    pub(super) fn status(&self) -> u8 {
        match self {
            Error::Usage(_) => USAGE,
            #[cfg(all(
                target_os = "linux",
                target_env = "gnu",
                any(target_arch = "x86_64", target_arch = "aarch64")
            ))]
            Error::Program(ProgramError::Load(_) | ProgramError::Ranks { .. }) => USAGE,
            #[cfg(all(
                target_os = "linux",
                target_env = "gnu",
                any(target_arch = "x86_64", target_arch = "aarch64")
            ))]
            Error::Program(error) => error.status() as u8,
            #[cfg(all(
                target_os = "linux",
                target_env = "gnu",
                any(target_arch = "x86_64", target_arch = "aarch64")
            ))]
            &Error::Exit { status } => status,
            #[cfg(feature = "mpi")]
            &Error::Reported { status } => status,
            Error::Unfinished { cause, .. } => cause.status(),
            _ if self.is_closed_pipe() => SUCCESS,
            _ => FAILED,
        }
    }

    /// Returns whether a run has ended with this error, so that all ranks know it.
    #[cfg(feature = "mpi")]
    pub(super) fn is_of_run(&self) -> bool {
        match self {
            Error::Run(_) | Error::Measure(MeasureError::Run(_)) => true,
            Error::Unfinished { cause, .. } => cause.is_of_run(),
            _ => false,
        }
    }

    /// Returns the text with which this rank fails a run on purpose, so that the other ranks end too: the message without the hint at
    /// `--help`.
    #[cfg(feature = "mpi")]
    pub(super) fn plain(&self) -> String {
        match self {
            Error::Usage(cause) => cause.to_string(),
            error => error.to_string(),
        }
    }

    fn is_closed_pipe(&self) -> bool {
        match self {
            // An output file may be a pipe too, as in `--csv /dev/stdout`.
            Error::Stdout(cause) | Error::Output(OutputError::Unwritable { cause, .. }) => {
                cause.kind() == io::ErrorKind::BrokenPipe
            }
            _ => false,
        }
    }
}

/// A machine that fails to build is a usage error (exit status 2).
impl From<ConfigError> for Error {
    fn from(cause: ConfigError) -> Error {
        Error::usage(cause)
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
impl From<ProgramError> for Error {
    fn from(cause: ProgramError) -> Error {
        Error::Program(cause)
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
impl From<LoadError> for Error {
    fn from(cause: LoadError) -> Error {
        Error::Program(cause.into())
    }
}
