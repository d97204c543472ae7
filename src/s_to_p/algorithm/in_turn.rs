//! Algorithm *In turn*: the halving algorithms of the papers, with a cheaper exchange and both orders of the dimensions.
//!
//! **What it does.** The schedules of *Br_Lin* and *Br_xy*, rows first or columns first, but two nodes that exchange do not send and
//! receive at the same time. In one variant each sends and then receives: the messages pass each other in the network, and no receive
//! overlaps a send of its node, so `o_x` is not paid. In the other each starts a send (`isend`), receives, and waits for its sends only at
//! the very end: `o_x` is paid, but a node that sends more than it receives continues earlier. See [`Exchange`]. The sources stay where
//! they are, or their messages are first moved to ideal places as by *Repos*. The fastest of these variants is chosen.
//!
//! **Restrictions.** None.
//!
//! **Cost.** As for *Br_Lin*, *Br_xy* and *Repos*, without the `o_x` of each exchange.

use super::{
    Algorithm, Draft, Entry, Instance, Variants, br_xy, br_xy::First, each, in_node_order, of, repos,
};
use crate::{
    pattern::{Exchange, line},
    topology::Grid,
};

impl Algorithm {
    /// The halving algorithms of the papers with a cheaper exchange, without `o_x`, in both orders of the dimensions, with or without
    /// moving the messages first.
    pub const IN_TURN: Algorithm = of(&IN_TURN);
}

static IN_TURN: Entry = Entry::new("in-turn", |planning| variants(in_node_order(planning.problem).grid()))
    .about("the papers' halvings with a cheaper exchange, in both orders of the dimensions")
    .cost(
        "the least of `br-lin`, of `br-xy` in both orders, and of these after `repos`, mostly without `o_x`",
    );

/// A schedule to try.
#[derive(Clone, Copy)]
struct Choice {
    /// The dimension that comes first; `None` for the line through all nodes.
    first: Option<First>,
    /// Whether the messages are first moved to ideal places.
    is_moved: bool,
}

/// Returns the variants: both orders of the dimensions and the line through all nodes, from the sources and from ideal places. If the nodes
/// form a line, all orders are equal for unmoved messages, and only one is returned.
fn variants(grid: Grid) -> Variants {
    let orders = [Some(First::Rows), Some(First::Columns), None];
    let different = if First::orders(grid).len() == 1 { 1 } else { orders.len() };
    let unmoved = orders.into_iter().take(different).map(|first| Choice { first, is_moved: false });
    let choices = unmoved.chain(orders.map(|first| Choice { first, is_moved: true }));
    let name = |Choice { first, is_moved }| {
        let order = first.map_or("one line", First::name);
        if is_moved { format!("moved, {order}") } else { order.to_owned() }
    };
    each(choices, name, draft)
}

fn draft(instance: &Instance, Choice { first, is_moved }: Choice, exchange: Exchange) -> Draft {
    let (grid, sources) = (instance.grid(), instance.sources());
    Draft::whole(instance, exchange, |builder| match (first, is_moved) {
        (Some(first), false) => br_xy::broadcast(builder, first.lines(grid)),
        (None, false) => builder.halve(&[line::snake(grid)]),
        (Some(first), true) => repos::in_dimensions(builder, grid, sources, Some(first)),
        (None, true) => repos::on_line(builder, grid, sources),
    })
}
