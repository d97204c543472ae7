//! The node that a program runs on.

use std::{cell::OnceCell, fmt, sync::Arc};

use super::{
    Group, Private,
    group::{COLUMNS, ROWS},
};
use crate::{
    endpoint::{Endpoint, Mark},
    error::CommError,
    model::MachineSpec,
    rank::Rank,
    time::{Span, Time},
    topology::Grid,
};

/// The node that a program runs on, passed to the program. It is bound to its thread.
///
/// ```compile_fail
/// # use multicomputer::{Machine, prelude::*};
/// let machine = Machine::hockney(1, 2).build().unwrap();
/// machine.run(|node| {
///     std::thread::scope(|scope| {
///         scope.spawn(|| node.rank()); // a node's calls are its own thread's
///     });
///     Ok(())
/// });
/// ```
pub struct Node<'n> {
    endpoint: &'n dyn Endpoint,
    world: Group<'n>,
    row: OnceCell<Group<'n>>,
    column: OnceCell<Group<'n>>,
    nx: OnceCell<Group<'n>>,
}

impl<'n> Node<'n> {
    pub(crate) fn new(endpoint: &'n dyn Endpoint) -> Node<'n> {
        let world = Group::world(endpoint);
        Node { endpoint, world, row: OnceCell::new(), column: OnceCell::new(), nx: OnceCell::new() }
    }

    /// The endpoint.
    pub(crate) fn endpoint(&self) -> &'n dyn Endpoint {
        self.endpoint
    }

    /// The number of this node, from 0.
    pub fn rank(&self) -> Rank {
        self.world.rank()
    }

    /// The number of nodes of the machine.
    pub fn size(&self) -> usize {
        self.world.size()
    }

    /// The machine: its shape and its parameters.
    pub fn machine(&self) -> &MachineSpec {
        self.endpoint.shared().machine()
    }

    /// The group of all nodes.
    #[doc(alias = "MPI_COMM_WORLD")]
    pub fn world(&self) -> &Group<'n> {
        &self.world
    }

    /// The group of the nodes in this node's row, numbered by column.
    ///
    /// # Errors
    /// [`CommError::NoGrid`] if the machine has no rows.
    #[track_caller]
    pub fn row(&self) -> Result<&Group<'n>, CommError> {
        self.world.note_call();
        let grid = self.grid()?;
        Ok(self.row.get_or_init(|| {
            let (row, _) = grid.coordinates(self.rank());
            self.world.strided(format!("row {row}"), ROWS, grid.rank(row, 0), 1, grid.columns)
        }))
    }

    /// The group of the nodes in this node's column, numbered by row.
    ///
    /// # Errors
    /// [`CommError::NoGrid`] if the machine has no columns.
    #[track_caller]
    pub fn column(&self) -> Result<&Group<'n>, CommError> {
        self.world.note_call();
        let grid = self.grid()?;
        Ok(self.column.get_or_init(|| {
            let (_, column) = grid.coordinates(self.rank());
            self.world.strided(format!("column {column}"), COLUMNS, column, grid.columns, grid.rows)
        }))
    }

    /// Returns the group of all nodes in the private context of the NX library. NX receives any message of this context, so only the first
    /// call returns a group.
    pub(crate) fn nx(&self) -> Option<&Group<'n>> {
        let group = self.world.with_context(Private::Nx, || "NX".into());
        self.nx.set(group).ok().and_then(|()| self.nx.get())
    }

    fn grid(&self) -> Result<Grid, CommError> {
        self.machine().topology().grid().ok_or_else(|| CommError::NoGrid(self.machine().name().into()))
    }

    /// The time on the node's clock since the common start of all programs: modeled time, or wall-clock time under the [host's
    /// clock](crate::Clock::Host).
    /// In virtual time the thread waits for the kernel to compute the time, which takes microseconds on the host. The query does not
    /// advance a modeled clock. In real time, a program that queries the time twice without another call in between waits for the wall
    /// clock and gets the current wall-clock time.
    ///
    /// # Errors
    /// [`CommError::Livelock`] if a program in virtual time has only queried the time, or polled without success, for too long;
    /// [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over.
    #[doc(alias = "MPI_Wtime")]
    #[track_caller]
    pub fn now(&self) -> Result<Time, CommError> {
        self.world.called().now()
    }

    /// Keeps the node's CPU busy for some time: a [`Span`], such as `Span::from_secs_f64(1e-3)` or [`Span::from_flops`], or a `Duration` of
    /// the standard library. In virtual time the program's real computation costs nothing. In [real time](crate::Clock::RealTime) the real computation counts, and this time is added. Under the
    /// [host's clock](crate::Clock::Host) a core really is busy for this time.
    ///
    /// # Errors
    /// [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over.
    #[track_caller]
    pub fn compute(&self, time: impl Into<Span>) -> Result<(), CommError> {
        self.world.called().compute(time.into())
    }

    /// Begins a named phase, which lasts until the returned value is dropped; phases may be nested. The report and the trace show its
    /// times.
    ///
    /// # Errors
    /// [`CommError::Deadlock`] or [`CommError::Ended`] once the run is over.
    pub fn phase(&self, name: &str) -> Result<Phase<'_>, CommError> {
        let name: Arc<str> = Arc::from(name);
        self.endpoint.mark(Mark::PhaseBegin(name.clone()))?;
        Ok(Phase { endpoint: self.endpoint, name })
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({} of {})", self.rank(), self.size())
    }
}

/// A [phase](Node::phase) of a node program, which ends when this value is dropped.
#[derive(Debug)]
#[must_use = "the phase ends when this is dropped"]
pub struct Phase<'n> {
    endpoint: &'n dyn Endpoint,
    name: Arc<str>,
}

impl Drop for Phase<'_> {
    fn drop(&mut self) {
        // An error means that the run has ended: the mark is no longer needed.
        let _ = self.endpoint.mark(Mark::PhaseEnd(self.name.clone()));
    }
}
