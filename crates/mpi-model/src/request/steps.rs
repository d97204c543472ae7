//! Operations of several steps.

use multicomputer::comm::{Message, transport::RequestId};

use super::{Request, Work};
use crate::{
    error::{Error, Result},
    process::Process,
    status::Status,
};

/// An operation of several steps.
pub(crate) trait Steps<'n> {
    /// The requests for which the operation waits; none if it is finished.
    fn pending(&self) -> Vec<RequestId>;

    /// One of these requests.
    fn first_pending(&self) -> Option<RequestId> {
        self.pending().first().copied()
    }

    /// Takes one of the pending requests, which is complete, and proceeds if none is left.
    fn complete(&mut self, process: &Process<'n>, request: RequestId, message: Option<Message>)
    -> Result<()>;

    /// Whether other operations have waited for all of its requests.
    fn is_finished(&self) -> bool {
        false
    }

    /// The status of the finished operation.
    fn status(&self) -> Status {
        Status::EMPTY
    }
}

/// A receive and a send as one operation.
pub(crate) struct Both<'n>([Request<'n>; 2]);

impl<'n> Both<'n> {
    /// The operation of both; its status is that of the receive.
    pub(crate) fn begin(receive: Work<'n>, send: Work<'n>) -> Work<'n> {
        let request = |work| Request::of(work, None);
        let both = Both([request(receive), request(send)]);
        if both.first_pending().is_none() { Work::done(both.status()) } else { Work::Steps(Box::new(both)) }
    }
}

impl<'n> Steps<'n> for Both<'n> {
    fn pending(&self) -> Vec<RequestId> {
        self.0.iter().flat_map(|request| request.work.borrow().pending()).collect()
    }

    fn complete(&mut self, process: &Process<'n>, id: RequestId, message: Option<Message>) -> Result<()> {
        let of = self.0.iter().find(|request| request.work.borrow().pending().contains(&id));
        let Some(request) = of else { return Ok(()) };
        request.advance(process, id, message)?;
        match &*request.work.borrow() {
            Work::Complete(Err(error)) => Err(Error::Mpi(error.clone())),
            _ => Ok(()),
        }
    }

    fn status(&self) -> Status {
        match &*self.0[0].work.borrow() {
            Work::Complete(Ok(status)) => *status,
            _ => Status::EMPTY,
        }
    }
}
