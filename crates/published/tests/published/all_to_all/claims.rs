//! *Auto* beside the algorithms of Ranka, Shankar and Alsabti, and beside what nothing can beat. What their paper claims is
//! in `crates/published/src/all_to_all`.

use multicomputer::{
    all_to_all::{Algorithm, Class, Generator, Instance, Matrix},
    model::MachineSpec,
};

use super::*;

/// What an algorithm takes, in seconds; from a run if only that can tell.
fn seconds(machine: &MachineSpec, matrix: &Arc<Matrix>, algorithm: Algorithm) -> f64 {
    let instance = Instance::new(machine, matrix.clone()).unwrap();
    let plan = algorithm.plan(&instance).unwrap();
    modeled(&plan, &instance).as_secs_f64()
}

/// The algorithms of the paper.
fn of_the_paper(algorithm: &Algorithm) -> bool {
    algorithm.source().starts_with("Ranka, Shankar, Alsabti 1995") && *algorithm != Algorithm::PAIRWISE
}

/// `Auto` beats all algorithms of the paper, on machines with and without hardware barriers and wide links.
#[test]
fn auto_is_never_slower_than_the_paper() {
    for machine in ["cm5:32", "paragon:4x4", "hockney:3x3", "hypercube:8"] {
        let machine: MachineSpec = machine.parse().unwrap();
        let nodes = machine.nodes();
        let generated = |fan_out: usize, nonuniformity: f64, traffic: u64| {
            Generator { nodes, fan_out, traffic, nonuniformity, seed: 3 }.matrix().unwrap()
        };
        let hot = |from: usize, to: usize| if to == 1 { 20_000 } else { from as u64 };
        let matrices = [
            generated(nodes, 1.0 / nodes as f64, 1 << 16),
            generated(nodes, 1.0 / nodes as f64, 1 << 20),
            generated(2, 0.5, 1 << 20),
            generated(5, 0.2, 1 << 14),
            Matrix::of(nodes, |_, _| 1 << 15).unwrap(),
            Matrix::of(nodes, |_, _| 100).unwrap(),
            Matrix::of(nodes, hot).unwrap(),
        ];
        for matrix in matrices.map(Arc::new) {
            let auto = seconds(&machine, &matrix, Algorithm::AUTO);
            for algorithm in Algorithm::ALL.iter().filter(|algorithm| of_the_paper(algorithm)).cloned() {
                if algorithm == Algorithm::LINEAR && matrix.class() != (Class::AllToAll, true) {
                    continue;
                }
                let took = seconds(&machine, &matrix, algorithm.clone());
                assert!(auto <= took, "{algorithm}, {}: {took} s, and auto takes {auto} s", machine.name());
            }
        }
    }
}

/// Where messages are long `Auto` comes close to what nothing can beat, also if links are crowded.
#[test]
fn auto_comes_within_1_3_of_the_bound_for_large_traffic() {
    for (machine, traffic) in [("cm5:32", 1 << 20), ("paragon:16x16", 4 << 20)] {
        let machine: MachineSpec = machine.parse().unwrap();
        let nodes = machine.nodes();
        let side = 1 << (nodes.ilog2() / 2);
        let transpose = |from: usize, to: usize| {
            let is_other_side = (from / side, from % side) == (to % side, to / side);
            if from != to && is_other_side { traffic } else { 0 }
        };
        let generated = |fan_out: usize, nonuniformity: f64| {
            Generator { nodes, fan_out, traffic, nonuniformity, seed: 3 }.matrix().unwrap()
        };
        let matrices = [
            generated(2, 0.5),
            generated(5, 0.2),
            generated(nodes, 1.0 / nodes as f64),
            Matrix::of(nodes, transpose).unwrap(),
        ];
        for matrix in matrices.map(Arc::new) {
            let auto = seconds(&machine, &matrix, Algorithm::AUTO);
            let bound = Instance::new(&machine, matrix).unwrap().lower_bound().time().as_secs_f64();
            assert!(
                (1.0..1.3).contains(&(auto / bound)),
                "{}: {auto} s, and the bound is {bound} s",
                machine.name()
            );
        }
    }
}
