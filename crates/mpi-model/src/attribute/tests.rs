//! The functions of the program that attributes call: their order, their arguments and their errors.

use std::{cell::RefCell, rc::Rc};

use crate::{
    abi,
    arena::Arena,
    testing::{Tester, run, run_bare},
    word::{Address, Handle, Stored},
};

const WORLD: usize = abi::COMM_WORLD.0;
const SELF: usize = abi::COMM_SELF.0;

/// Calls of functions of the program: a letter and the arguments.
type Log = Rc<RefCell<Vec<(char, Vec<usize>)>>>;

/// A copy function that logs its arguments and copies the value + 1, and a delete function that logs its arguments and returns `code`.
fn functions(tester: &Tester<'_, '_>, log: &Log, code: usize) -> [usize; 2] {
    let [copies, deletions] = [log.clone(), log.clone()];
    let copy = tester.arena.function(move |arena: &Arena, arguments| {
        copies.borrow_mut().push(('c', arguments[..4].to_vec()));
        arena.set(Address(arguments[4]), &[arguments[3] + 1]);
        arena.set(Address(arguments[5]), &[1_i32]);
        0
    });
    let delete = tester.arena.function(move |_: &Arena, arguments| {
        deletions.borrow_mut().push(('d', arguments.to_vec()));
        code
    });
    [copy.0, delete.0]
}

/// Makes a key of communicators.
fn keyval(tester: &Tester<'_, '_>, [copy, delete]: [usize; 2], extra_state: usize) -> usize {
    let key = tester.room(1);
    tester.ok("MPI_Comm_create_keyval", &[copy, delete, key, extra_state]);
    tester.read(key, 1)[0] as usize
}

/// The value of an attribute, if there is one.
fn value<T: Stored>(tester: &Tester<'_, '_>, name: &str, comm: usize, key: usize) -> Option<T> {
    let [value, flag] = [tester.arena.alloc(8).0, tester.room(1)];
    tester.ok(name, &[comm, key, value, flag]);
    (tester.read(flag, 1) == [1]).then(|| tester.arena.one(Address(value)))
}

fn get(tester: &Tester<'_, '_>, comm: usize, key: usize) -> Option<usize> {
    value(tester, "MPI_Comm_get_attr", comm, key)
}

#[test]
fn copies_in_the_order_of_setting_and_deletions_in_the_reverse_order() {
    run(1, |tester| {
        let log = Log::default();
        let functions = functions(tester, &log, 0);
        let [a, b] = [100, 200].map(|extra_state| keyval(tester, functions, extra_state));
        let not_copied = keyval(tester, [0, functions[1]], 0);
        let copied = keyval(tester, [1, 0], 0);
        for (key, value) in [(b, 7), (not_copied, 8), (a, 9), (copied, 10)] {
            tester.ok("MPI_Comm_set_attr", &[WORLD, key, value]);
        }
        let dup: Handle = tester.result("MPI_Comm_dup", &[WORLD]);
        assert_eq!(log.take(), [('c', vec![WORLD, b, 200, 7]), ('c', vec![WORLD, a, 100, 9])]);
        let values = [a, b, not_copied, copied].map(|key| get(tester, dup.0, key));
        assert_eq!(values, [Some(10), Some(8), None, Some(10)]);
        // A key that is freed still has its functions.
        let key = tester.ints(&[a as i32]);
        tester.ok("MPI_Comm_free_keyval", &[key]);
        assert_eq!(tester.read(key, 1), [abi::KEYVAL_INVALID]);
        tester.ok("MPI_Comm_free_keyval", &[tester.ints(&[a as i32])]);
        tester.ok("MPI_Comm_free", &[tester.arena.store(&[dup]).0]);
        assert_eq!(log.take(), [('d', vec![dup.0, a, 10, 100]), ('d', vec![dup.0, b, 8, 200])]);
    });
}

#[test]
fn a_new_value_deletes_the_old_one() {
    run(1, |tester| {
        tester.errors_return();
        let log = Log::default();
        let key = keyval(tester, functions(tester, &log, 0), 5);
        tester.ok("MPI_Comm_set_attr", &[WORLD, key, 1]);
        tester.ok("MPI_Comm_set_attr", &[WORLD, key, 2]);
        tester.ok("MPI_Attr_delete", &[WORLD, key]);
        assert_eq!(log.take(), [('d', vec![WORLD, key, 1, 5]), ('d', vec![WORLD, key, 2, 5])]);
        assert_eq!(get(tester, WORLD, key), None);
        assert_eq!(tester.code("MPI_Comm_get_attr", &[WORLD, 77, tester.room(2), tester.room(1)]), 36);
        assert_eq!(tester.code("MPI_Comm_set_attr", &[WORLD, 501, 0]), 36);
        // A key of datatypes is none of communicators.
        let of_types = tester.room(1);
        tester.ok("MPI_Type_create_keyval", &[0, 0, of_types, 0]);
        let of_types = tester.read(of_types, 1)[0] as usize;
        assert_eq!(tester.code("MPI_Comm_set_attr", &[WORLD, of_types, 0]), 36);
    });
}

#[test]
fn an_error_of_a_delete_function_is_that_of_the_call() {
    run(1, |tester| {
        tester.errors_return();
        let log = Log::default();
        let key = keyval(tester, functions(tester, &log, 123), 0);
        let dup: Handle = tester.result("MPI_Comm_dup", &[WORLD]);
        tester.ok("MPI_Comm_set_attr", &[dup.0, key, 1]);
        assert_eq!(tester.code("MPI_Comm_set_attr", &[dup.0, key, 2]), 123);
        assert_eq!(tester.code("MPI_Comm_delete_attr", &[dup.0, key]), 123);
        assert_eq!(tester.code("MPI_Comm_free", &[tester.arena.store(&[dup]).0]), 123);
        assert_eq!(get(tester, dup.0, key), Some(1));
    });
}

