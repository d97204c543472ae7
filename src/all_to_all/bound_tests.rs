use super::*;
use crate::{
    all_to_all::{Generator, Matrix},
    model::{Faults, MachineSpec},
};

fn bound(machine: &str, matrix: Matrix) -> LowerBound {
    let machine: MachineSpec = machine.parse().unwrap();
    Instance::new(&machine, matrix).unwrap().lower_bound()
}

fn is_close(span: Span, seconds: f64) -> bool {
    (span.as_secs_f64() - seconds).abs() < 1e-8
}

#[test]
fn ports_decide_for_many_bytes() {
    let bound = bound("paragon:4x4", Matrix::of(16, |_, _| 10_000).unwrap());
    assert!(is_close(bound.of(Reason::Traffic), 15e4 * 30.6e-9 + 184.04e-6));
    assert!(is_close(bound.of(Reason::BothWays), 2.0 * 15e4 * 30.6e-9 / 1.35 + 184.04e-6));
    assert_eq!(bound.time(), bound.of(Reason::BothWays));
}

#[test]
fn the_top_of_a_fat_tree_decides_if_all_messages_cross_it() {
    let cross = Matrix::of(32, |from, to| if to == (from + 16) % 32 { 100_000 } else { 0 }).unwrap();
    let bound = bound("hockney:1x32", cross.clone());
    assert!(bound.of(Reason::Bisection) > Span::ZERO);
    let machine: MachineSpec = "hockney:1x32".parse().unwrap();
    let tree = crate::topology::parse("fat-tree:32").unwrap();
    let machine = MachineSpec::new("tree", tree, machine.parameters().clone());
    let bound = Instance::new(&machine, cross).unwrap().lower_bound();
    assert!(is_close(bound.of(Reason::Bisection), 16e5 / 80e6 + 130e-6), "{bound:?}");
    assert_eq!(bound.time(), bound.of(Reason::Bisection));
}

/// Ranks are placed at random, so no straight cut contains exactly the links between groups of the dragonfly.
#[test]
fn paths_decide_if_no_straight_cut_does() {
    let bound = bound("placed:random:1:dragonfly:3x1x4", Matrix::of(12, |_, _| 1 << 18).unwrap());
    assert_eq!(bound.decisive(), Some(Reason::Paths), "{bound:?}");
    // In each of three groups, four nodes send to four nodes of each other group, through one link of 20 MB/s.
    let links = 16.0 * f64::from(1 << 18) / 20e6 + 130e-6;
    let paths = bound.of(Reason::Paths).as_secs_f64();
    assert!((0.98 * links..=links).contains(&paths), "{paths} of {links}");
}

/// If both messages are sent directly, they share a link. The bound must also hold if other members forward data.
#[test]
fn paths_may_use_intermediaries() {
    let across = |members: Vec<Rank>| {
        let machine: MachineSpec = "ring:8".parse().unwrap();
        let of = |from: Rank, to: Rank| if from < 2 && to == from + 2 { 1_000_000 } else { 0 };
        let matrix = Matrix::of(members.len(), of).unwrap();
        Instance::among(&machine, members, matrix).unwrap().lower_bound().of(Reason::Paths).as_secs_f64()
    };
    let (alone, all) = (across(vec![0, 1, 2, 3]), across((0..8).collect()));
    assert!((0.099..0.1002).contains(&alone), "{alone}");
    assert!((0.05..0.076).contains(&all), "{all}");
}

#[test]
fn with_detours_there_is_no_bound_by_paths() {
    let machine: MachineSpec = "ethernet:8".parse().unwrap();
    let paths = |detours| {
        let faults = Faults::new(["dead:0-s0@0".parse().unwrap()]).detours(detours);
        let machine = machine.clone().with_faults(faults).unwrap();
        let matrix = Matrix::of(8, |_, _| 1 << 20).unwrap();
        Instance::new(&machine, matrix).unwrap().lower_bound().of(Reason::Paths)
    };
    assert!(paths(true).is_zero() && !paths(false).is_zero());
}

#[test]
fn start_ups_decide_for_few_bytes() {
    // Every node hears from all: 2 log2(16) halves of a start-up. One node reaches all others in 1 + 5 halves.
    let bound = bound("hockney:4x4", Matrix::of(16, |_, _| 1).unwrap());
    assert_eq!(bound.of(Reason::Gossip).to_string(), "520 us");
    assert_eq!(bound.time(), bound.of(Reason::Gossip));
}

#[test]
fn without_messages_the_bound_is_zero() {
    assert_eq!(bound("paragon:2x2", Matrix::of(4, |_, _| 0).unwrap()).time(), Span::ZERO);
    let own = Matrix::of(4, |from, to| if from == to { 100 } else { 0 }).unwrap();
    assert_eq!(bound("paragon:2x2", own).time(), Span::ZERO);
}

#[test]
fn a_generated_matrix_takes_its_traffic() {
    let matrix = Generator { nodes: 16, fan_out: 4, traffic: 1 << 20, nonuniformity: 0.25, seed: 5 };
    let bound = bound("hockney:4x4", matrix.matrix().unwrap());
    assert!(is_close(bound.of(Reason::Traffic), (1 << 20) as f64 * 50e-9 + 130e-6));
}

/// Compares the sums over rectangles with counts entry by entry, for members in several orders on machines of one row
/// and of several rows.
#[test]
fn bytes_across_a_border_are_sums_of_rectangles() {
    for (machine, nodes) in [("hockney:1x11", 11), ("hockney:4x5", 20)] {
        let machine: MachineSpec = machine.parse().unwrap();
        for (step, size) in [(1, nodes), (3, nodes), (7, nodes / 2), (9, 1)] {
            let members: Vec<Rank> = (0..size).map(|rank| (rank * step + 2) % nodes).collect();
            let of = |from: Rank, to: Rank| ((from * 31 + to * 17) % 23 * usize::from(from != to)) as u64;
            let matrix = Matrix::of(size, of).unwrap();
            let instance = Instance::among(&machine, members.clone(), matrix.clone()).unwrap();
            let sums = Sums::of(&instance, &matrix);
            let check = |inside: &[Rank]| {
                let is_inside = |rank: Rank| inside.contains(&members[rank]);
                let crossing = |from_inside: bool| -> u64 {
                    let messages = matrix.messages().filter(|&(from, to, _)| {
                        (is_inside(from), is_inside(to)) == (from_inside, !from_inside)
                    });
                    messages.map(|(.., bytes)| bytes).sum()
                };
                let counted = sums.inside(inside);
                assert_eq!(counted.members, (0..size).filter(|&rank| is_inside(rank)).count());
                assert_eq!((counted.out, counted.into), (crossing(true), crossing(false)), "{inside:?}");
            };
            let links = Links::of(&machine);
            links.cuts(check);
            links.submeshes(check);
        }
    }
}
