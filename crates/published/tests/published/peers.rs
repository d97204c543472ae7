//! *Auto* beside the collectives of other libraries on the same modeled network.
//!
//! `tests/data/collective_peers.csv` has the best times that the algorithms of MPICH, Open MPI, MVAPICH2 and Intel
//! MPI reach in SimGrid 3.32 (SMPI), on 16 x 32 and 15 x 30 meshes with links of 1 and of 2 times the capacity of a
//! port: modeled milliseconds with alpha = 130 us, beta = 50 ns/byte, gamma = 0, max-min sharing and routes X then
//! Y, all ranks in row-major order and starting together. Only those count that keep to one port: in which no node
//! ever has two sends or two receives under way. Of one selector (`selector ..`) or single algorithm it is the
//! fastest in each cell. `bytes` is the whole vector. What differs: there all of alpha is latency of the network;
//! where sends block, as they do in the one-port rows, a step takes alpha + n beta in both.

use multicomputer::{
    collective::{Algorithm, Operation, Task},
    model::{MachineSpec, Parameters},
    topology::{self, Grid},
};
use serde::Deserialize;

use crate::support::is_full;

/// The best of the others in one cell.
#[derive(Debug, Deserialize)]
struct Peer {
    operation: String,
    rows: usize,
    columns: usize,
    k: f64,
    bytes: u64,
    milliseconds: f64,
    algorithm: String,
}

fn peers() -> Vec<Peer> {
    let text = include_str!("../data/collective_peers.csv");
    csv::Reader::from_reader(text.as_bytes()).into_deserialize().map(Result::unwrap).collect()
}

impl Peer {
    fn task(&self) -> Task {
        let grid = Grid::new(self.rows, self.columns).unwrap();
        let parameters = Parameters::hockney().to_builder().link_excess(self.k).build().unwrap();
        let mesh = topology::parse(&format!("mesh:{grid}")).unwrap();
        let machine = MachineSpec::new(format!("{grid} k={}", self.k), mesh, parameters);
        let operation = Operation::named(&self.operation).unwrap();
        Task::builder(&machine, operation).elements(self.bytes).build().unwrap()
    }
}

/// In all cells in full; otherwise in every fifth, in which all operations, machines, lengths and links are met.
#[test]
fn auto_is_never_slower_than_the_best_of_the_others() {
    let mut slower = Vec::new();
    let mut clearly_faster = 0;
    let all = peers();
    assert_eq!(all.len(), 168);
    let every = if is_full() { 1 } else { 5 };
    let peers: Vec<&Peer> = all.iter().step_by(every).collect();
    println!("operation            machine      k    bytes   peer ms    auto ms  bound ms  peer / auto  how");
    for peer in &peers {
        let task = peer.task();
        let plan = Algorithm::AUTO.plan(&task).unwrap();
        let modeled = plan.prediction().modeled.since_start().as_millis_f64();
        let (gain, bound) = (peer.milliseconds / modeled, task.lower_bound().time().as_millis_f64());
        let line = format!(
            "{:<20} {:>2} x {:<2} {:>6} {:>8} {:>9.3} {modeled:>10.3} {bound:>9.3} {gain:>8.2}      {} / {}",
            peer.operation,
            peer.rows,
            peer.columns,
            peer.k,
            peer.bytes,
            peer.milliseconds,
            plan.name(),
            peer.algorithm,
        );
        println!("{line}");
        if gain < 1.0 {
            slower.push(line);
        }
        clearly_faster += usize::from(gain >= 1.5);
    }
    println!("at least 1.5 times faster in {clearly_faster} of {} cells", peers.len());
    assert!(slower.is_empty(), "slower in {} cells:\n{}", slower.len(), slower.join("\n"));
    assert!(2 * clearly_faster >= peers.len(), "at least 1.5 times faster in {clearly_faster} cells only");
}
