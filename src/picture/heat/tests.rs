//! Loads of links, held against the report, and the shapes of networks.

use super::{
    super::tests::{MACHINES, attribute, busy, elements},
    layout::Layout,
    *,
};
use crate::{Machine, topology};

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
        ("hypercube:64", "a hypercube"),
        ("tree:11", "a tree"),
        ("fat-tree:64", "a tree"),
        ("complete:9", "a circle"),
        ("complete:200", "a circle"),
        ("dragonfly:3x2x2", "a free network"),
        ("file:examples/network.toml", "a free network"),
    ] {
        let network = topology::parse(machine).unwrap();
        let layout = Layout::of(&*network);
        assert_eq!(layout.shape, shape, "{machine}");
        let mut places: Vec<_> = layout.of_nodes().to_vec();
        places.extend(layout.of_switches().map(|(_, place)| place));
        assert_eq!(places.len(), network.nodes() + network.switches(), "{machine}");
        let nearest = layout.nearest(&*network);
        for (nth, one) in places.iter().enumerate() {
            for other in &places[..nth] {
                let distance = (one.0 - other.0).hypot(one.1 - other.1);
                // Twice the radius that they have where there is room.
                assert!(distance > 0.38 * nearest, "two vertices of {machine} are at {one:?}");
            }
        }
    }
}

#[test]
fn what_is_used_has_rules_that_need_no_ancestor() {
    for (machine, classes) in [
        ("torus:3x4", vec!["mc-label", "mc-net", "mc-node"]),
        ("fat-tree:64", vec!["mc-label", "mc-net", "mc-node", "mc-switch"]),
        ("mesh:100x100", vec!["mc-dot", "mc-net"]),
    ] {
        let machine = Machine::of(machine.parse().unwrap()).trace(true).build().unwrap();
        let run = machine.run(|node| {
            match node.rank() {
                0 => node.world().send(1, [0_u8; 100])?,
                1 => drop(node.world().recv(0)?),
                _ => {}
            }
            Ok(())
        });
        let svg = Heat::of(&run.unwrap()).to_svg().unwrap();
        let (_, defs) = svg.split_once("<defs>").unwrap();
        let (defs, _) = defs.split_once("</defs>").unwrap();
        let defs = elements(&format!("<svg>{defs}</svg>"));
        let mut used: Vec<&str> = defs.iter().filter_map(|element| attribute(element, "class")).collect();
        used.sort_unstable();
        used.dedup();
        // Numbers that could not be read are not there.
        assert!(used.iter().all(|class| classes.contains(class)) && used.len() >= 2, "{used:?}");
        let (_, style) = svg.split_once("<style>").unwrap();
        let (light, dark) = style.split_once("@media").unwrap();
        for class in used {
            assert!(light.contains(&format!("}}.{class}{{")), "no rule for {class} alone");
            let has_dark =
                [format!("}}.{class}{{"), format!("{{.{class}{{")].iter().any(|rule| dark.contains(rule));
            assert!(has_dark || class == "mc-net", "no rule for {class} in the dark");
        }
    }
}
