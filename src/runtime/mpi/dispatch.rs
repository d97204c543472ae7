//! Dispatch of incoming frames: messages of programs, descriptions of element types, queries, replies, and the end of the run.

use std::time::Duration;

use super::{
    connection::{Arrived, transport_error},
    frame::{Header, Kind},
    groups::CallMismatch,
    node::{Cause, MpiNode},
};
use crate::{
    endpoint::Envelope,
    error::{CommError, Mismatch, MismatchedCall},
    payload::{ElementType, Payload},
    rank::{Rank, Tag},
    wire::{Context, Label, MessageId, NodeId},
};

/// The longest wait for a reply that only improves an error message.
const REPLY_TIMEOUT: Duration = Duration::from_secs(1);

impl MpiNode<'_> {
    /// Polls once for arrived and sent messages; returns whether there may be more.
    pub(super) fn progress(&self) -> Result<bool, CommError> {
        let arrived = |arrived| self.take(arrived);
        let left = |request| self.departed(request);
        self.job.connection.poll(arrived, left)
    }

    /// Processes an arrived frame or message.
    pub(super) fn take(&self, (source, header, payload): Arrived) -> Result<(), CommError> {
        match header.kind() {
            Some(Kind::Short | Kind::Long) => self.take_message(source, header, payload),
            Some(Kind::Type) => {
                let name = payload.to_bytes().unwrap_or_default();
                let foreign = || {
                    ElementType::foreign(header.element, &String::from_utf8_lossy(&name), header.seq as usize)
                };
                self.types.borrow_mut().entry(header.element).or_insert_with(foreign);
            }
            Some(Kind::StateQuery) => self.reply_state(source, header)?,
            Some(Kind::State) => {
                let state = payload.to_bytes().unwrap_or_default();
                if let Ok(state) = serde_json::from_slice(&state) {
                    self.inquiry.borrow_mut().take(source, header.nth, state);
                }
            }
            Some(Kind::CallQuery) => {
                let groups = self.groups.borrow();
                let context = groups.known(header.context);
                let made = context.and_then(|context| groups.made(context));
                if let Some(made) = made.filter(|made| made.nth == header.nth && !self.is_over.get()) {
                    let MismatchedCall { call, place, .. } = made.described();
                    let header = Header { tag: made.rank as u32, ..header }.of_kind(Kind::Call);
                    // The place comes first, so that a long description of the call does not cut it off.
                    let text = format!("{}\n{call}", place.unwrap_or_default()).into_bytes();
                    let sent = self.job.connection.send_frame(source, header, &text[..text.len().min(1000)]);
                    sent.map_err(transport_error)?;
                }
            }
            Some(Kind::Call) => {
                let text = payload.to_bytes().unwrap_or_default();
                let text = String::from_utf8_lossy(&text);
                let (place, call) = text.split_once('\n').unwrap_or(("", &text));
                let place = Some(place.to_owned()).filter(|place| !place.is_empty());
                let reported = MismatchedCall { call: call.into(), ranks: vec![header.tag as Rank], place };
                *self.reported_call.borrow_mut() = Some(reported);
            }
            Some(Kind::Split) => {
                let mut groups = self.groups.borrow_mut();
                if let Some(mismatch) = groups.split_by(Some(source), header.context, header.nth, header.call)
                {
                    self.mismatch.set(Some(mismatch));
                }
            }
            Some(Kind::Matched) => self.matched(header.seq),
            Some(Kind::End) => {
                self.ended.borrow_mut().get_or_insert(Cause::OtherRank);
            }
            Some(Kind::More | Kind::Nothing) | None => {}
        }
        Ok(())
    }

    /// Takes in a message of a program.
    fn take_message(&self, source: NodeId, header: Header, payload: Payload) {
        let element = self.types.borrow().get(&header.element).copied();
        let payload = payload.typed(element).on_behalf_of(header.origin.checked_sub(1));
        let id = MessageId { source, seq: header.seq };
        self.note_awaited(id, &header);
        let groups = &mut *self.groups.borrow_mut();
        let label = |context| Label { context, source, tag: Tag(header.tag) };
        let Some(context) = groups.known(header.context) else {
            let stray = Envelope { id, label: label(Context::MAX), payload };
            groups.strays.entry(header.context).or_default().push(stray);
            return;
        };
        if header.call != 0
            && let Some(mismatch) = groups.compare(source, context, header.nth, header.call)
        {
            self.mismatch.set(Some(mismatch));
        }
        let matched = self.local.borrow_mut().take_in(Envelope { id, label: label(context), payload });
        if let Some(matched) = matched {
            self.acknowledge(matched);
        }
    }

    /// The error of a collective call that differs from another rank's call.
    pub(super) fn mismatch(&self, CallMismatch { source, context, nth }: CallMismatch) -> CommError {
        let (group, own, members, digest) = {
            let groups = self.groups.borrow();
            let Some(made) = groups.made(context) else { return CommError::Ended };
            let members = groups.contexts.members(context);
            (groups.contexts.name(context), made.described(), members, groups.digest(context))
        };
        let ask = Header { context: digest, nth, ..Header::new(Kind::CallQuery) };
        let began = self.job.seconds();
        if self.job.connection.send_frame(source, ask, &[]).is_ok() {
            while self.reported_call.borrow().is_none()
                && self.job.seconds() - began < REPLY_TIMEOUT.as_secs_f64()
                && self.progress().is_ok()
            {
                std::thread::yield_now();
            }
        }
        let reported = self.reported_call.borrow_mut().take();
        let by_members = || {
            members
                .and_then(|all| all.iter().position(|&node| node == source as Rank))
                .unwrap_or(source as Rank)
        };
        let unknown =
            || MismatchedCall { call: "another call".into(), ranks: vec![by_members()], place: None };
        let other = reported.unwrap_or_else(unknown);
        CommError::Mismatch(Box::new(Mismatch::new(group, vec![own, other])))
    }
}
