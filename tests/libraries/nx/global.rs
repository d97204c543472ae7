//! Global operations: their results against serial loops, their times, and nodes that disagree.

use multicomputer::{
    Machine, PayloadError,
    error::RunError,
    nx::{Library, Nx, NxCosts, NxError},
};

use super::{Program, micros, parameters, run_on, shapes};
use crate::conformance::nx as conformance;

#[test]
fn global_operations_are_those_of_a_serial_loop() {
    for shape in shapes() {
        run_on(shape, parameters(), |nx, _| {
            conformance::global(nx)?;
            conformance::function(nx)?;
            conformance::collected(nx)
        });
    }
}

#[test]
fn global_operations_take_what_their_algorithms_take() {
    let timed = |costs: NxCosts, call: Program| {
        let machine = Machine::mesh(1, 8).parameters(parameters().build().unwrap()).build().unwrap();
        let run = machine.run(|node| {
            let nx = Nx::new(node)?.with_library(Library::Nx).with_costs(costs);
            assert_eq!((nx.library(), nx.costs()), (Library::Nx, costs));
            Ok(call(&nx)?)
        });
        run.unwrap().report.makespan.as_micros_f64()
    };
    // 1000 bytes: alpha + n beta = 45 us; a copy 22 us, to combine 178 us. Three steps up, three down.
    let sum = |nx: &Nx<'_, '_>| nx.gdsum(&mut [1.0; 125]);
    assert_eq!(timed(NxCosts::NONE, sum), 270.0);
    assert_eq!(timed(NxCosts::PARAGON, sum), 3.0 * (45.0 + 22.0 + 178.0) + 3.0 * (45.0 + 22.0));
    // Three rounds of alpha.
    assert_eq!(timed(NxCosts::PARAGON, |nx| nx.gsync()), 105.0);
    // The first part is received at 35, six more follow at 20 each; then three steps.
    let all_gather = |nx: &Nx<'_, '_>| nx.gcolx(&[0_u8; 0], &[0; 8], &mut []);
    assert_eq!(timed(NxCosts::NONE, all_gather), 35.0 + 6.0 * 20.0 + 3.0 * 35.0);
    assert_eq!(timed(NxCosts::PARAGON, all_gather), 35.0 + 6.0 * 20.0 + 7.0 * 450.0 + 3.0 * 35.0);
}

#[test]
fn a_hardware_barrier_is_used() {
    let run = run_on((1, 5), parameters().barrier(3e-6), |nx, _| {
        nx.gsync()?;
        Ok(micros(nx)?)
    });
    assert_eq!(run.outputs, [3.0; 5]);
}

#[test]
fn nodes_that_disagree_on_a_global_operation_get_an_error() {
    let failure = |program: Program| {
        let machine = Machine::mesh(1, 2).build().unwrap();
        match machine.run(|node| Ok(program(&Nx::new(node)?)?)).unwrap_err() {
            RunError::Node { rank: 0, source, .. } => *source.downcast::<NxError>().unwrap(),
            other => panic!("{other}"),
        }
    };
    let lengths = |nx: &Nx<'_, '_>| nx.gisum(&mut vec![0; nx.mynode() as usize + 1]);
    assert_eq!(failure(lengths), NxError::Lengths { node: 1, there: 8, here: 4 });
    let types = |nx: &Nx<'_, '_>| match nx.mynode() {
        0 => nx.gisum(&mut [0]),
        _ => nx.gssum(&mut [0.0]),
    };
    assert!(matches!(failure(types), NxError::Data(PayloadError::TypeMismatch { .. })));
    let parts = |nx: &Nx<'_, '_>| {
        let xlens = [2, 2 - nx.mynode() as usize];
        nx.gcolx(&vec![0; xlens[nx.mynode() as usize]], &xlens, &mut [0; 4])
    };
    assert_eq!(failure(parts), NxError::Part { node: 1, given: 4, expected: 8 });
}

/// The same calls by InterCom's algorithms take far less time for long vectors.
#[test]
fn the_other_library_is_faster_for_long_vectors() {
    for (rows, columns) in [(1, 5), (3, 4), (4, 4)] {
        let time = |library: Library| {
            let machine = Machine::paragon(rows, columns).build().unwrap();
            let run = machine.run(|node| {
                let nx = Nx::new(node)?.with_library(library);
                nx.gdsum(&mut vec![1.0; 10_000])?;
                Ok(nx.gcol(&vec![1; nx.mynode() as usize % 3], &mut vec![0; 3 * node.size()])?)
            });
            run.unwrap().report.makespan.as_micros_f64()
        };
        assert!(time(Library::InterCom) * 2.0 < time(Library::Nx), "{rows}x{columns}");
    }
}

#[test]
fn different_operations_are_told_apart_by_intercom() {
    let machine = Machine::paragon(1, 4).build().unwrap();
    let error = machine.run(|node| {
        let nx = Nx::new(node)?.with_library(Library::InterCom);
        let mut x = [1.0];
        if nx.mynode() == 2 { nx.gdhigh(&mut x) } else { nx.gdsum(&mut x) }?;
        Ok(())
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("gdsum") && error.contains("gdhigh") && error.contains("same call"), "{error}");
}
