//! The functions of groups.

use std::rc::Rc;

use super::{Group, enter};
use crate::{
    abi,
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Argument, Array, Handle, Out},
};

functions! {
    MPI_Group_size: size(group, size);
    MPI_Group_rank: rank(group, rank);
    MPI_Group_translate_ranks: translate_ranks(group1, n, ranks1, group2, ranks2);
    MPI_Group_compare: compare(group1, group2, result);
    MPI_Group_union: union(group1, group2, newgroup);
    MPI_Group_intersection: intersection(group1, group2, newgroup);
    MPI_Group_difference: difference(group1, group2, newgroup);
    MPI_Group_incl: incl(group, n, ranks, newgroup);
    MPI_Group_excl: excl(group, n, ranks, newgroup);
    MPI_Group_range_incl: range_incl(group, n, ranges, newgroup);
    MPI_Group_range_excl: range_excl(group, n, ranges, newgroup);
    MPI_Group_free: free(group);
}

fn size(process: &Process<'_>, group: Rc<Group>, size: Out<i32>) -> Result<()> {
    size.set(process, group.size() as i32);
    Ok(())
}

fn rank(process: &Process<'_>, group: Rc<Group>, rank: Out<i32>) -> Result<()> {
    rank.set(process, group.rank().map_or(abi::UNDEFINED, |rank| rank as i32));
    Ok(())
}

/// A number of elements that the program gives.
fn length(n: i32) -> Result<usize> {
    usize::try_from(n).map_err(|_| Error::argument(Class::ARG, "n", format!("{n} is negative")))
}

fn not_a_rank(argument: &'static str, rank: i32, group: &Group) -> Error {
    let text = format!("{rank} is not a rank: the group has {}", group.size());
    Error::argument(Class::RANK, argument, text)
}

/// The rank that the program gives, checked.
fn checked(argument: &'static str, rank: i32, group: &Group) -> Result<usize> {
    let found = usize::try_from(rank).ok().filter(|&rank| rank < group.size());
    found.ok_or_else(|| not_a_rank(argument, rank, group))
}

fn translate_ranks(
    process: &Process<'_>,
    group1: Rc<Group>,
    n: i32,
    ranks1: Array<i32>,
    group2: Rc<Group>,
    ranks2: Array<i32>,
) -> Result<()> {
    if n > 0 && ranks2.address.is_null() {
        return Err(Error::argument(Class::ARG, "ranks2", "a null pointer was given"));
    }
    let given = ranks1.read(process, length(n)?).map_err(|error| error.of("ranks1"))?;
    let translate = |rank: i32| {
        if rank == abi::PROC_NULL {
            return Ok(rank);
        }
        let found = group1.world_rank(checked("ranks1", rank, &group1)?);
        let found = found.and_then(|world_rank| group2.rank_of(world_rank));
        Ok(found.map_or(abi::UNDEFINED, |rank| rank as i32))
    };
    let translated: Result<Vec<i32>> = given.into_iter().map(translate).collect();
    ranks2.write(process, &translated?);
    Ok(())
}

fn compare(process: &Process<'_>, group1: Rc<Group>, group2: Rc<Group>, result: Out<i32>) -> Result<()> {
    result.set(process, group1.compare(&group2));
    Ok(())
}

fn union(process: &Process<'_>, group1: Rc<Group>, group2: Rc<Group>, newgroup: Out<Handle>) -> Result<()> {
    let others = group2.iter().filter(|&world_rank| !group1.contains(world_rank));
    let world_ranks: Vec<usize> = group1.iter().chain(others).collect();
    newgroup.set(process, enter(process, &world_ranks));
    Ok(())
}

fn intersection(
    process: &Process<'_>,
    group1: Rc<Group>,
    group2: Rc<Group>,
    newgroup: Out<Handle>,
) -> Result<()> {
    let world_ranks: Vec<usize> = group1.iter().filter(|&world_rank| group2.contains(world_rank)).collect();
    newgroup.set(process, enter(process, &world_ranks));
    Ok(())
}

fn difference(
    process: &Process<'_>,
    group1: Rc<Group>,
    group2: Rc<Group>,
    newgroup: Out<Handle>,
) -> Result<()> {
    let world_ranks: Vec<usize> = group1.iter().filter(|&world_rank| !group2.contains(world_rank)).collect();
    newgroup.set(process, enter(process, &world_ranks));
    Ok(())
}

