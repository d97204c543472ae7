//! What a node asks of the machine, and what it is told: the vocabulary between node programs and the kernel.

use std::sync::Arc;

use crate::{
    record::Part,
    time::{Span, Time},
    wire::{Label, MessageId, Parcel, RequestId, Selector},
};

/// A wait for the first of several requests.
#[derive(Clone, Debug)]
pub(crate) struct AnyOf {
    pub(crate) requests: Box<[RequestId]>,
    /// Gives up at this instant of modeled time.
    pub(crate) deadline: Time,
    /// Whether the node computes meanwhile, so that this is what its time is counted as.
    pub(crate) computing: bool,
}

/// One call of a node program.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Blocking, or with a request.
    Send {
        parcel: Parcel,
        request: Option<RequestId>,
    },
    /// Blocking, or with a request.
    Recv {
        select: Selector,
        request: Option<RequestId>,
    },
    SendRecv {
        parcel: Parcel,
        select: Selector,
    },
    /// Blocking receive that gives up at an instant of modeled time.
    RecvUntil {
        select: Selector,
        deadline: Time,
    },
    Wait {
        request: RequestId,
    },
    WaitAny(AnyOf),
    Test {
        request: RequestId,
    },
    /// Nobody will wait for this request.
    Forget {
        request: RequestId,
    },
    /// Takes a posted receive back, as if it had never been there.
    Withdraw {
        request: RequestId,
    },
    /// Looks for a message; blocking, or as things stand now.
    Probe {
        select: Selector,
        blocking: bool,
    },
    Compute {
        span: Span,
    },
    /// The hardware barrier of the whole machine.
    Barrier,
    PhaseBegin {
        name: Arc<str>,
    },
    PhaseEnd {
        name: Arc<str>,
    },
    /// A part of a call begins, which the trace is to show.
    PartBegin {
        part: Part,
    },
    /// The part that began last ends.
    PartEnd,
    /// Nothing, but the node wants to know its clock.
    Sync,
    /// The same, and the program wants to know it: it looks at the time.
    Now,
    /// The program has returned.
    Finish,
    /// The program has returned an error or panicked.
    Fail,
}

/// A call with what goes with it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) op: Op,
    /// Whether the node is to be told how the call ended.
    pub(crate) reply: bool,
}

/// How a call ended, for the node that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The node's clock when the call returns.
    pub(crate) clock: Time,
    pub(crate) outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// A receive took this message.
    Received(MessageId),
    /// The n-th of several requests is complete; a receive took this message.
    Completed {
        index: usize,
        received: Option<MessageId>,
    },
    /// A probe found this message.
    Found {
        label: Label,
        bytes: u64,
    },
    /// A test or a probe found nothing.
    Nothing,
    /// The deadline passed.
    TimedOut,
    /// So many looks at one modeled instant that the program will never get past it.
    Livelock,
}
