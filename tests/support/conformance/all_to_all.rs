//! Many-to-many communication: every algorithm with matrices that are dense, sparse and skewed, the sparse exchange, and all
//! calls in groups of every kind.

use std::sync::Arc;

use multicomputer::{
    all_to_all::{Algorithm, CallError, Generator, Matrix},
    error::Failure,
    plan::PlanError,
    prelude::*,
};

use super::{Runner, case, same, same_all, same_bytes, within};

pub(crate) fn exchange(runner: &dyn Runner) {
    let size = runner.nodes();
    let mut matrices = special(size);
    matrices.push(uneven(size));
    for (seed, fan_out, nonuniformity) in [(1, size, 0.25), (2, size.div_ceil(3), 0.5), (3, size.min(4), 0.1)]
    {
        let generator = Generator { nodes: size, fan_out, traffic: 20_000, nonuniformity, seed };
        matrices.push(generator.matrix().unwrap());
    }
    let matrices: Vec<Arc<Matrix>> = matrices.into_iter().map(Arc::new).collect();
    runner.run("many-to-many communication", &|node| {
        let world = node.world();
        for (nth, matrix) in matrices.iter().enumerate() {
            for (number, algorithm) in Algorithm::ALL.iter().enumerate() {
                // Those that choose at random ask many questions: each matrix is for one or two of them.
                if !algorithm.is_predictable() && (nth + number) % 3 > 0 {
                    continue;
                }
                case(world, format_args!("{algorithm} of matrix {nth}"), || by(world, algorithm, matrix))?;
            }
        }
        case(world, "calls", || calls(world))?;
        case(world, "sparse exchanges", || sparse(world))?;
        let backwards: Vec<Rank> = (0..size).rev().collect();
        let groups = [world.split_by(|rank| rank % 2)?, world.subgroup(&backwards)?];
        let lines = [node.row().ok(), node.column().ok()];
        for group in groups.iter().chain(lines.into_iter().flatten()) {
            case(world, group.name(), || calls(group).and_then(|()| sparse(group)))?;
        }
        Ok(())
    });
}

/// What a rank has for another: bytes that tell where they are from, where they go to, and where in the message they
/// are.
pub(crate) fn data(from: Rank, to: Rank, bytes: u64) -> Vec<u8> {
    (0..bytes).map(|at| (at.wrapping_mul(7) + 67 * from as u64 + 31 * to as u64 + 1) as u8).collect()
}

/// What a rank gives, as a matrix says.
pub(crate) fn given(from: Rank, matrix: &Matrix) -> Vec<Payload> {
    let row = matrix.row(from).iter().enumerate();
    row.map(|(to, &bytes)| Payload::from(data(from, to, bytes))).collect()
}

/// An error if this is not what a rank is to get.
pub(crate) fn same_incoming(to: Rank, matrix: &Matrix, incoming: &[Payload]) -> Result<(), Failure> {
    same("payloads", incoming.len(), matrix.nodes())?;
    incoming.iter().enumerate().try_for_each(|(from, came)| {
        let expected = data(from, to, matrix.get(from, to));
        within(format_args!("from {from} to {to}"), || same_bytes(came, &expected))
    })
}

/// Different lengths, some of them zero, in a pattern without symmetry.
pub(crate) fn uneven(nodes: usize) -> Matrix {
    let bytes = |from: Rank, to: Rank| match (3 * from + 5 * to) % 7 {
        0 | 1 => 0,
        2 => 1 + (from as u64 * to as u64) % 200,
        other => other as u64 * 3,
    };
    Matrix::of(nodes, bytes).unwrap()
}

/// Nothing; all the same; one long message; all from one, all to one, all to oneself, all to the next; half to half.
pub(crate) fn special(nodes: usize) -> Vec<Matrix> {
    let of = |bytes: &dyn Fn(Rank, Rank) -> u64| Matrix::of(nodes, bytes).unwrap();
    vec![
        of(&|_, _| 0),
        of(&|_, _| 9),
        of(&|from, to| if from == 0 && to == nodes - 1 { 100_000 } else { 0 }),
        of(&|from, _| if from == 0 { 40 } else { 0 }),
        of(&|_, to| if to == 0 { 40 } else { 0 }),
        of(&|from, to| u64::from(from == to) * 50),
        of(&|from, to| u64::from((from + 1) % nodes == to) * 500),
        of(&|from, to| if from % 2 == 1 && to % 2 == 0 { 3 } else { 0 }),
    ]
}

/// Whether an algorithm may say that a matrix is not one for it.
pub(crate) fn may_refuse(algorithm: &Algorithm) -> bool {
    [Algorithm::LINEAR, Algorithm::SORTING, Algorithm::APART].contains(algorithm)
}

