//! The network of a machine as page data: positions of vertices, in thousandths of a neighbour distance, and links.

use multicomputer::topology::{Link, Topology, Vertex};
use serde::Serialize;

use super::super::heat::Layout;

/// A network as data for pages, for `serde`. Vertices are the nodes by rank, followed by the switches.
#[derive(Debug, Serialize)]
pub struct Network {
    shape: &'static str,
    nodes: usize,
    /// The numbers of switches.
    switches: Vec<usize>,
    /// The positions of vertices: x and y (down) alternate.
    places: Vec<i64>,
    /// The ends of links: source and destination alternate.
    links: Vec<usize>,
    /// The wraparound links, three values for each: its number, and x and y of the direction in which it leaves its source.
    closing: Vec<i64>,
    /// The shortest distance between neighbours.
    nearest: i64,
}

impl Network {
    /// Lays out a topology, as in a [heat map](crate::Heat).
    pub fn of(topology: &dyn Topology) -> Network {
        let layout = Layout::of(topology);
        let switches: Vec<usize> = layout.of_switches().map(|(number, _)| number).collect();
        let thousandths = |length: f64| (length * 1000.0).round() as i64;
        let vertices = layout.of_nodes().iter().copied().chain(layout.of_switches().map(|(_, place)| place));
        let places = vertices.flat_map(|(x, y)| [thousandths(x), thousandths(y)]).collect();
        let index = |vertex| match vertex {
            Vertex::Node(rank) => rank,
            // Switches are sorted by number.
            Vertex::Switch(number) => topology.nodes() + switches.partition_point(|&other| other < number),
        };
        let (mut links, mut closing) = (Vec::new(), Vec::new());
        for (number, link) in (0..topology.links()).map(|number| (number, topology.link(number))) {
            let Link { from, to } = link;
            links.extend([index(from), index(to)]);
            if let Some((x, y)) = layout.closes(link) {
                closing.extend([number as i64, thousandths(x), thousandths(y)]);
            }
        }
        let nearest = thousandths(layout.nearest(topology));
        Network { shape: layout.shape, nodes: topology.nodes(), places, links, closing, nearest, switches }
    }
}
