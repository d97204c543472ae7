//! Algorithm *In turn*: the halvings of the papers, with a cheaper exchange and both orders of the dimensions.
//!
//! **What it does.** The schedules of *Br_Lin* and *Br_xy*, rows first or columns first, but where two nodes exchange
//! they do not send and receive at the same time. Each sends and then receives: the messages pass each other in the
//! network, and no receive overlaps a send of its node, so `o_x` is not paid. Or each starts to send (`isend`) and
//! receives, and waits for what it has sent at the very end: `o_x` is paid, but who sends more than it receives goes on
//! earlier. See [`Exchange`]. The sources stay where they are, or their messages are moved to ideal places first, as by
//! *Repos*. The fastest of these is taken.
//!
//! **Restrictions.** None.
//!
//! **Cost.** As *Br_Lin*, *Br_xy* and *Repos*, without the `o_x` of each exchange.

use super::{
    Algorithm, Draft, Entry, Instance, Variants, br_xy, br_xy::First, each, in_node_order, of, repos,
};
use crate::{
    pattern::{Exchange, line},
    topology::Grid,
};

impl Algorithm {
    /// The halvings of the papers with a cheaper exchange, without `o_x`, in both orders of the dimensions, moved first
    /// or not.
    pub const IN_TURN: Algorithm = of(&IN_TURN);
}

static IN_TURN: Entry = Entry::new("in-turn", |planning| variants(in_node_order(planning.problem).grid()))
    .about("the halvings of the papers with a cheaper exchange and in both orders of the dimensions");

/// One of the schedules.
#[derive(Clone, Copy)]
struct Choice {
    /// The dimension that comes first; none for the line through all nodes.
    first: Option<First>,
    /// Whether the messages are moved to ideal places before.
    is_moved: bool,
}

/// All orders of the dimensions, and the line through all nodes, from where the sources are and from ideal places. Where the nodes
/// are a line all orders come to the same from where the sources are.
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