fn by(group: &Group<'_>, algorithm: &Algorithm, matrix: &Arc<Matrix>) -> Result<(), Failure> {
    let outgoing = given(group.rank(), matrix);
    match group.using(algorithm).all_to_allv_payloads_known(matrix, outgoing) {
        Err(CallError::Plan(PlanError::Restricted { .. })) if may_refuse(algorithm) => Ok(()),
        incoming => same_incoming(group.rank(), matrix, &incoming?),
    }
}

/// The elements that one rank has for another: their number, and each of them, tells them from all others.
pub(crate) fn elements(from: Rank, to: Rank) -> Vec<u32> {
    let count = (7 * from + 5 * to) % 11 * usize::from(!(from + to).is_multiple_of(3));
    (0..count).map(|nth| (from * 10_000 + to * 100 + nth) as u32).collect()
}

pub(crate) fn outgoing(from: Rank, size: usize) -> Vec<Vec<u32>> {
    (0..size).map(|to| elements(from, to)).collect()
}

pub(crate) fn incoming(to: Rank, size: usize) -> Vec<Vec<u32>> {
    (0..size).map(|from| elements(from, to)).collect()
}

pub(crate) fn matrix_of_elements(size: usize) -> Arc<Matrix> {
    Arc::new(Matrix::of(size, |from, to| 4 * elements(from, to).len() as u64).unwrap())
}

/// Everybody gets what is for it, by every call.
pub(crate) fn calls(group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let (matrix, mine, expected) = (matrix_of_elements(size), outgoing(rank, size), incoming(rank, size));
    let slices: Vec<&[u32]> = mine.iter().map(Vec::as_slice).collect();
    let payloads = || mine.iter().map(Payload::from).collect();
    same_all(&group.all_to_allv(&mine)?, &expected)?;
    same_all(&group.all_to_allv_known(&matrix, &slices)?, &expected)?;
    for got in
        [group.all_to_allv_payloads(payloads())?, group.all_to_allv_payloads_known(&matrix, payloads())?]
    {
        let got: Vec<Vec<u32>> = got.iter().map(Payload::to_vec).collect::<Result<_, _>>()?;
        same_all(&got, &expected)?;
    }
    for block in [0, 3] {
        let blocks =
            |from: Rank, to: Rank| (0..block).map(move |nth| (from * 10_000 + to * 100 + nth) as u32);
        let mine: Vec<u32> = (0..size).flat_map(|to| blocks(rank, to)).collect();
        let expected: Vec<u32> = (0..size).flat_map(|from| blocks(from, rank)).collect();
        same_all(&group.all_to_all(&mine)?, &expected)?;
        let payloads = (0..size).map(|to| Payload::from(&mine[to * block..][..block])).collect();
        let got = Payload::concat(group.all_to_all_payloads(payloads)?);
        same_all(&got.to_vec::<u32>()?, &expected)?;
    }
    let to_all: Vec<(Rank, &[u32])> = slices.into_iter().enumerate().rev().collect();
    same_all(&group.sparse_exchange(&to_all)?, &expected.into_iter().enumerate().collect::<Vec<_>>())
}

/// To few, to nobody, several to one, again and again, while messages of the program are under way.
pub(crate) fn sparse(group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let other = group.isend(next, [rank as u64])?;
    for round in 0..4 {
        let to = |from: Rank| (from + 1 + round) % size;
        let mine = [(to(rank), [round, rank])];
        let expected: Vec<_> =
            (0..size).filter(|&from| to(from) == rank).map(|from| (from, vec![round, from])).collect();
        same_all(&group.sparse_exchange(&mine)?, &expected)?;
    }
    same_all(&group.sparse_exchange::<f64, Vec<f64>>(&[])?, &[])?;
    // A long one first: it takes longest to come. What one rank has for another comes in its order.
    let (hot, of) = (size / 2, rank as u8);
    let mine = [(hot, vec![of; 50_000]), (0, vec![of]), (hot, vec![]), (hot, vec![of, 7])];
    let mine = if rank % 3 == 2 { &mine[..0] } else { &mine[..] };
    let mut expected = Vec::new();
    for from in (0..size).filter(|from| from % 3 != 2) {
        let of = from as u8;
        for (to, data) in [(hot, vec![of; 50_000]), (0, vec![of]), (hot, vec![]), (hot, vec![of, 7])] {
            expected.extend((to == rank).then_some((from, data)));
        }
    }
    same_all(&group.sparse_exchange(mine)?, &expected)?;
    same_all(&group.recv((previous, Tag(0)))?.to_vec::<u64>()?, &[previous as u64])?;
    other.wait()?;
    Ok(())
}
