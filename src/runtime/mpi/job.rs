//! An MPI job as seen by this process, which is one of its ranks: the initialized library, the hosts of the ranks, and the connection.

use std::{cell::Cell, collections::BTreeSet, env, thread};

use ferrompi::{Communicator, Error, Mpi, ReduceOp, Request, Scope, ThreadLevel};

use super::{
    connection::{Connection, transport_error},
    idle::Idle,
};
use crate::{
    error::{CommError, RunError},
    rank::Rank,
};

/// The number of words of a set of cores.
const CORE_WORDS: usize = 64;

/// The environment variables in which launchers pass the number of ranks.
const LAUNCHED: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "MPI_LOCALNRANKS"];

/// An error when starting a job.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MpiError {
    /// The library failed, or MPI had already been initialized.
    #[error("MPI failed: {0}")]
    Library(String),
    /// The launcher and the library belong to different MPI implementations, so each process sees only itself.
    #[error(
        "the launcher started {launched} ranks, but {library}, which this program uses, sees only {found}: use the launcher of {library}"
    )]
    WrongLauncher {
        /// The number of ranks according to the launcher.
        launched: usize,
        /// The number of ranks according to the library.
        found: usize,
        /// The name and version of the library.
        library: String,
    },
}

/// Returns the error of a job for an error of the library. A function instead of `From`, so that the library's error type is no part of
/// this crate's interface.
pub(crate) fn library_error(error: Error) -> MpiError {
    MpiError::Library(error.to_string())
}

/// The job; see the [module](self).
pub(crate) struct Job {
    pub(super) connection: Connection,
    /// The communicator for collective calls that the program does not see.
    pub(super) control: Communicator,
    /// The communicator for MPI's own collective operations.
    pub(crate) native: Communicator,
    rank: Rank,
    size: usize,
    /// The host of each rank, numbered from 0 in the order of the hosts' first ranks.
    hosts: Vec<usize>,
    is_oversubscribed: bool,
    library: String,
    /// Whether a program is running.
    pub(super) is_running: Cell<bool>,
    /// A rank that has ended its job, after which no run is possible.
    left: Cell<Option<Rank>>,
    /// The library itself, which is finalized last.
    mpi: Mpi,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Job(rank {} of {}, {})", self.rank, self.size, self.library)
    }
}

impl Job {
    /// Starts MPI.
    pub(crate) fn start() -> Result<Job, MpiError> {
        let mpi = Mpi::init_thread(ThreadLevel::Funneled).map_err(library_error)?;
        let library = Mpi::library_version().map_err(library_error)?;
        // Open MPI's version ends with a zero byte; MPICH's contains a page of build information.
        let library = library.trim_end_matches('\0').lines().next().unwrap_or_default();
        let library = library.split(", package").next().unwrap_or_default().replace('\t', " ");
        let size = mpi.world().size() as usize;
        let launched = LAUNCHED.iter().filter_map(|name| env::var(name).ok()?.parse().ok()).max();
        if let Some(launched) = launched.filter(|&launched: &usize| size == 1 && launched > 1) {
            return Err(MpiError::WrongLauncher { launched, found: size, library });
        }
        Job::connect(mpi, library).map_err(library_error)
    }

    /// Sets up the communication of a job.
    fn connect(mpi: Mpi, library: String) -> Result<Job, Error> {
        let world = mpi.world();
        let (rank, size) = (world.rank() as Rank, world.size() as usize);
        let connection = Connection::new(world.duplicate()?)?;
        let (control, native) = (world.duplicate()?, world.duplicate()?);
        let (hosts, is_oversubscribed) = places(&control)?;
        let (is_running, left) = (Cell::new(false), Cell::new(None));
        Ok(Job {
            connection,
            control,
            native,
            rank,
            size,
            hosts,
            is_oversubscribed,
            library,
            is_running,
            left,
            mpi,
        })
    }

    /// The rank of this process.
    pub(crate) fn rank(&self) -> Rank {
        self.rank
    }

