//! Draws the critical path over the rows.

use super::{
    super::{
        canvas::{Canvas, ElementBuilder, decimal, number, path},
        critical::Stretch,
    },
    plot::Plot,
};
/// Maximum number of stretches of the path with tooltips.
const MAX_STRETCHES: usize = 300;

/// Draws the critical path: frames around stretches on nodes, lines along messages. On a rank without a row it is a
/// line at the rank's position between the rows, so that the path has no gaps.
pub(super) fn draw(canvas: &mut Canvas, plot: &Plot, stretches: &[Stretch]) {
    let half = plot.bar / 2.0 + 1.0;
    let (mut together, has_tooltips) = (String::new(), stretches.len() <= MAX_STRETCHES);
    for &Stretch { from, to, start, end } in stretches {
        let (y, below) = (plot.middle(from), plot.middle(to));
        let (left, right) = (plot.x(start), plot.x(end));
        let outline = if from == to && plot.has_row(from) {
            let (width, height) = (decimal((right - left).max(0.5), 2), number(2.0 * half));
            let corner = format!("M{} {}", decimal(left, 2), number(y - half));
            format!("{corner}h{width}v{height}h-{width}z")
        } else {
            // The line leads from the edge of one frame to the edge of the next frame.
            let direction = if from == to {
                0.0
            } else if y < below {
                half
            } else {
                -half
            };
            let edge = |rank| if plot.has_row(rank) { direction } else { 0.0 };
            let [begin, stop] = plot.line((start, y + edge(from)), (end, below - edge(to)));
            format!("M{} {}L{} {}", number(begin.0), number(begin.1), number(stop.0), number(stop.1))
        };
        if has_tooltips {
            let what = if from == to { format!("node {from}") } else { format!("{from} to {to}") };
            let tooltip = format!("critical path: {what}, {} from {start}", end.since(start));
            canvas.add(path("crit", &outline).with_tooltip(&tooltip));
        } else {
            together += &outline;
        }
    }
    if !together.is_empty() {
        canvas.add(path("crit", &together));
    }
}
