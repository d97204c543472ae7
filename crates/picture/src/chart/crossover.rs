//! Crossovers: the points at which the lowest line of a chart changes.

use super::{Axis, Chart, Line, Origin, Scale};

/// A point of a chart at which the lowest line changes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Crossover {
    /// The position on the x axis, and the value of both lines there.
    pub at: [f64; 2],
    /// The name of the line that is the lowest on the left.
    pub from: String,
    /// The name of the line that is the lowest on the right.
    pub to: String,
}

/// Returns the crossovers of the modeled lines of a chart.
pub(super) fn of(chart: &Chart) -> Vec<Crossover> {
    if matches!(chart.x.scale, Scale::Names(_)) {
        return Vec::new();
    }
    let lines: Vec<&Line> = chart.lines.iter().filter(|line| line.origin == Origin::Modeled).collect();
    let mut places: Vec<f64> =
        lines.iter().flat_map(|line| line.points.iter().map(|point| point[0])).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let height =
        |line: &Line, place: f64| line.points.iter().find(|point| point[0] == place).map(|point| point[1]);
    // Of equally low lines the first one counts as the lowest.
    let lowest = |place: f64| {
        let heights = lines.iter().enumerate().filter_map(|(nth, line)| Some((nth, height(line, place)?)));
        heights.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(nth, _)| nth)
    };
    let mut crossovers = Vec::new();
    for pair in places.windows(2) {
        let (Some(mut from), Some(last)) = (lowest(pair[0]), lowest(pair[1])) else { continue };
        // Between two abscissas a third line may be the lowest, so the search moves from one crossing to the next.
        let mut begin = 0.0;
        while from != last {
            let ends = |nth: usize| Some([height(lines[nth], pair[0])?, height(lines[nth], pair[1])?]);
            let crossed = (0..lines.len()).filter(|nth| *nth != from).filter_map(|nth| {
                let part = crossing(&chart.y, ends(from)?, ends(nth)?)?;
                (part > begin || (part == begin && nth == last)).then_some((part, nth))
            });
            let Some((part, to)) = crossed.min_by(|one, other| one.0.total_cmp(&other.0)) else { break };
            let x = between(&chart.x, pair[0], pair[1], part);
            let y = ends(to).map_or(0.0, |[left, right]| between(&chart.y, left, right, part));
            let [from_name, to_name] = [from, to].map(|nth| lines[nth].name.clone());
            crossovers.push(Crossover { at: [x, y], from: from_name, to: to_name });
            (from, begin) = (to, part);
        }
    }
    crossovers
}

/// Returns the position at which the line `other` falls below the line `one`, as a fraction of the interval, if it does. Both are given by
/// their values at the ends of the interval.
fn crossing(axis: &Axis, one: [f64; 2], other: [f64; 2]) -> Option<f64> {
    let scaled = |height: f64| if axis.scale == Scale::Logarithmic { height.ln() } else { height };
    let [left, right] = [0, 1].map(|end| scaled(other[end]) - scaled(one[end]));
    (left >= 0.0 && right < 0.0).then(|| left / (left - right))
}

/// Interpolates between two numbers on the scale of the axis.
fn between(axis: &Axis, low: f64, high: f64, part: f64) -> f64 {
    match axis.scale {
        Scale::Logarithmic => (low.ln() + part * (high.ln() - low.ln())).exp(),
        _ => low + part * (high - low),
    }
}
