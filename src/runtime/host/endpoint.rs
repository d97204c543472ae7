//! A node on the host: message delivery and detection of the end of the run.

use std::{
    cell::{Cell, RefCell},
    panic::Location,
};

use crossbeam_channel::Receiver;

use super::{
    Host, HostOutcome,
    ring::{KnownTypes, Sent},
};
use crate::{
    endpoint::{Call, Effect, Endpoint, Envelope, Shared},
    error::CommError,
    payload::Payload,
    rank::Rank,
    record::Event,
    runtime::{carrier::Carrier, local::Local, waiting::AwaitedEvent},
    time::Time,
    wire::{Context, MessageId, NodeId, Parcel, RequestId, Selector},
};

/// A node of the host; see the [module](self).
#[derive(Debug)]
pub(in crate::runtime) struct HostNode<'run> {
    pub(super) id: NodeId,
    pub(super) host: &'run Host,
    pub(super) inbox: Receiver<Envelope>,
    pub(super) local: RefCell<Local>,
    /// The number of messages taken from each node's ring to this node.
    pub(super) taken: RefCell<Vec<u64>>,
    /// The sender state of the ring to each node.
    pub(super) sent: RefCell<Vec<Sent>>,
    pub(super) element_types: KnownTypes,
    /// Whether the program's last call was an unsuccessful poll.
    pub(super) polled: Cell<bool>,
    /// The number of matched rendezvous messages of this node, when the node last read it.
    pub(super) seen: Cell<u64>,
    /// The sends that wait for their receives: sequence numbers with their requests.
    pub(super) started: RefCell<Vec<(u64, RequestId)>>,
    calls_after_end: Cell<u32>,
}

impl<'run> HostNode<'run> {
    /// Creates node `id`, on its thread.
    pub(super) fn new(id: NodeId, host: &'run Host, inbox: Receiver<Envelope>) -> HostNode<'run> {
        let (local, element_types, polled, seen, started, calls_after_end) = Default::default();
        let taken = RefCell::new(vec![0; host.rings.len()]);
        let sent = RefCell::new(vec![Sent::default(); host.rings.len()]);
        HostNode {
            id,
            host,
            inbox,
            local,
            taken,
            sent,
            element_types,
            polled,
            seen,
            started,
            calls_after_end,
        }
    }

    /// Ends the node after its program has returned or failed; returns the outcome of the node.
    pub(super) fn end(self) -> HostOutcome {
        let now = self.host.now();
        self.take_in_all();
        let mut local = self.local.into_inner();
        let open = local.finish(now);
        if self.host.run_state.traced {
            let rank = self.id as Rank;
            local.events.extend(open.into_iter().map(|(start, kind)| Event { rank, start, end: now, kind }));
        }
        HostOutcome {
            unreceived: local.unreceived(),
            unwaited: local.unwaited,
            record: local.record,
            events: local.events,
            inbox: self.inbox,
            taken: self.taken.into_inner(),
        }
    }
}

impl Carrier for HostNode<'_> {
    fn id(&self) -> NodeId {
        self.id
    }

    fn shared(&self) -> &dyn Shared {
        &self.host.run_state
    }

    fn local(&self) -> &RefCell<Local> {
        &self.local
    }

    fn time(&self) -> Time {
        self.host.now()
    }

    fn check_running(&self) -> Result<(), CommError> {
        self.host.run_state.check_running(&self.calls_after_end)
    }

    fn ended(&self) -> Option<CommError> {
        self.host.run_state.is_stopped().then(|| self.host.run_state.ended())
    }

    fn deliver(&self, parcel: Parcel, payload: Payload) -> Result<(), CommError> {
        match self.hand_over(parcel, payload) {
            Some(seq) => self.wait_for_match(parcel, seq),
            None => Ok(()),
        }
    }

    fn begin_delivery(
        &self,
        parcel: Parcel,
        payload: Payload,
        request: RequestId,
    ) -> Result<bool, CommError> {
        let awaited = self.hand_over(parcel, payload);
        self.started.borrow_mut().extend(awaited.map(|seq| (seq, request)));
        Ok(awaited.is_none())
    }

    fn exchange(&self, parcel: Parcel, payload: Payload, select: Selector) -> Result<Envelope, CommError> {
        let awaited = self.hand_over(parcel, payload);
        let received = self.recv(select)?;
        if let Some(seq) = awaited {
            self.wait_for_match(parcel, seq)?;
        }
        Ok(received)
    }

    fn agree(
        &self,
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        call: &Call<'_>,
    ) -> Result<(), CommError> {
        let run_state = &self.host.run_state;
        let place = run_state.place(self.id as Rank);
        let differs = run_state.agreements.lock().arrive(context, nth, size, rank, call, place);
        if differs {
            return Err(CommError::Mismatch(Box::new(run_state.mismatch(context, nth, |_| true))));
        }
        Ok(())
    }

    fn move_here(&self) {
        self.host.run_state.slot(self.id).parker.set_owner();
    }

    fn is_rendezvous(&self, parcel: &Parcel) -> bool {
        self.waits_for_receive(parcel)
    }

    fn on_matched(&self, id: MessageId) {
        self.notify_matched(id);
    }

    fn carry_out(&self, target: NodeId, effect: Effect) -> Result<Payload, CommError> {
        let _alone = self.host.memories[target as usize].lock();
        // Where time is not modeled, nothing waits for the instant from which on the data travels back.
        Ok(effect(self.time()).0)
    }

    fn drain(&self) -> Result<(), CommError> {
        self.take_in_all();
        Ok(())
    }

    fn take_directly(&self, select: &Selector) -> Option<Envelope> {
        self.take_at_once(select)
    }

    fn wait_until<T>(
        &self,
        awaited_event: impl Fn(&Local) -> AwaitedEvent,
        deadline: Time,
        take: impl FnMut(&mut Local) -> Option<T>,
    ) -> Result<Option<T>, CommError> {
        self.sleep_until(awaited_event, deadline, take)
    }

    fn after_unsuccessful_poll(&self) {
        self.yield_after_unsuccessful_poll();
    }

    fn synchronize(&self) -> Result<(), CommError> {
        self.pass_barrier()
    }

    fn note_place(&self, place: &'static Location<'static>) {
        self.host.run_state.slot(self.id).place.store(Some(place));
    }

    fn set_within(&self, name: Option<&'static str>) {
        *self.host.run_state.slot(self.id).within.lock() = name;
    }
}
