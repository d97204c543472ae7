//! Layout of a network without a known structure, by stress majorization: distances in the drawing approximate distances in links.
//!
//! The stress of a drawing is the sum over all pairs of ((drawn distance - links between) / links between)^2. Each step moves every vertex
//! to the weighted mean of the positions at which its distance to each other vertex would be right (majorization, after Gansner, Koren and
//! North, "Graph Drawing by Stress Majorization", 2004), which never increases the stress. Sums have a fixed order, and divisions and
//! square roots are the same on all hosts, so the drawing is deterministic.

use super::{Point, depths};

const ITERATIONS: usize = 300;

/// Returns positions for the vertices of a network. `neighbours` lists the neighbours of each vertex, `places` the initial positions.
pub(super) fn places(neighbours: &[Vec<usize>], mut places: Vec<Point>) -> Vec<Point> {
    let vertices = neighbours.len();
    let far = vertices as f64;
    let links: Vec<Vec<f64>> = (0..vertices)
        .map(|from| match depths(neighbours, from) {
            Some(depths) => depths.into_iter().map(f64::from).collect(),
            None => vec![far; vertices],
        })
        .collect();
    for _ in 0..ITERATIONS {
        for vertex in 0..vertices {
            let here = places[vertex];
            let (mut weights, mut sum) = (0.0, (0.0, 0.0));
            for (other, &there) in places.iter().enumerate().filter(|(other, _)| *other != vertex) {
                let wanted = links[vertex][other];
                let weight = 1.0 / (wanted * wanted);
                let (x, y) = (here.0 - there.0, here.1 - there.1);
                let distance = (x * x + y * y).sqrt().max(1e-9);
                sum.0 += weight * (there.0 + wanted * x / distance);
                sum.1 += weight * (there.1 + wanted * y / distance);
                weights += weight;
            }
            if weights > 0.0 {
                places[vertex] = (sum.0 / weights, sum.1 / weights);
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::{super::circle, *};

    #[test]
    fn a_square_becomes_a_square_and_a_line_becomes_straight() {
        let distance =
            |one: Point, other: Point| ((one.0 - other.0).powi(2) + (one.1 - other.1).powi(2)).sqrt();
        let square = places(&[vec![1, 3], vec![0, 2], vec![1, 3], vec![0, 2]], circle(4, 3.0));
        let sides: Vec<f64> = (0..4).map(|nth| distance(square[nth], square[(nth + 1) % 4])).collect();
        assert!(sides.iter().all(|side| (side - sides[0]).abs() < 1e-3), "{sides:?}");
        let line = places(&[vec![1], vec![0, 2], vec![1]], circle(3, 3.0));
        assert!((distance(line[0], line[2]) - 2.0).abs() < 0.01, "{line:?}");
    }
}
