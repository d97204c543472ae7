//! Tests of link loads against the report, and of the layouts of networks.

use multicomputer::{Machine, topology};

use super::{
    super::tests::{MACHINES, attribute, busy, elements},
    layout::Layout,
    *,
};

#[test]
fn links_are_busy_as_long_as_the_report_says_and_shared_no_longer() {
    for machine in MACHINES {
        let run = busy(machine, true);
        let traffic = Traffic::of(&run.trace.transfers, &**run.machine().topology());
        for link in &run.report.links {
            let times = traffic.links.get(&link.id).copied().unwrap_or_default();
            assert_eq!(times.busy, link.load.busy, "{} of {machine}", link.link);
            assert!(times.shared <= times.busy);
            // The converse need not hold: messages that overlap only at an instant are counted as two flows, but share
            // no time.
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
fn layouts_match_the_topology() {
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
        (concat!("file:", env!("CARGO_MANIFEST_DIR"), "/../../examples/network.toml"), "a free network"),
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
                // 0.38 is twice the radius of a vertex, 0.19 of the distance.
                assert!(distance > 0.38 * nearest, "two vertices of {machine} are at {one:?}");
            }
        }
    }
}

#[test]
fn used_elements_have_style_rules_without_ancestors() {
    for (machine, classes) in [
        ("torus:3x4", vec!["mc-label", "mc-net", "mc-node"]),
        ("mesh:24x24", vec!["mc-net", "mc-node", "mc-rank", "mc-row"]),
        ("fat-tree:64", vec!["mc-label", "mc-net", "mc-node", "mc-rank", "mc-switch"]),
        ("mesh:100x100", vec!["mc-dot", "mc-net", "mc-rank", "mc-row"]),
    ] {
        let machine = Machine::builder(machine.parse().unwrap()).trace(true).build().unwrap();
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
        // Networks whose nodes are too small for numbers have other classes of labels.
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

/// Returns the texts of a class, in order.
fn texts(svg: &str, class: &str) -> Vec<String> {
    let begin = format!("<text class=\"{class}\"");
    let parts = svg.split(&begin).skip(1);
    let text = |part: &str| part.split_once('>').unwrap().1.split_once('<').unwrap().0.trim().to_owned();
    parts.map(text).collect()
}

/// Runs a program in which node 0 sends one message to node 1.
fn one_message(machine: &str, bytes: usize) -> multicomputer::Run<()> {
    let machine = Machine::builder(machine.parse().unwrap()).trace(true).build().unwrap();
    let run = machine.run(|node| {
        match node.rank() {
            0 => node.world().send(1, vec![0_u8; bytes])?,
            1 => drop(node.world().recv(0)?),
            _ => {}
        }
        Ok(())
    });
    run.unwrap()
}

#[test]
fn labels_of_small_nodes_are_sampled_outside() {
    let map = |machine: &str| Heat::of(&one_message(machine, 100)).to_svg().unwrap();
    let ranks =
        |step: usize, count: usize| (0..count).map(|nth| (nth * step).to_string()).collect::<Vec<_>>();
    let mesh = map("mesh:24x24");
    assert_eq!((texts(&mesh, "mc-rank"), texts(&mesh, "mc-row")), (ranks(1, 24), ranks(24, 24)));
    assert!(
        mesh.contains("A node's rank is the figure at the left of its row plus the figure above its column.")
    );
    assert_eq!(texts(&map("torus:4x8x8"), "mc-rank"), ranks(1, 256));
    for machine in ["hypercube:256", "cm5:256", "h100-cluster:32", "complete:200"] {
        let svg = map(machine);
        let (labels, note) = (texts(&svg, "mc-rank"), "Figures beside nodes: ranks 0, ");
        assert!(labels.len() >= 16, "{machine}: {labels:?}");
        let step: usize = labels[1].parse().unwrap();
        assert_eq!(labels, ranks(step, labels.len()), "{machine}");
        assert!(svg.contains(&format!("{note}{step}, {}, ..", 2 * step)), "{machine}");
    }
}

#[test]
fn title_scale_and_tooltips_have_one_unit() {
    let svg = Heat::of(&one_message("line:3", 8000)).measures([Measure::Bytes]).to_svg().unwrap();
    assert!(svg.contains("bytes carried: 8000 B at most, from 0 to 1"), "{svg}");
    assert!(svg.contains("node 0 to node 1: 8000 B in 1 message"), "{svg}");
    assert_eq!(texts(&svg, "small end")[..6], ["1333", "2667", "4000", "5333", "6667", "8000"]);
    assert_eq!(texts(&svg, "small")[0], "B");
}

#[test]
fn a_measure_without_values_has_a_note_and_no_panel() {
    let run = one_message("mesh:16x16", 8000);
    let all = Heat::of(&run).to_svg().unwrap();
    assert_eq!(all.matches("href=\"#mc-lines\"").count(), 2, "two panels");
    assert!(all.contains("time shared: none, no two messages moved over one link at the same time"));
    let shared = Heat::of(&run).measures([Measure::Shared]).to_svg().unwrap();
    assert!(!shared.contains("mc-lines") && shared.contains("time shared: none, "));
}
