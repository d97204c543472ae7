//! A send or receive that has been started and not yet completed by a wait or a test.

use super::{Group, Message};
use crate::wire::RequestId;

/// A send or receive in progress, started by [`isend`](Group::isend) or [`irecv`](Group::irecv), to be passed to a wait or a test of the
/// same group.
///
/// A request owns its resources, so dropping it is safe. A dropped send continues. A dropped receive stays posted, and the report lists the
/// message that it takes as never received. (Dropping a receive from any source costs host time: from then on the node asks the kernel
/// which messages its receives take.)
#[derive(Debug)]
#[must_use = "a receive that is not waited for loses its message"]
pub struct Request<'g> {
    pub(super) group: &'g Group<'g>,
    /// The number of the request; `None` after the wait, and for a request with the null process, which is complete from the beginning.
    pub(super) id: Option<RequestId>,
    /// Whether this is a receive from the null process.
    pub(super) receives_null: bool,
}

impl Request<'_> {
    /// The result of a request without a number.
    pub(super) fn null_message(&self) -> Option<Message> {
        self.receives_null.then(Message::null)
    }
}

/// The result of a [test](Group::test) of a request.
#[derive(Debug)]
pub enum Tested<'g> {
    /// The request is complete; a receive has its message.
    Complete(Option<Message>),
    /// The request is still in progress.
    Pending(Request<'g>),
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.group.endpoint().forget(id);
        }
    }
}
