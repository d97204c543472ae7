//! The calls of a node to the machine, and the replies: the interface between node programs and the kernel.

use std::sync::Arc;

use super::Kind;
use crate::{
    rank::Rank,
    record::{Change, Part},
    time::{Span, Time},
    topology::LinkId,
    wire::{Context, Label, MessageId, NodeId, Parcel, RequestId, Selector},
};

/// A wait for the first of several requests.
#[derive(Clone, Debug)]
pub(crate) struct AnyOf {
    pub(crate) requests: Box<[RequestId]>,
    /// The instant of modeled time at which the wait times out.
    pub(crate) deadline: Time,
    /// Whether the node computes meanwhile, so that the time counts as computing.
    pub(crate) computing: bool,
}

/// One call of a node program.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// A send; blocking, or with a request.
    Send {
        parcel: Parcel,
        request: Option<RequestId>,
    },
    /// A send that the node starts and never waits for.
    Launch {
        parcel: Parcel,
    },
    /// A remote memory access, with a request. `back` is the number of bytes that it returns, 0 for an acknowledgement; `None` if nothing
    /// returns.
    Remote {
        parcel: Parcel,
        back: Option<u64>,
        request: RequestId,
    },
    /// A receive; blocking, or with a request.
    Recv {
        select: Selector,
        request: Option<RequestId>,
    },
    SendRecv {
        parcel: Parcel,
        select: Selector,
    },
    /// A blocking receive that times out at an instant of modeled time.
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
    /// Drops a request: the program will not wait for it.
    Forget {
        request: RequestId,
    },
    /// Cancels a posted receive, as if it had never been posted. With `unless_matched`, a receive that has been matched by the node's clock
    /// stays as it is.
    Withdraw {
        request: RequestId,
        unless_matched: bool,
    },
    /// A probe for a message; blocking, or only at the present instant. With `claims`, the message is set aside for a claimed receive.
    Probe {
        select: Selector,
        blocking: bool,
        claims: bool,
    },
    /// A receive of a message that a probe has set aside; blocking, or with a request.
    RecvClaimed {
        message: MessageId,
        request: Option<RequestId>,
    },
    Compute {
        span: Span,
    },
    /// Work of a library, which keeps the node busy like computing.
    Charge {
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
    /// The beginning of a part of a call, for the trace.
    PartBegin {
        part: Part,
    },
    /// The end of the innermost part.
    PartEnd,
    /// A change of the data that the node holds, for the trace.
    Holds {
        change: Box<Change>,
    },
    /// No action; declares the members of a context, and whether it carries messages of library calls.
    Group {
        context: Context,
        members: Arc<[Rank]>,
        library: bool,
    },
    /// A member of a group makes its `nth` collective call, which must be equal for all `size` members.
    Agree {
        context: Context,
        nth: u64,
        size: usize,
        rank: Rank,
        digest: u64,
    },
    /// No action; the node thread queries its clock.
    Sync,
    /// No action; the program itself queries the time, which counts as a poll.
    Now,
    /// The program has returned.
    Finish,
    /// The program has returned an error or panicked.
    Fail,
}

impl Op {
    /// The kind of event at which the call is executed, if its outcome depends on the events of the whole machine up to the node's clock;
    /// `None` for a call that can be executed as soon as it is known.
    pub(super) fn depends_on_instant(&self) -> Option<Kind> {
        match self {
            Op::Recv { select, request: None } if select.is_wild() => Some(Kind::Delivery),
            // A withdrawal also waits: its receive may have taken a message that arrived by the node's clock.
            Op::RecvUntil { .. }
            | Op::WaitAny(_)
            | Op::Test { .. }
            | Op::Probe { .. }
            | Op::Withdraw { .. } => Some(Kind::Resume),
            _ => None,
        }
    }
}

/// A call, and whether the node waits for a reply.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) op: Op,
    /// Whether the node needs the result of the call.
    pub(crate) reply: bool,
}

/// The result of a call, for the node that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The node's clock when the call returns.
    pub(crate) clock: Time,
    pub(crate) outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// A receive took this message; or a remote memory access, which this message brought to its target, has returned.
    Received(MessageId),
    /// The request at `index` in the list is complete; `received` is the message, if it is a receive.
    Completed {
        index: usize,
        received: Option<MessageId>,
    },
    /// A receive took this message, after the node had computed for the time `computed`.
    Interrupted {
        received: MessageId,
        computed: Span,
    },
    /// A probe found this message.
    Found {
        label: Label,
        bytes: u64,
    },
    /// A probe found this message and has set it aside.
    Claimed {
        id: MessageId,
        label: Label,
        bytes: u64,
    },
    /// A receive has been withdrawn, because it had not been matched.
    Withdrawn,
    /// A test or a probe found nothing.
    Nothing,
    /// The deadline passed.
    TimedOut,
    /// The program has polled too often at one modeled instant, which will never pass.
    Livelock,
    /// A fault of the machine made the call fail.
    Failed(Cause),
    /// A fault ended the request at `index` in the list.
    FailedAmong {
        index: usize,
        cause: Cause,
    },
}

/// The fault that made a call fail or lost a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A link on the route of a message died at this instant.
    LinkDied { link: LinkId, from: NodeId, to: NodeId, at: Time },
    /// Another node died at this instant.
    NodeDied { node: NodeId, at: Time },
    /// The node itself died at this instant.
    Died { at: Time },
}
