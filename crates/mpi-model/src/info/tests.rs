//! Info objects as programs see them.

use crate::{
    abi,
    testing::{Tester, run, run_bare},
    word::Handle,
};

fn set(tester: &Tester<'_, '_>, info: usize, key: &str, value: &str) -> i32 {
    tester.code("MPI_Info_set", &[info, tester.arena.text(key).0, tester.arena.text(value).0])
}

/// What `MPI_Info_get` with this room returns.
fn get(tester: &Tester<'_, '_>, info: usize, key: &str, room: usize) -> Option<String> {
    let (value, flag) = (tester.arena.alloc(1024).0, tester.room(1));
    tester.ok("MPI_Info_get", &[info, tester.arena.text(key).0, room, value, flag]);
    (tester.read(flag, 1) == [1]).then(|| tester.string(value))
}

#[test]
fn keys_keep_the_order_in_which_they_were_set() {
    run_bare(1, |tester| {
        let Handle(info) = tester.result("MPI_Info_create", &[]);
        for (key, value) in [("b", "1"), ("a", "two"), ("c", ""), ("b", "three")] {
            assert_eq!(set(tester, info, key, value), 0);
        }
        assert_eq!(tester.result::<i32>("MPI_Info_get_nkeys", &[info]), 3);
        let keys = [0, 1, 2].map(|n| {
            let room = tester.arena.alloc(256).0;
            tester.ok("MPI_Info_get_nthkey", &[info, n, room]);
            tester.string(room)
        });
        assert_eq!(keys, ["b", "a", "c"]);
        let Handle(copy) = tester.result("MPI_Info_dup", &[info]);
        tester.ok("MPI_Info_delete", &[info, tester.arena.text("b").0]);
        assert_eq!(get(tester, info, "b", 10), None);
        assert_eq!(get(tester, copy, "b", 10).as_deref(), Some("three"));
        assert_eq!(get(tester, copy, "b", 3).as_deref(), Some("thr"));
        assert_eq!(get(tester, copy, "c", 3).as_deref(), Some(""));
    });
}

#[test]
fn the_length_of_a_string_counts_its_end() {
    run(1, |tester| {
        let Handle(info) = tester.result("MPI_Info_create", &[]);
        set(tester, info, "key", "value");
        let [length, flag] = [tester.ints(&[0]), tester.room(1)];
        let (key, value) = (tester.arena.text("key").0, tester.arena.text("before").0);
        // Without room the value is not changed.
        tester.ok("MPI_Info_get_string", &[info, key, length, value, flag]);
        assert_eq!((tester.read(length, 1), tester.string(value)), (vec![6], "before".to_owned()));
        tester.ok("MPI_Info_get_string", &[info, key, tester.ints(&[4]), value, flag]);
        assert_eq!(tester.string(value), "val");
        tester.ok("MPI_Info_get_string", &[info, key, length, value, flag]);
        assert_eq!(tester.string(value), "value");
        tester.ok("MPI_Info_get_valuelen", &[info, key, length, flag]);
        assert_eq!((tester.read(length, 1), tester.read(flag, 1)), (vec![5], vec![1]));
    });
}

#[test]
fn errors_have_their_classes() {
    run(1, |tester| {
        tester.errors_return();
        let Handle(info) = tester.result("MPI_Info_create", &[]);
        let long = |length| "x".repeat(length);
        assert_eq!(set(tester, info, &long(256), "value"), 31);
        assert_eq!(set(tester, info, &long(255), &long(1023)), 0);
        assert_eq!(set(tester, info, "key", &long(1024)), 33);
        assert_eq!(set(tester, info, "", "value"), 31);
        assert_eq!(tester.code("MPI_Info_delete", &[info, tester.arena.text("none").0]), 32);
        assert_eq!(tester.code("MPI_Info_get_nthkey", &[info, 1, tester.room(64)]), 13);
        assert_eq!(set(tester, abi::INFO_NULL.0, "key", "value"), 34);
        assert_eq!(set(tester, abi::INFO_ENV.0, "key", "value"), 34);
        let handle = tester.arena.store(&[Handle(info)]).0;
        tester.ok("MPI_Info_free", &[handle]);
        assert_eq!(set(tester, info, "key", "value"), 34);
    });
}

#[test]
fn info_env_tells_how_the_program_was_started() {
    run_bare(3, |tester| {
        let env = abi::INFO_ENV.0;
        assert_eq!(get(tester, env, "maxprocs", 10).as_deref(), Some("3"));
        assert_eq!(get(tester, env, "host", 100), Some(format!("node {}", tester.rank)));
    });
}
