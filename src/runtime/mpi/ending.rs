//! The end of a run on all ranks: no rank leaves before all have arrived, no message is in transit, and all ranks get the same result.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use ferrompi::{Error, ReduceOp, Request, Scope};
use serde::{Deserialize, Serialize};

use super::{
    connection::transport_error,
    idle::Idle,
    node::{Cause, MpiNode},
    serialized_node::SerializedNode,
};
use crate::{
    error::{CommError, DeadlockReport, RunError},
    kernel::BlockedNode,
    rank::Rank,
    record::{NodeRecord, PhaseRecord, UnreceivedMessage, UnwaitedSend},
    runtime::{carrier::Carrier, run_state::Fault, unreceived::Unreceived},
    time::{Span, Time},
};

/// The grace period in which a program must return once the run is over.
const GRACE: Duration = Duration::from_secs(10);

/// The exit status with which all ranks are aborted if one rank does not end.
const STATUS: i32 = 1;

/// The records of all ranks, the messages never received, and the sends never waited for.
pub(super) type Records = (Vec<NodeRecord>, Vec<UnreceivedMessage>, Vec<UnwaitedSend>);

/// The result of one rank, as sent to the others.
#[derive(Serialize, Deserialize)]
struct Part {
    counters: [u64; 9],
    phases: Vec<(String, [u64; 3])>,
    unreceived: Vec<UnreceivedMessage>,
    unwaited: Vec<UnwaitedSend>,
}

/// The error of a run, as sent by the rank that found it.
#[derive(Serialize, Deserialize)]
enum SerializedError {
    Panicked(String),
    Failed(String, Option<String>),
    Deadlock(Vec<SerializedNode>, Vec<Rank>, Vec<UnreceivedMessage>),
    WallLimit(Vec<SerializedNode>),
}

fn serialized(nodes: &[BlockedNode]) -> Vec<SerializedNode> {
    nodes.iter().cloned().map(SerializedNode::from).collect()
}

