//! The critical path over the rows.

use super::{
    super::{
        canvas::{Canvas, Compose, decimal, number, path},
        critical::Stretch,
    },
    plot::Plot,
};
use crate::rank::Rank;

/// Up to so many stretches of the path have tooltips.
const MOST_STRETCHES: usize = 300;

/// Draws the critical path: frames around what it goes over on nodes, lines along messages. What is on nodes without a row is
/// not shown.
pub(super) fn draw(canvas: &mut Canvas, plot: &Plot, stretches: &[Stretch]) {
    let half = plot.bar / 2.0 + 1.0;
    let middle = |rank: &Rank| Some(plot.top_of(*plot.rows.get(rank)?) + plot.pitch / 2.0);
    let (mut together, has_tooltips) = (String::new(), stretches.len() <= MOST_STRETCHES);
    for &Stretch { from, to, start, end } in stretches {
        let (Some(y), Some(below)) = (middle(&from), middle(&to)) else { continue };
        let (left, right) = (plot.x(start), plot.x(end));
        let (outline, what) = if from == to {
            let (width, height) = (decimal((right - left).max(0.5), 2), number(2.0 * half));
            let corner = format!("M{} {}", decimal(left, 2), number(y - half));
            (format!("{corner}h{width}v{height}h-{width}z"), format!("node {from}"))
        } else {
            let edge = if y < below { half } else { -half };
            let begin = format!("M{} {}", number(left), number(y + edge));
            (format!("{begin}L{} {}", number(right), number(below - edge)), format!("{from} to {to}"))
        };
        if has_tooltips {
            let says = format!("critical path: {what}, {} from {start}", end.since(start));
            canvas.add(path("crit", &outline).tells(&says));
        } else {
            together += &outline;
        }
    }
    if !together.is_empty() {
        canvas.add(path("crit", &together));
    }
}