    /// The number of ranks.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The host of each rank, numbered from 0 in the order of the hosts' first ranks.
    pub(crate) fn hosts(&self) -> &[usize] {
        &self.hosts
    }

    /// The name and version of the library.
    pub(crate) fn library(&self) -> &str {
        &self.library
    }

    /// Whether ranks of this host share cores.
    pub(crate) fn is_oversubscribed(&self) -> bool {
        self.is_oversubscribed
    }

    /// The time of MPI's clock, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.mpi.wtime()
    }

    /// Returns the error of a run on this rank.
    pub(super) fn failed(&self, source: CommError) -> RunError {
        RunError::Node { rank: self.rank, source: source.into(), last_call: None }
    }

    /// Aborts all ranks immediately.
    pub(crate) fn abort(&self, status: i32) -> ! {
        self.control.abort(status)
    }

    /// Waits until all ranks begin a run.
    pub(super) fn begin(&self) -> Result<(), RunError> {
        self.agree(true).map_err(|error| self.failed(transport_error(error)))?;
        match self.left.get() {
            None => Ok(()),
            Some(rank) => {
                let source = "its job has ended, but a run needs all ranks".into();
                Err(RunError::Node { rank, source, last_call: None })
            }
        }
    }

    /// Waits until each rank begins a run or ends its job. The outcome is equal on all ranks.
    fn agree(&self, begins: bool) -> Result<(), Error> {
        if self.left.get().is_some() {
            return Ok(());
        }
        let (mine, mut first) = ([if begins { i64::MAX } else { self.rank as i64 }], [i64::MAX]);
        self.complete_collective(
            |scope| self.control.iallreduce(scope, &mine, &mut first, ReduceOp::Min),
            || (),
        )?;
        self.left.set((first[0] < i64::MAX).then_some(first[0] as Rank));
        Ok(())
    }

    /// Runs a collective call, and calls `meanwhile` until it is complete.
    pub(super) fn complete_collective<'env>(
        &self,
        call: impl for<'s> FnOnce(&'s Scope<'s, 'env>) -> Result<Request<'s>, Error>,
        mut meanwhile: impl FnMut(),
    ) -> Result<(), Error> {
        ferrompi::scope(|scope| {
            let mut request = call(scope)?;
            let mut idle = Idle::new(self.is_oversubscribed);
            while request.test()?.is_none() {
                meanwhile();
                idle.pause();
            }
            Ok(())
        })
    }
}

/// Returns the host of each rank, and whether any host has more ranks than usable cores.
fn places(control: &Communicator) -> Result<(Vec<usize>, bool), Error> {
    let host = control.split_shared()?;
    let mut first = [i64::from(control.rank())];
    host.broadcast(&mut first, 0)?;
    let mut firsts = vec![0_i64; control.size() as usize];
    control.allgather(&first, &mut firsts)?;
    let numbers: BTreeSet<i64> = firsts.iter().copied().collect();
    let number = |first| numbers.iter().position(|known| known == first).unwrap_or_default();
    let mut mine = [0_u64; CORE_WORDS];
    for core in core_affinity::get_core_ids().unwrap_or_default() {
        if let Some(word) = mine.get_mut(core.id / 64) {
            *word |= 1 << (core.id % 64);
        }
    }
    let mut cores = [0_u64; CORE_WORDS];
    host.allreduce(&mine, &mut cores, ReduceOp::BitwiseOr)?;
    let cores: u32 = cores.iter().map(|word| word.count_ones()).sum();
    let mut oversubscribed = [0_i32];
    control.allreduce(&[i32::from(host.size() > cores as i32)], &mut oversubscribed, ReduceOp::Max)?;
    Ok((firsts.iter().map(number).collect(), oversubscribed[0] > 0))
}

impl Drop for Job {
    fn drop(&mut self) {
        if thread::panicking() {
            // Otherwise the other ranks would wait for this rank forever.
            self.abort(101);
        }
        // If these calls fail, MPI has failed and reports the failure when it is finalized.
        let _ = self.agree(false);
        let _ = self.connection.close();
    }
}