impl MpiNode<'_> {
    /// Ends the run together with all other ranks. Returns the records of all ranks, or the common error.
    pub(super) fn finish(&self) -> Result<Records, RunError> {
        let failed = |error| self.job.failed(transport_error(error));
        self.has_returned.set(true);
        let finished = self.time();
        self.local.borrow_mut().finish(finished);
        self.settle().map_err(failed)?;
        let rank = self.job.rank();
        let mine = match *self.ended.borrow() {
            None | Some(Cause::OtherRank) => i64::MAX,
            Some(_) => rank as i64,
        };
        let (mine, mut first) = ([mine], [i64::MAX]);
        let control = &self.job.control;
        self.complete_collective(|scope| control.iallreduce(scope, &mine, &mut first, ReduceOp::Min))
            .map_err(failed)?;
        if first[0] < i64::MAX {
            let first = first[0] as Rank;
            let error = if first == rank { self.encoded_error() } else { Vec::new() };
            let error = self.shared_from(first, error).map_err(failed)?;
            return Err(self.error(first, &error));
        }
        let own = serde_json::to_vec(&self.part()).unwrap_or_default();
        let parts = self.gathered(own).map_err(failed)?;
        let parts = parts.iter().map(|part| serde_json::from_slice::<Part>(part));
        let parts: Vec<Part> =
            parts.collect::<Result<_, _>>().map_err(|error| self.job.failed(unreadable(&error)))?;
        let (mut nodes, mut unreceived, mut unwaited) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            nodes.push(record(part.counters, part.phases));
            unreceived.extend(part.unreceived);
            unwaited.extend(part.unwaited);
        }
        unreceived.sort_by_key(|message| (message.from, message.to));
        Ok((nodes, unreceived, unwaited))
    }

    /// Runs a collective MPI call, and meanwhile receives messages and replies to queries.
    fn complete_collective<'env>(
        &self,
        call: impl for<'s> FnOnce(&'s Scope<'s, 'env>) -> Result<Request<'s>, Error>,
    ) -> Result<(), Error> {
        // The rank that found the cause has the shorter grace period, so it aborts first.
        let grace = match *self.ended.borrow() {
            None => None,
            Some(Cause::OtherRank) => Some(2 * GRACE),
            Some(_) => Some(GRACE),
        };
        let ends = grace.map(|grace| self.time() + Span::from(grace));
        self.job.complete_collective(call, || {
            // A failure of MPI is reported by the call itself.
            let _ = self.progress();
            if ends.is_some_and(|ends| self.time() > ends) {
                let rank = self.job.rank();
                let why = self.error(rank, &self.encoded_error());
                eprintln!("rank {rank}: {why}; some rank did not end in time: all ranks are aborted");
                self.job.abort(STATUS);
            }
        })
    }

    /// Waits until all programs have returned and all their messages have arrived.
    fn settle(&self) -> Result<(), Error> {
        let (connection, control) = (&self.job.connection, &self.job.control);
        self.progress_while(|| !connection.is_idle());
        self.complete_collective(|scope| control.ibarrier(scope))?;
        self.is_over.set(true);
        let sent: Vec<i64> = connection.frames_sent().iter().map(|&sent| sent as i64).collect();
        let mut expected = [0_i64];
        self.complete_collective(|scope| {
            control.ireduce_scatter_block(scope, &sent, &mut expected, ReduceOp::Sum)
        })?;
        self.progress_while(|| (connection.frames_received() as i64) < expected[0] || !connection.is_empty());
        Ok(())
    }

    /// Makes progress while a condition holds.
    fn progress_while(&self, is_open: impl Fn() -> bool) {
        let mut idle = Idle::new(self.job.is_oversubscribed());
        while is_open() {
            // A failure of MPI is reported by the next collective call.
            if self.progress().is_err() {
                return;
            }
            idle.pause();
        }
    }

    /// Broadcasts bytes from `root`; returns them on all ranks.
    fn shared_from(&self, root: Rank, mut bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let control = &self.job.control;
        let mut length = [bytes.len() as i64];
        self.complete_collective(|scope| control.ibroadcast(scope, &mut length, root as i32))?;
        bytes.resize(length[0] as usize, 0);
        self.complete_collective(|scope| control.ibroadcast(scope, &mut bytes, root as i32))?;
        Ok(bytes)
    }

    /// Gathers the bytes of all ranks on all ranks.
    fn gathered(&self, own: Vec<u8>) -> Result<Vec<Vec<u8>>, Error> {
        let (control, size) = (&self.job.control, self.job.size());
        let (length, mut lengths) = ([own.len() as i32], vec![0_i32; size]);
        self.complete_collective(|scope| control.iallgather(scope, &length, &mut lengths))?;
        let displacements: Vec<i32> = lengths
            .iter()
            .scan(0, |next, length| {
                let at = *next;
                *next += length;
                Some(at)
            })
            .collect();
        let mut all = vec![0; lengths.iter().sum::<i32>() as usize];
        self.complete_collective(|scope| {
            control.iallgatherv(scope, &own, &mut all, &lengths, &displacements)
        })?;
        let part = |(at, length): (&i32, &i32)| all[*at as usize..(at + length) as usize].to_vec();
        Ok(displacements.iter().zip(&lengths).map(part).collect())
    }

    /// Returns the result of this rank.
    fn part(&self) -> Part {
        let (local, groups) = (self.local.borrow(), self.groups.borrow());
        let record = &local.record;
        let rank = self.job.rank();
        let left = local.unreceived();
        let strays = groups.strays.values().flatten();
        let strays = strays.map(|stray| UnreceivedMessage {
            from: stray.label.source as Rank,
            to: rank,
            tag: stray.label.tag,
            bytes: stray.payload.len(),
            group: "a group that the receiver has not made".into(),
        });
        let unreceived = left.iter().map(|&(_, label, bytes): &Unreceived| UnreceivedMessage {
            from: label.source as Rank,
            to: rank,
            tag: label.tag,
            bytes,
            group: groups.contexts.name(label.context),
        });
        let unwaited = local.unwaited.iter().map(|send| UnwaitedSend {
            from: rank,
            to: send.target as Rank,
            tag: send.tag,
            bytes: send.bytes,
            group: groups.contexts.name(send.context),
        });
        let phase = |(name, phase): (&Arc<str>, &PhaseRecord)| {
            let times = [phase.begin.since_start(), phase.end.since_start(), phase.time];
            (name.to_string(), times.map(Span::as_picos))
        };
        Part {
            counters: [
                record.finished.since_start().as_picos(),
                record.messages_sent,
                record.bytes_sent,
                record.messages_received,
                record.bytes_received,
                record.computing.as_picos(),
                record.overhead.as_picos(),
                record.waiting.as_picos(),
                record.noise.as_picos(),
            ],
            phases: record.phases.iter().map(phase).collect(),
            unreceived: unreceived.chain(strays).collect(),
            unwaited: unwaited.collect(),
        }
    }

    /// Encodes the error that this rank found.
    fn encoded_error(&self) -> Vec<u8> {
        let ended = self.ended.borrow();
        let error = match &*ended {
            Some(Cause::Fault(Fault::Panic(message))) => SerializedError::Panicked(message.clone()),
            Some(Cause::Fault(Fault::Error(error))) => {
                SerializedError::Failed(error.to_string(), self.last_call())
            }
            Some(Cause::Deadlock(report)) => {
                let (returned, unreceived) = (report.returned.clone(), report.unreceived.clone());
                SerializedError::Deadlock(serialized(&report.blocked), returned, unreceived)
            }
            Some(Cause::WallLimit(nodes)) => SerializedError::WallLimit(serialized(nodes)),
            Some(Cause::OtherRank) | None => {
                SerializedError::Failed("the run was ended by another rank".into(), None)
            }
        };
        serde_json::to_vec(&error).unwrap_or_default()
    }

    /// The error of the run: this rank's own error if `first` is this rank, otherwise the decoded error of rank `first`.
    fn error(&self, first: Rank, error: &[u8]) -> RunError {
        let nodes = |nodes: Vec<SerializedNode>| nodes.into_iter().map(BlockedNode::from).collect();
        if first == self.job.rank()
            && let Some(Cause::Fault(Fault::Error(source))) = self.ended.take()
        {
            return RunError::Node { rank: first, source, last_call: self.last_call() };
        }
        match serde_json::from_slice(error) {
            Ok(SerializedError::Panicked(message)) => RunError::Panicked { rank: first, message },
            Ok(SerializedError::Failed(message, last_call)) => {
                RunError::Node { rank: first, source: message.into(), last_call }
            }
            Ok(SerializedError::Deadlock(blocked, returned, unreceived)) => {
                RunError::Deadlock(DeadlockReport::new(nodes(blocked), returned, unreceived))
            }
            Ok(SerializedError::WallLimit(blocked)) => RunError::WallLimit {
                limit: self.settings.wall_limit.unwrap_or_default(),
                nodes: nodes(blocked),
            },
            Err(error) => self.job.failed(unreadable(&error)),
        }
    }
}

/// The error for an unreadable message of a rank.
fn unreadable(error: &serde_json::Error) -> CommError {
    CommError::Transport(error.to_string())
}

/// Decodes the record of a node.
fn record(counters: [u64; 9], phases: Vec<(String, [u64; 3])>) -> NodeRecord {
    let [finished, messages_sent, bytes_sent, messages_received, bytes_received, ..] = counters;
    let [.., computing, overhead, waiting, noise] = counters.map(Span::from_picos);
    let phase = |(name, times): (String, [u64; 3])| {
        let [begin, end, time] = times.map(Span::from_picos);
        (Arc::from(name), PhaseRecord { begin: Time::ZERO + begin, end: Time::ZERO + end, time })
    };
    NodeRecord {
        finished: Time::ZERO + Span::from_picos(finished),
        messages_sent,
        bytes_sent,
        messages_received,
        bytes_received,
        computing,
        overhead,
        waiting,
        noise,
        phases: phases.into_iter().map(phase).collect::<BTreeMap<_, _>>(),
    }
}
