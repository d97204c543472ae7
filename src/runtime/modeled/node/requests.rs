//! The requests of the thread, and which side matches a receive: the thread or the kernel.

use super::{NodeThread, Pending};
use crate::{
    endpoint::{Claim, Envelope},
    error::CommError,
    wire::{RequestId, Selector},
};

impl NodeThread<'_> {
    pub(super) fn new_request(&self, pending: Pending) -> RequestId {
        let local = &mut *self.local.borrow_mut();
        let request = local.next_request;
        local.next_request = request.wrapping_add(1);
        local.pending.insert(request, pending);
        request
    }

    /// Removes a request that has been waited for.
    pub(super) fn settle(&self, request: RequestId) {
        let local = &mut *self.local.borrow_mut();
        match local.pending.remove(&request) {
            Some(Pending::Recv { matched_by_kernel: true, .. }) => local.matched_by_kernel -= 1,
            Some(Pending::Recv { .. }) => {
                local.matching.withdraw(&request);
            }
            _ => {}
        }
        if local.pending.is_empty() {
            local.dropped.clear();
        }
    }

    /// Takes the data of a message that a probe has set aside.
    pub(super) fn take_claimed(&self, claim: &Claim) -> Result<Envelope, CommError> {
        let claimed = self.local.borrow_mut().claimed.remove(&claim.message());
        claimed.ok_or_else(|| self.world.run_state.ended())
    }

    pub(super) fn is_receive(&self, request: RequestId) -> bool {
        matches!(self.local.borrow().pending.get(&request), Some(Pending::Recv { .. }))
    }

    /// Whether modeled time determines the message that a receive takes. If not, the data determines it: messages from one sender arrive in
    /// the order of sending, in the channel as in the network.
    pub(super) fn matches_by_time(&self, select: &Selector) -> bool {
        select.is_wild() || self.world.fallible || self.local.borrow().matched_by_kernel > 0
    }

    /// Whether the kernel chooses the message that a receive takes: because modeled time determines it, or because the call waits for the
    /// kernel's reply in any case.
    pub(super) fn kernel_decides(&self, select: &Selector) -> bool {
        self.is_held() || self.matches_by_time(select)
    }
}
