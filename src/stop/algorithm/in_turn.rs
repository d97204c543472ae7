//! Algorithm *In turn*: the halvings of the papers, with a cheaper exchange and both orders of the dimensions.
//!
//! **What it does.** The schedules of *Br_Lin* and *Br_xy*, rows first or columns first, but where two nodes exchange
//! they do not send and receive at the same time. Each sends and then receives: the messages pass each other in the
//! network, and no receive overlaps a send of its node, so `o_x` is not paid. Or each starts to send (`isend`) and
//! receives, and waits for what it has sent at the very end: `o_x` is paid, but who sends more than it receives goes on
//! earlier. See [`Exchange`]. The fastest of these is taken.
//!
//! **Restrictions.** None.
//!
//! **Cost.** As *Br_Lin* and *Br_xy*, without the `o_x` of each exchange.

use super::{br_lin, br_xy, br_xy::First, variant::Variant};

/// All orders of the dimensions, and the line through all nodes.
pub(super) fn variants() -> Vec<Variant> {
    let choices = [Some(First::Rows), Some(First::Columns), None];
    Variant::each(
        choices,
        |first| first.map_or("one line", First::name).to_owned(),
        |instance, first, exchange| match first {
            Some(first) => br_xy::draft(instance, first, exchange),
            None => br_lin::draft_with(instance, exchange),
        },
    )
}
