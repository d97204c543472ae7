//! The queue of jobs: bounds the number of running jobs and the number of waiting jobs.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of jobs that wait.
const MAX_WAITING: usize = 64;

/// The queue of a server.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    running: Arc<Semaphore>,
    present: Arc<Semaphore>,
}

/// The place of a job that runs.
#[derive(Debug)]
pub(super) struct Place {
    _running: OwnedSemaphorePermit,
    _present: OwnedSemaphorePermit,
}

impl Queue {
    /// Creates a queue of which this many jobs run at once.
    pub(super) fn new(jobs: usize) -> Queue {
        let semaphore = |permits: usize| Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)));
        Queue { running: semaphore(jobs), present: semaphore(jobs.saturating_add(MAX_WAITING)) }
    }

    /// Waits until a job may run, in the order of the calls; `None` if too many wait already. A caller that gives up leaves the queue.
    pub(super) async fn place(&self) -> Option<Place> {
        let present = Arc::clone(&self.present).try_acquire_owned().ok()?;
        let running = Arc::clone(&self.running).acquire_owned().await.ok()?;
        Some(Place { _running: running, _present: present })
    }
}
