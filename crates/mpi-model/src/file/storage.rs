//! The time of reading and writing: one storage that all processes share.
//!
//! The storage is a server that serves one request after the other, in the order in which they arrive in modeled time. A request takes the
//! latency and its bytes divided by the bandwidth. It arrives when the processor of its process is done with the call, as a remote memory access
//! of the process to itself does: the network to the storage is not modeled.

use multicomputer::{
    Payload, Span, Tag, Time,
    comm::{
        Message,
        transport::{RequestId, To},
    },
};

use super::{File, shared::locked};
use crate::{
    error::Result,
    process::Process,
    request::{Steps, Work},
    status::Status,
};

/// A storage that serves the requests of all processes, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Storage {
    /// The time of a request without data.
    pub latency: Span,
    /// Bytes per second; positive.
    pub bandwidth: f64,
}

impl Storage {
    /// The time of a request.
    fn time(self, bytes: u64) -> Span {
        self.latency + Span::from_secs_f64(bytes as f64 / self.bandwidth)
    }
}

impl<'n> File<'n> {
    /// Sends the request of an access to the storage; none where storage takes no time.
    fn ask(&self, process: &Process<'n>, bytes: u64) -> Result<Option<RequestId>> {
        let Some(storage) = process.settings.storage else { return Ok(None) };
        let files = process.settings.files.clone();
        let to = To { rank: process.node.rank(), context: self.comm.library_context(), tag: Tag(0) };
        let asked = process.transport().remote_until(to, 0, Some(0), move |at: Time| {
            let mut idle_from = locked(&files.idle_from);
            *idle_from = (*idle_from).max(at) + storage.time(bytes);
            (Payload::empty(), *idle_from)
        })?;
        Ok(Some(asked))
    }

    /// Waits until the storage has served an access.
    pub(super) fn wait_for_storage(&self, process: &Process<'n>, bytes: u64) -> Result<()> {
        match self.ask(process, bytes)? {
            Some(asked) => process.finish(Work::Remote(asked, None), None).map(drop),
            None => Ok(()),
        }
    }

    /// The work of a nonblocking access, whose data has been moved.
    pub(super) fn in_storage(&self, process: &Process<'n>, status: Status) -> Result<Work<'n>> {
        Ok(match self.ask(process, status.bytes)? {
            Some(asked) => Work::Steps(Box::new(Served { asked: Some(asked), status })),
            None => Work::done(status),
        })
    }
}

/// A nonblocking access until the storage has served it.
struct Served {
    asked: Option<RequestId>,
    status: Status,
}

impl<'n> Steps<'n> for Served {
    fn pending(&self) -> Vec<RequestId> {
        self.asked.into_iter().collect()
    }

    fn complete(&mut self, _: &Process<'n>, _: RequestId, _: Option<Message>) -> Result<()> {
        self.asked = None;
        Ok(())
    }

    fn status(&self) -> Status {
        self.status
    }
}