#[test]
fn finalize_deletes_the_attributes_of_comm_self() {
    run_bare(1, |tester| {
        tester.ok("MPI_Init", &[0, 0]);
        let log = Log::default();
        let functions = functions(tester, &log, 0);
        let keys = [0; 3].map(|_| keyval(tester, functions, 0));
        for key in keys {
            tester.ok("MPI_Comm_set_attr", &[SELF, key, key]);
        }
        tester.ok("MPI_Finalize", &[]);
        let deleted: Vec<usize> = log.take().iter().map(|(_, arguments)| arguments[1]).collect();
        assert_eq!(deleted, [keys[2], keys[1], keys[0]]);
    });
}

#[test]
fn predefined_attributes() {
    run(3, |tester| {
        let pointed = |key: usize| get(tester, WORLD, key).map(|at| tester.read(at, 1)[0]);
        let values = [501, 502, 503, 504, 505, 506, 507].map(pointed);
        let expected = [i32::MAX, abi::ANY_SOURCE, abi::PROC_NULL, 1, 0, abi::ERR_LASTCODE, 3];
        assert_eq!(values, expected.map(Some));
        let class: i32 = tester.result("MPI_Add_error_class", &[]);
        assert_eq!(pointed(506), Some(class));
        assert_eq!(
            value::<i64>(tester, "MPI_Comm_get_attr_fortran", WORLD, 503),
            Some(abi::PROC_NULL.into())
        );
    });
}

/// C sees a pointer to Fortran's integer, and Fortran an integer that is C's pointer.
#[test]
fn attributes_of_two_languages() {
    run(1, |tester| {
        let log = Log::default();
        // The function of the bindings, whose first argument is the program's function.
        let calls = log.clone();
        let adapter = tester.arena.function(move |arena: &Arena, arguments| {
            calls.borrow_mut().push(('f', arguments[..5].to_vec()));
            if let [.., copy, flag] = arguments[5..] {
                arena.set(Address(copy), &[arguments[4] + 1]);
                arena.set(Address(flag), &[1_i32]);
            }
            0
        });
        let key = tester.room(1);
        let words = [0xc0, 0xde, key, 4, adapter.0, adapter.0];
        tester.ok("MPI_Comm_create_keyval_fortran", &words);
        let key = tester.read(key, 1)[0] as usize;
        tester.ok("MPI_Comm_set_attr_fortran", &[WORLD, key, 42]);
        let pointer = get(tester, WORLD, key).unwrap();
        assert_eq!(tester.arena.one::<i64>(Address(pointer)), 42);
        assert_eq!(value::<i64>(tester, "MPI_Comm_get_attr_fortran", WORLD, key), Some(42));
        let dup: Handle = tester.result("MPI_Comm_dup", &[WORLD]);
        assert_eq!(value::<i64>(tester, "MPI_Comm_get_attr_fortran", dup.0, key), Some(43));
        tester.ok("MPI_Comm_delete_attr", &[dup.0, key]);
        assert_eq!(log.take(), [('f', vec![0xc0, WORLD, key, 4, 42]), ('f', vec![0xde, dup.0, key, 43, 4])]);
        tester.ok("MPI_Comm_set_attr", &[WORLD, key, 0x5000]);
        assert_eq!(value::<usize>(tester, "MPI_Comm_get_attr_fortran", WORLD, key), Some(0x5000));
    });
}

#[test]
fn an_error_of_a_copy_function_leaves_no_duplicate() {
    run(1, |tester| {
        tester.errors_return();
        let fails = tester.arena.function(|_, _| 99).0;
        let key = keyval(tester, [fails, 0], 0);
        tester.ok("MPI_Comm_set_attr", &[WORLD, key, 1]);
        let duplicate = tester.arena.store(&[7_usize]).0;
        assert_eq!(tester.code("MPI_Comm_dup", &[WORLD, duplicate]), 99);
        assert_eq!(tester.arena.one::<Handle>(Address(duplicate)), abi::COMM_NULL);
        assert_eq!(tester.process.communicators.borrow().iter().count(), 0);
    });
}

/// Predefined datatypes have attributes, too.
#[test]
fn attributes_of_datatypes() {
    run(1, |tester| {
        const INT: usize = 0x209;
        let log = Log::default();
        let key = tester.room(1);
        let [copy, delete] = functions(tester, &log, 0);
        tester.ok("MPI_Type_create_keyval", &[copy, delete, key, 3]);
        let key = tester.read(key, 1)[0] as usize;
        tester.ok("MPI_Type_set_attr", &[INT, key, 5]);
        let dup: Handle = tester.result("MPI_Type_dup", &[INT]);
        assert_eq!(value(tester, "MPI_Type_get_attr", dup.0, key), Some(6_usize));
        tester.ok("MPI_Type_free", &[tester.arena.store(&[dup]).0]);
        tester.ok("MPI_Type_delete_attr", &[INT, key]);
        let expected =
            [('c', vec![INT, key, 3, 5]), ('d', vec![dup.0, key, 6, 3]), ('d', vec![INT, key, 5, 3])];
        assert_eq!(log.take(), expected);
    });
}
