//! Algorithms in parts of a machine: rows, columns, rectangles, and groups whose ranks are in another order than their
//! nodes.

use super::*;

/// Every algorithm that works in a group, with a root and lengths that differ from one to the next.
fn cases(machine: &MachineSpec, members: &[Rank], seed: usize) -> Vec<Case> {
    let size = members.len();
    let case = |(number, algorithm): (usize, Algorithm)| {
        let root = if algorithm == Algorithm::ONE_TO_ALL { 0 } else { (seed + number) % size };
        let task = Task::builder(machine, algorithm.operation()).members(members).root(root);
        let task = if algorithm.operation().has_blocks() {
            task.blocks((0..size as u64).map(|rank| (rank * 5 + number as u64) % 7).collect::<Vec<_>>())
        } else {
            task.elements(13 * number as u64 + 1)
        };
        Case::new(algorithm, &task.build().unwrap(), seed + number).ok()
    };
    let cases: Vec<Case> = Algorithm::ALL.iter().copied().enumerate().filter_map(case).collect();
    let is_cube = size.is_power_of_two();
    assert_eq!(cases.len(), if is_cube { 16 } else { 14 }, "only 4.7 and 4.8 do not work among {size}");
    cases
}

/// Groups that have no node in common are at it at the same time.
fn check(machine: &MachineSpec, groups: &[Vec<Rank>]) {
    let all: Vec<Vec<Case>> =
        groups.iter().enumerate().map(|(number, members)| cases(machine, members, number)).collect();
    let run = run(machine, |node| {
        let Some(mine) = groups.iter().position(|group| group.contains(&node.rank())) else { return Ok(0) };
        let group = node.world().subgroup(&groups[mine])?;
        all[mine].iter().try_for_each(|case| case.check(&group))?;
        Ok(all[mine].len())
    });
    let members: usize = groups.iter().map(Vec::len).sum();
    assert_eq!(run.outputs.iter().filter(|&&done| done > 0).count(), members);
}

const GRIDS: [&str; 3] = ["mesh:4x6", "torus:4x6", "mesh:2x3x4"];
const OTHERS: [&str; 3] = ["ring:24", "tree:24", "fat-tree:24"];

#[test]
fn rows_and_columns() {
    for network in GRIDS {
        let rows: Vec<Vec<Rank>> = (0..4).map(|row| (6 * row..6 * row + 6).collect()).collect();
        let columns: Vec<Vec<Rank>> = (0..6).map(|column| (column..24).step_by(6).collect()).collect();
        check(&hockney(network), &rows);
        check(&hockney(network), &columns);
    }
}

/// The groups that nodes have by themselves.
#[test]
fn the_rows_and_columns_of_a_node() {
    let machine = hockney("mesh:3x4");
    let rows: Vec<_> = (0..3).map(|row| cases(&machine, &[0, 1, 2, 3].map(|c| 4 * row + c), row)).collect();
    let columns: Vec<_> =
        (0..4).map(|column| cases(&machine, &[0, 4, 8].map(|r| r + column), column)).collect();
    run(&machine, |node| {
        let (row, column) = (node.row()?, node.column()?);
        rows[column.rank()].iter().try_for_each(|case| case.check(row))?;
        columns[row.rank()].iter().try_for_each(|case| case.check(column))
    });
}

#[test]
fn rectangles() {
    let at = |rows: &[usize], columns: &[usize]| -> Vec<Rank> {
        rows.iter().flat_map(|row| columns.iter().map(move |column| row * 6 + column)).collect()
    };
    // One beside the other, one with every second column, one from right to left, one of rows out of order, a single
    // node.
    let groups = [
        at(&[0, 1], &[0, 1, 2]),
        at(&[2, 3], &[1, 3, 5]),
        at(&[0, 1], &[5, 4]),
        at(&[3, 2], &[0, 2]),
        at(&[0], &[3]),
    ];
    for network in GRIDS {
        check(&hockney(network), &groups);
    }
}

#[test]
fn split_groups_with_their_ranks_in_another_order() {
    for network in GRIDS.into_iter().chain(OTHERS) {
        let stirred: Vec<Rank> = (0..24).map(|rank| rank * 5 % 24).collect();
        let split = |parts: usize| -> Vec<Vec<Rank>> {
            let part = |part| stirred.iter().copied().filter(|node| node * 7 % 11 % parts == part).collect();
            (0..parts).map(part).collect()
        };
        check(&hockney(network), std::slice::from_ref(&stirred));
        check(&hockney(network), &split(2));
        check(&hockney(network), &split(3));
    }
}

#[test]
fn parts_of_a_hypercube() {
    let machine = hockney("hypercube:32");
    // The four subcubes of bits 1, 3 and 4, counted in Gray code; then 11 and 21 nodes.
    let gray = |rank: usize| rank ^ rank >> 1;
    let subcube = |base: usize| -> Vec<Rank> {
        let place = |label: usize| base | (label & 1) << 1 | (label & 2) << 2 | (label & 4) << 2;
        (0..8).map(|rank| place(gray(rank))).collect()
    };
    check(&machine, &[0, 1, 4, 5].map(subcube));
    let stirred: Vec<Rank> = (0..32).map(|rank| rank * 13 % 32).collect();
    check(&machine, &[stirred[..11].to_vec(), stirred[11..].to_vec()]);
}

/// What `split_by` makes is a group like any other.
#[test]
fn groups_that_a_split_makes() {
    let machine = hockney("torus:3x5");
    let color = |rank: Rank| rank * 4 % 7 % 3;
    let groups: Vec<Vec<Rank>> =
        (0..3).map(|part| (0..15).filter(|&rank| color(rank) == part).collect()).collect();
    let all: Vec<Vec<Case>> = groups.iter().map(|members| cases(&machine, members, 3)).collect();
    run(&machine, |node| {
        let group = node.world().split_by(color)?;
        all[color(node.rank())].iter().try_for_each(|case| case.check(&group))
    });
}
