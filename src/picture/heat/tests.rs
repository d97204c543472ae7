//! Loads of links, held against the report, and the shapes of networks.

use super::{
    super::tests::{MACHINES, attribute, busy, elements},
    layout::Layout,
    *,
};
use crate::topology;

#[test]
fn links_are_busy_as_long_as_the_report_says_and_shared_no_longer() {
    for machine in MACHINES {
        let run = busy(machine, true);
        let traffic = Traffic::of(&run.trace.transfers, &**run.machine().topology());
        for link in &run.report.links {
            let times = traffic.links.get(&link.id).copied().unwrap_or_default();
            assert_eq!(times.busy, link.load.busy, "{} of {machine}", link.link);
            assert!(times.shared <= times.busy);
            // Of two messages that meet for an instant alone there are two at once, and no time is shared.
            assert!(times.shared.is_zero() || link.load.most_flows >= 2, "{} of {machine}", link.link);
        }
    }
}

#[test]
fn every_loaded_link_is_drawn_with_its_figures() {
    let run = busy("torus:3x4", true);
    let svg = Heat::of(&run).measures([Measure::Bytes]).to_svg().unwrap();
    let elements = elements(&svg);
    let classes = elements.iter().filter_map(|element| attribute(element, "class"));
    let drawn = classes.filter(|class| class.len() == 2 && class.starts_with('b') && *class != "bg").count();
    assert_eq!(drawn, run.report.links.len());
    for link in &run.report.links {
        let vertices = format!("{} to {}: ", link.link.from, link.link.to);
        assert!(svg.contains(&vertices), "no {vertices}");
    }
    assert!(svg.contains("Drawn as a torus."));
}

#[test]
fn networks_are_drawn_as_what_they_are() {
    for (machine, shape) in [
        ("line:5", "a line"),
        ("ring:8", "a ring"),
        ("mesh:3x4", "a mesh"),
        ("torus:3x4", "a torus"),
        ("mesh:3x4x5", "a mesh of planes behind each other"),
        ("torus:3x4x5", "a torus of planes behind each other"),
        ("hypercube:16", "a hypercube"),
        ("tree:11", "a tree"),
        ("fat-tree:64", "a tree"),
        ("complete:9", "a circle"),
        ("complete:200", "a circle"),
        ("file:examples/network.toml", "a free network"),
    ] {
        let network = topology::parse(machine).unwrap();
        let layout = Layout::of(&*network);
        assert_eq!(layout.shape, shape, "{machine}");
        let mut places: Vec<_> = layout.of_nodes().to_vec();
        places.extend(layout.of_switches().map(|(_, place)| place));
        assert_eq!(places.len(), network.nodes() + network.switches(), "{machine}");
        for (nth, one) in places.iter().enumerate() {
            for other in &places[..nth] {
                let distance = (one.0 - other.0).hypot(one.1 - other.1);
                assert!(distance > 0.1, "two vertices of {machine} are at {one:?}");
            }
        }
    }
}
