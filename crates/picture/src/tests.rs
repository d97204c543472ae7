//! Tests of all pictures: the SVG is well formed, output is reproducible, and errors name what is missing.

use std::error::Error;

use multicomputer::{Clock, Machine, Run, Time, prelude::*};
use svg::{node::element::tag::Type, parser::Event};

use super::*;

/// Parses a picture and checks that it is well formed; returns its elements in order, each with its attributes.
pub(super) fn elements(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for event in svg::read(text).expect("a text can be read") {
        match event {
            Event::Error(error) => panic!("{error}"),
            Event::Tag(name, kind, attributes) => {
                if kind == Type::End {
                    assert_eq!(open.pop().as_deref(), Some(name));
                    continue;
                }
                if kind == Type::Start {
                    open.push(name.to_owned());
                }
                let mut attributes: Vec<(String, String)> =
                    attributes.into_iter().map(|(name, value)| (name, value.to_string())).collect();
                attributes.sort();
                all.push((name.to_owned(), attributes));
            }
            Event::Text(text) => assert!(!text.contains("NaN") && !text.contains("inf"), "{text}"),
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    for (name, attributes) in &all {
        for (attribute, value) in attributes {
            assert!(!value.contains("NaN") && !value.contains("inf"), "{name} {attribute}={value}");
        }
    }
    all
}

/// Returns the value of an attribute, if the element has it.
pub(super) fn attribute<'e>(element: &'e (String, Vec<(String, String)>), name: &str) -> Option<&'e str> {
    element.1.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Runs an all-to-all pattern, in phases whose names need escaping.
pub(super) fn busy(machine: &str, traced: bool) -> Run<()> {
    let machine = Machine::builder(machine.parse().unwrap()).trace(traced).build().unwrap();
    let run = machine.run(|node| {
        let world = node.world();
        let (rank, size) = (world.rank(), world.size());
        node.compute(Span::from_micros(10 * (rank as u64 % 3)))?;
        let _phase = node.phase("<all & \"every\u{1}thing\">")?;
        for far in 1..size {
            let to = (rank + far) % size;
            world.sendrecv(to, vec![0_u8; 100 * far], (rank + size - far) % size)?;
        }
        let mut sum = vec![1.0; 300];
        world.all_reduce(&mut sum, multicomputer::collective::Sum)?;
        world.send(rank, vec![1_u8; 8])?;
        drop(world.recv(rank)?);
        Ok(())
    });
    run.unwrap()
}

/// At least one machine of every topology.
pub(super) const MACHINES: [&str; 17] = [
    "line:1",
    "line:5",
    "ring:3",
    "ring:8",
    "mesh:3x4",
    "mesh:1x3",
    "torus:3x4",
    "torus:2x2",
    "mesh:2x3x2",
    "torus:3x3x3",
    "hypercube:2",
    "hypercube:16",
    "complete:7",
    "tree:6",
    "tree:1",
    "cm5:17",
    concat!("file:", env!("CARGO_MANIFEST_DIR"), "/../../examples/network.toml"),
];

#[test]
fn pictures_of_all_machines_are_valid_and_the_same_every_time() -> Result<(), Box<dyn Error>> {
    for machine in MACHINES {
        let draw = || -> Result<[String; 2], PictureError> {
            let run = busy(machine, true);
            Ok([SpaceTime::of(&run).to_svg()?, Heat::of(&run).to_svg()?])
        };
        let pictures = draw()?;
        pictures.iter().for_each(|picture| drop(elements(picture)));
        assert!(draw()? == pictures, "{machine}");
    }
    Ok(())
}

#[test]
fn runs_without_a_trace_are_refused() {
    let run = busy("mesh:2x2", false);
    assert_eq!(SpaceTime::of(&run).to_svg(), Err(PictureError::NotTraced));
    assert_eq!(Heat::of(&run).measures([Measure::Shared]).to_svg(), Err(PictureError::NotTraced));
    assert_eq!(
        PictureError::NotTraced.to_string(),
        "the run was not traced: build its machine with `trace(true)`"
    );
    // Without a trace, the report still has the loads of links.
    let svg = Heat::of(&run).to_svg().unwrap();
    assert!(svg.contains("bytes carried: ") && svg.contains("time busy: ") && !svg.contains("time shared"));
}

#[test]
fn unknown_ranks_and_empty_selections_are_refused() {
    let run = busy("mesh:2x2", true);
    let missing = PictureError::NoSuchNode { given: 4, nodes: 4 };
    assert_eq!(SpaceTime::of(&run).nodes([4]).to_svg(), Err(missing.clone()));
    assert_eq!(SpaceTime::of(&run).mark("it", [(4, Time::ZERO, Time::ZERO)]).to_svg(), Err(missing.clone()));
    assert_eq!(missing.to_string(), "node 4 does not exist: the 4 nodes of the machine have ranks 0 to 3");
    assert_eq!(SpaceTime::of(&run).nodes([]).to_svg(), Err(PictureError::Empty { what: "node" }));
    assert_eq!(Heat::of(&run).measures([]).to_svg(), Err(PictureError::Empty { what: "measure" }));
}

#[test]
fn under_the_hosts_clock_nodes_and_messages_are_drawn_and_no_network() {
    let machine = Machine::mesh(1, 2).clock(Clock::Host).trace(true).build().unwrap();
    let run = machine.run(|node| {
        let other = 1 - node.rank();
        node.world().sendrecv(other, vec![1_u8; 100], other)?;
        Ok(())
    });
    let run = run.unwrap();
    assert_eq!(Heat::of(&run).to_svg(), Err(PictureError::NoNetwork));
    let svg = SpaceTime::of(&run).to_svg().unwrap();
    let messages = elements(&svg).iter().filter(|element| attribute(element, "marker-end").is_some()).count();
    assert_eq!(messages, 2);
    assert!(svg.contains(" on the wall clock; ") && svg.contains("from the start of a send"));
}

#[test]
fn a_run_without_any_call_has_pictures() {
    let run = Machine::mesh(2, 2).trace(true).build().unwrap().run(|_| Ok(())).unwrap();
    elements(&SpaceTime::of(&run).to_svg().unwrap());
    let svg = Heat::of(&run).to_svg().unwrap();
    elements(&svg);
    assert!(svg.contains("No traffic: no message crossed a link, so no network is drawn."));
    assert!(!svg.contains("mc-lines") && !svg.contains("Drawn as"));
}
