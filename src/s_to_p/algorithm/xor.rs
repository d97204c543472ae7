//! Algorithm *Xor*: a personalized all-to-all exchange in which each source sends its message to every node.
//!
//! **What it does.** Step `k` is a permutation: node `i` is paired with node `i xor k`, for `k` from 1 to `q - 1`, where `q` is the
//! smallest power of two that is at least `p`. Two sources exchange their messages; a source sends to a node that is not a source.
//!
//! **Restrictions.** None. If `p` is not a power of two, a node is idle in the steps in which its partner does not exist (the papers use
//! *Xor* on 10 x 10 too and do not describe this case).
//!
//! **Cost.** A source sends `p - 1` messages: at least `(p - 1) (o_s + n beta)`.
//!
//! **Source.** Report, sections 2 and 5.

use super::{Algorithm, Draft, Entry, Instance, Variants, of};
use crate::{
    pattern::{Blocks, Builder, Exchange, Transfer},
    plan::Variant,
    rank::Rank,
    time::Span,
};

impl Algorithm {
    /// Every source sends its `n` bytes to every node, in exclusive-or permutations: at least `(p - 1) (o_s + n beta)`. Report, section 2.
    pub const XOR: Algorithm = of(&XOR);
}

static XOR: Entry = Entry::new("xor", |planning| variants(planning.problem, draft))
    .about("each source sends to every node, in exclusive-or permutations")
    .source("report, section 2")
    .cost(
        "at least `(p - 1) (o_s + n beta)`; with `s = p`, a power of two, `(p - 1) (alpha + o_x + n beta)`",
    );

fn draft(instance: &Instance) -> Draft {
    Draft::whole(instance, Exchange::Together, |builder| {
        broadcast(builder, instance.size(), instance.sources());
    })
}

/// Sends block `k` from `places[k]` to every node.
pub(super) fn broadcast(builder: &mut Builder, nodes: usize, places: &[Rank]) {
    let messages: Vec<(Rank, Blocks)> =
        places.iter().zip(0u32..).map(|(&rank, block)| (rank, [block].into())).collect();
    for step in 1..nodes.next_power_of_two() {
        let partners = messages.iter().map(|(from, blocks)| (*from, from ^ step, blocks));
        builder.iteration(partners.filter(|&(_, to, _)| to < nodes).map(|(from, to, blocks)| Transfer {
            from,
            to,
            blocks: blocks.clone(),
        }));
    }
}

/// Returns the single variant, made by `draft`. Its lower bound is the start-ups and bytes of the source with the longest message, less one
/// picosecond per message for rounding.
pub(super) fn variants(instance: &Instance, draft: fn(&Instance) -> Draft) -> Variants {
    let peers = instance.size() as u64 - 1;
    let longest = instance.lengths().iter().copied().max().unwrap_or(0);
    let parameters = instance.parameters();
    let bytes = parameters.node_transfer(longest.saturating_mul(peers));
    let floor = parameters.send_overhead().times(peers) + (bytes - Span::from_picos(peers));
    Ok(vec![Variant::new("", move |instance| Ok(draft(instance))).at_least(floor)])
}
