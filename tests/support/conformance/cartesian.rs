//! Grids of ranks: coordinates, shifts along lines and rings, and sub-grids, with messages through each.

use multicomputer::{
    collective::{Collective, Sum},
    comm::Cartesian,
    error::Failure,
    prelude::*,
};

use super::{Runner, case, same};

/// All shapes of up to three dimensions that fit on the nodes, with some nodes left out, and rings wherever they can be.
pub(crate) fn cartesian(runner: &dyn Runner) {
    runner.run("cartesian groups", &|node| {
        let world = node.world();
        for extents in shapes(world.size()) {
            for rings in 0..1_usize << extents.len() {
                let periodic: Vec<bool> = (0..extents.len()).map(|axis| rings >> axis & 1 == 1).collect();
                case(world, format_args!("{extents:?} with rings {periodic:?}"), || {
                    match world.cartesian(&extents, &periodic) {
                        Ok(grid) => check(&grid, &extents, &periodic),
                        Err(CommError::NotAMember { .. }) => {
                            let points = extents.iter().product::<usize>();
                            same("is left out", world.rank() >= points, true)
                        }
                        Err(error) => Err(error.into()),
                    }
                })?;
            }
        }
        Ok(())
    });
}

/// Some shapes of at most so many points: none, one, two and three dimensions.
fn shapes(most: usize) -> Vec<Vec<usize>> {
    let all = [vec![], vec![most], vec![1, most], vec![2, most / 2], vec![most / 3, 3], vec![2, 2, most / 4]];
    let fits = |extents: &Vec<usize>| (1..=most).contains(&extents.iter().product::<usize>());
    all.into_iter().filter(fits).collect()
}

fn check(grid: &Cartesian<'_>, extents: &[usize], periodic: &[bool]) -> Result<(), Failure> {
    let group = grid.group();
    same("extents", grid.extents(), extents.to_vec())?;
    same("rings", grid.periodic(), periodic.to_vec())?;
    let here = grid.coordinates(group.rank())?;
    let signed: Vec<isize> = here.iter().map(|&at| at as isize).collect();
    same("the rank at its coordinates", grid.rank_at(&signed)?, group.rank())?;
    for (axis, &extent) in extents.iter().enumerate() {
        for by in [-1, 1, 2] {
            shift(grid, &signed, (axis, extent, periodic[axis]), by)?;
        }
        let keep: Vec<bool> = (0..extents.len()).map(|other| other == axis).collect();
        let line = grid.sub(&keep)?;
        same("its place on its line", line.group().rank(), here[axis])?;
        let mut sum = here[axis] as u64;
        line.group().all_reduce(&mut sum, Sum)?;
        same("the sum along its line", sum, (extent * (extent - 1) / 2) as u64)?;
    }
    let all = grid.sub(&vec![true; extents.len()])?;
    same("its place in all of it", all.group().rank(), group.rank())?;
    let none = grid.sub(&vec![false; extents.len()])?;
    same("alone", (none.group().size(), none.extents()), (1, vec![]))
}

/// Sends coordinates along, and compares what comes with where it must come from.
fn shift(
    grid: &Cartesian<'_>,
    here: &[isize],
    (axis, extent, is_ring): (usize, usize, bool),
    by: isize,
) -> Result<(), Failure> {
    let (group, shift) = (grid.group(), grid.shift(axis, by)?);
    let expected = |by: isize| {
        let place = here[axis] + by;
        let place = if is_ring { place.rem_euclid(extent as isize) } else { place };
        let mut there = here.to_vec();
        there[axis] = place;
        grid.rank_at(&there).ok()
    };
    same("destination", shift.destination, expected(by))?;
    same("source", shift.source, expected(-by))?;
    let expected = shift.source.map_or(vec![], |from| vec![from as u64]);
    let got = group.sendrecv(shift.destination, [group.rank() as u64], shift.source)?;
    same("what came", got.to_vec::<u64>()?, expected)?;
    same("whether it is from beyond the edge", got.is_null(), shift.source.is_none())
}
