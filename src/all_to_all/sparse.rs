//! *Sparse*: each member has only its outgoing messages, and computes the number of its incoming messages.
//!
//! **What it does.** A reduce-scatter adds up the number of messages for each rank. Then every rank starts all its sends, and receives its
//! number of messages from any source. Data of a rank for itself is not sent.
//!
//! **Restrictions.** None.
//!
//! **Cost.** A reduce-scatter of `p` words of four bytes, then `h` start-ups and `t beta` if there is no contention.
//!
//! **Source.** T. Hoefler, C. Siebert, A. Lumsdaine, "Scalable communication protocols for dynamic sparse data
//! exchange", PPoPP 2010, section 3 (personalized census).

use super::CallError;
use crate::{
    collective::{Collective, Sum},
    comm::{Call, Group, MAX_MESSAGE, Request},
    payload::Payload,
    rank::{ANY_SOURCE, Rank, Tag},
    record::Part,
};

/// Carries out the sparse exchange on this member. Returns the received payloads, sorted by sender.
#[track_caller]
pub(super) fn carry_out(
    group: &Group<'_>,
    what: &str,
    outgoing: Vec<(Rank, Payload)>,
) -> Result<Vec<(Rank, Payload)>, CallError> {
    group.library_call("sparse exchange", || {
        let (rank, size) = (group.rank(), group.size());
        let text = format_args!("a sparse exchange of {what}");
        let tag = group.agree(&Call::new("sparse exchange", &text, ()))?;
        let mut counts = vec![0_u32; size];
        for (to, payload) in &outgoing {
            group.world_rank(*to)?;
            if *to != rank {
                counts[*to] += 1;
            }
            if payload.len() > MAX_MESSAGE {
                return Err(CallError::TooLong { to: *to, given: payload.len() });
            }
        }
        let part = || Part::operation("sparse exchange");
        let mut incoming = group.as_part(part, || move_data(group, tag, &counts, outgoing))?;
        incoming.sort_by_key(|&(from, _)| from);
        Ok(incoming)
    })
}

/// Sends and receives all payloads. Returns the received payloads with their senders, in order of arrival.
fn move_data(
    group: &Group<'_>,
    tag: Tag,
    counts: &[u32],
    outgoing: Vec<(Rank, Payload)>,
) -> Result<Vec<(Rank, Payload)>, CallError> {
    let (rank, size) = (group.rank(), group.size());
    let expected = group.reduce_scatter(counts, size, Sum)?;
    let scenes = group.private();
    let mut incoming = Vec::new();
    let mut started = Vec::new();
    for (to, payload) in outgoing {
        match to == rank {
            true => incoming.push((rank, payload)),
            false => started.push(scenes.isend((to, tag), payload)?),
        }
    }
    // Messages of other calls have other tags. Messages of one sender arrive in the order in which it sent them.
    for _ in 0..expected.first().copied().unwrap_or(0) {
        let message = scenes.recv((ANY_SOURCE, tag))?;
        incoming.push((message.source, message.payload));
    }
    Request::wait_all(started)?;
    Ok(incoming)
}