/// Reads a list of distinct ranks of the group.
fn listed(process: &Process<'_>, group: &Group, n: i32, ranks: Array<i32>) -> Result<Vec<usize>> {
    let given = ranks.read(process, length(n)?).map_err(|error| error.of("ranks"))?;
    distinct(group, "ranks", given.into_iter().map(|rank| checked("ranks", rank, group)))
}

/// Reads triplets of a first rank, a last rank and a stride. Returns the distinct ranks of the group that they stand for.
fn ranged(process: &Process<'_>, group: &Group, n: i32, ranges: Array<i32>) -> Result<Vec<usize>> {
    let given = ranges.read(process, length(n)? * 3).map_err(|error| error.of("ranges"))?;
    let wrong = |text: String| Err(Error::argument(Class::ARG, "ranges", text));
    let mut ranks = Vec::new();
    for range in given.chunks_exact(3) {
        let [first, last, stride] = [range[0], range[1], range[2]];
        if stride == 0 {
            return wrong(format!("the stride from {first} to {last} is 0"));
        }
        if first != last && (first < last) != (stride > 0) {
            return wrong(format!("a stride of {stride} does not lead from {first} to {last}"));
        }
        // The last rank itself may be left out by the stride; it has to be valid all the same.
        checked("ranges", last, group)?;
        let count = (i64::from(last) - i64::from(first)) / i64::from(stride) + 1;
        checked("ranges", first, group)?;
        ranks.extend((0..count).map(|nth| Ok((i64::from(first) + nth * i64::from(stride)) as usize)));
    }
    distinct(group, "ranges", ranks.into_iter())
}

fn distinct(
    group: &Group,
    argument: &'static str,
    ranks: impl Iterator<Item = Result<usize>>,
) -> Result<Vec<usize>> {
    let mut seen = vec![false; group.size()];
    ranks
        .map(|rank| {
            let rank = rank?;
            if std::mem::replace(&mut seen[rank], true) {
                return Err(Error::argument(Class::RANK, argument, format!("{rank} is given twice")));
            }
            Ok(rank)
        })
        .collect()
}

/// The members of a group that have these ranks.
fn included(group: &Group, ranks: &[usize]) -> Vec<usize> {
    ranks.iter().filter_map(|&rank| group.world_rank(rank)).collect()
}

/// The members of a group that do not have these ranks.
fn excluded(group: &Group, ranks: &[usize]) -> Vec<usize> {
    let mut stays = vec![true; group.size()];
    for &rank in ranks {
        stays[rank] = false;
    }
    group.iter().zip(stays).filter(|&(_, stays)| stays).map(|(world_rank, _)| world_rank).collect()
}

fn incl(
    process: &Process<'_>,
    group: Rc<Group>,
    n: i32,
    ranks: Array<i32>,
    newgroup: Out<Handle>,
) -> Result<()> {
    let world_ranks = included(&group, &listed(process, &group, n, ranks)?);
    newgroup.set(process, enter(process, &world_ranks));
    Ok(())
}

fn excl(
    process: &Process<'_>,
    group: Rc<Group>,
    n: i32,
    ranks: Array<i32>,
    newgroup: Out<Handle>,
) -> Result<()> {
    let world_ranks = excluded(&group, &listed(process, &group, n, ranks)?);
    newgroup.set(process, enter(process, &world_ranks));
    Ok(())
}

fn range_incl(
    process: &Process<'_>,
    group: Rc<Group>,
    n: i32,
    ranges: Array<i32>,
    newgroup: Out<Handle>,
) -> Result<()> {
    let world_ranks = included(&group, &ranged(process, &group, n, ranges)?);
    newgroup.set(process, enter(process, &world_ranks));
    Ok(())
}

fn range_excl(
    process: &Process<'_>,
    group: Rc<Group>,
    n: i32,
    ranges: Array<i32>,
    newgroup: Out<Handle>,
) -> Result<()> {
    let world_ranks = excluded(&group, &ranged(process, &group, n, ranges)?);
    newgroup.set(process, enter(process, &world_ranks));
    Ok(())
}

/// MPI_GROUP_EMPTY may be freed, too: a program need not know that a group that it has made is empty.
fn free(process: &Process<'_>, group: Out<Handle>) -> Result<()> {
    let handle = group.get(process);
    Rc::<Group>::decode(process, handle.0).map_err(|error| error.of("group"))?;
    process.groups.borrow_mut().table.remove(handle);
    group.set(process, abi::GROUP_NULL);
    Ok(())
}
