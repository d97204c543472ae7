//! A send or receive that has been started and not yet waited for.

use super::{Group, Message};
use crate::wire::RequestId;

/// A send or receive under way, from [`isend`](Group::isend) or
/// [`irecv`](Group::irecv), to be handed to a wait or a test of the same group.
///
/// A request owns its resources, so dropping it is safe: a send goes on; a receive stays posted, and the message that
/// it takes is listed in the report as never received. (Dropping a receive from any source has a price for the host:
/// from then on the kernel must be asked which messages this node's receives take.)
#[derive(Debug)]
#[must_use = "a receive that is not waited for loses its message"]
pub struct Request<'g> {
    pub(super) group: &'g Group<'g>,
    /// The number of the request; `None` once it has been waited for.
    pub(super) id: Option<RequestId>,
}

/// The result of a [test](Group::test) of a request.
#[derive(Debug)]
pub enum Tested<'g> {
    /// The request is complete; a receive has its message.
    Complete(Option<Message>),
    /// The request is still under way.
    Pending(Request<'g>),
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.group.endpoint().forget(id);
        }
    }
}
