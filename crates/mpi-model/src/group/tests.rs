//! Groups against lists and sets.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Group, enter};
use crate::{
    abi,
    testing::{Tester, run},
    word::Handle,
};

/// Some of the first 20 processes, in any order.
fn members() -> impl Strategy<Value = Vec<usize>> {
    (Just((0..20).collect::<Vec<usize>>()).prop_shuffle(), 0..=20_usize)
        .prop_map(|(all, size)| all[..size].to_vec())
}

/// World ranks of the group that a function makes.
fn made(tester: &Tester<'_, '_>, name: &str, words: &[usize]) -> Vec<usize> {
    let handle: Handle = tester.result(name, words);
    let group = tester.process.groups.borrow().table.get(handle).unwrap();
    group.nodes()
}

proptest! {
    #[test]
    fn ranks_and_world_ranks(members in members(), this in 0..20_usize) {
        let group = Group::new(&members, this);
        prop_assert_eq!(group.nodes(), &members[..]);
        prop_assert_eq!(group.size(), members.len());
        prop_assert_eq!(group.rank(), members.iter().position(|&member| member == this));
        for world_rank in 0..25 {
            prop_assert_eq!(group.rank_of(world_rank), members.iter().position(|&member| member == world_rank));
        }
        prop_assert_eq!(group.world_rank(members.len()), None);
    }

    #[test]
    fn regular_groups(first in 0..100_usize, stride in 1..5_usize, size in 0..30_usize, is_reversed: bool) {
        let mut members: Vec<usize> = (0..size).map(|nth| first + nth * stride).collect();
        if is_reversed {
            members.reverse();
        }
        let group = Group::new(&members, 0);
        prop_assert_eq!(group.nodes(), &members[..]);
        for world_rank in 0..250 {
            prop_assert_eq!(group.rank_of(world_rank), members.iter().position(|&member| member == world_rank));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn operations_are_those_of_sets(a in members(), b in members()) {
        run(1, |tester| {
            let [x, y] = [&a, &b].map(|members| enter(tester.process, members).0);
            let set = |members: &[usize]| members.iter().copied().collect::<BTreeSet<usize>>();
            let (of_a, of_b) = (set(&a), set(&b));
            let only = |list: &[usize], keep: &dyn Fn(&usize) -> bool| -> Vec<usize> {
                list.iter().copied().filter(|member| keep(member)).collect()
            };
            let union = [a.clone(), only(&b, &|member| !of_a.contains(member))].concat();
            assert_eq!(made(tester, "MPI_Group_union", &[x, y]), union);
            assert_eq!(made(tester, "MPI_Group_intersection", &[x, y]), only(&a, &|member| of_b.contains(member)));
            assert_eq!(made(tester, "MPI_Group_difference", &[x, y]), only(&a, &|member| !of_b.contains(member)));
            let compared: i32 = tester.result("MPI_Group_compare", &[x, y]);
            let expected = match () {
                () if a == b => abi::IDENT,
                () if of_a == of_b => abi::SIMILAR,
                () => abi::UNEQUAL,
            };
            assert_eq!(compared, expected);
            let ranks: Vec<i32> = (0..a.len() as i32).chain([abi::PROC_NULL]).collect();
            let into = tester.room(ranks.len());
            tester.ok("MPI_Group_translate_ranks", &[x, ranks.len(), tester.ints(&ranks), y, into]);
            let there = |member: &usize| b.iter().position(|other| other == member);
            let expected: Vec<i32> = a.iter().map(|member| there(member).map_or(abi::UNDEFINED, |rank| rank as i32)).collect();
            assert_eq!(tester.read(into, ranks.len()), [expected, vec![abi::PROC_NULL]].concat());
        });
    }
}

#[test]
fn inclusion_and_exclusion() {
    run(1, |tester| {
        tester.errors_return();
        let Handle(group) = enter(tester.process, &[10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
        let list = tester.ints(&[9, 0, 4]);
        assert_eq!(made(tester, "MPI_Group_incl", &[group, 3, list]), [19, 10, 14]);
        assert_eq!(made(tester, "MPI_Group_excl", &[group, 3, list]), [11, 12, 13, 15, 16, 17, 18]);
        // The ranks 1 4 7, 8 6.
        let ranges = tester.ints(&[1, 8, 3, 8, 5, -2]);
        assert_eq!(made(tester, "MPI_Group_range_incl", &[group, 2, ranges]), [11, 14, 17, 18, 16]);
        assert_eq!(made(tester, "MPI_Group_range_excl", &[group, 2, ranges]), [10, 12, 13, 15, 19]);
        let none: Handle = tester.result("MPI_Group_incl", &[group, 0, 0]);
        assert_eq!(none, abi::GROUP_EMPTY);
        let out = tester.room(2);
        let code =
            |name: &str, n: usize, values: &[i32]| tester.code(name, &[group, n, tester.ints(values), out]);
        assert_eq!(code("MPI_Group_incl", 2, &[3, 3]), 6);
        assert_eq!(code("MPI_Group_incl", 1, &[10]), 6);
        assert_eq!(code("MPI_Group_range_incl", 1, &[0, 3, 0]), 13);
        assert_eq!(code("MPI_Group_range_incl", 2, &[0, 3, 1, 3, 5, 1]), 6);
        assert_eq!(tester.code("MPI_Group_size", &[abi::GROUP_NULL.0, out]), 9);
    });
}

#[test]
fn a_freed_group_is_none() {
    run(2, |tester| {
        tester.errors_return();
        let group: Handle = tester.result("MPI_Comm_group", &[abi::COMM_WORLD.0]);
        assert_eq!(tester.result::<i32>("MPI_Group_size", &[group.0]), 2);
        assert_eq!(tester.result::<i32>("MPI_Group_rank", &[group.0]), tester.rank as i32);
        let handle = tester.arena.store(&[group]);
        tester.ok("MPI_Group_free", &[handle.0]);
        assert_eq!(tester.arena.one::<Handle>(handle), abi::GROUP_NULL);
        assert_eq!(tester.code("MPI_Group_size", &[group.0, tester.room(1)]), 9);
        assert_eq!(tester.result::<i32>("MPI_Group_rank", &[abi::GROUP_EMPTY.0]), abi::UNDEFINED);
    });
}
