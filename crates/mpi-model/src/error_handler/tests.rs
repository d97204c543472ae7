//! Which error handler takes an error, what it gets, and error codes of the program.

use std::{cell::RefCell, rc::Rc};

use crate::{
    abi,
    arena::Arena,
    process::{End, Outcome},
    testing::{Tester, run, run_bare},
    word::{Address, Handle},
};

const WORLD: usize = abi::COMM_WORLD.0;

fn text(tester: &Tester<'_, '_>, code: i32) -> String {
    let (string, length) = (tester.arena.alloc(512).0, tester.room(1));
    tester.ok("MPI_Error_string", &[code as usize, string, length]);
    let text = tester.string(string);
    assert_eq!(tester.read(length, 1), [text.len() as i32]);
    text
}

#[test]
fn the_first_error_ends_the_program() {
    run_bare(2, |tester| {
        tester.ok("MPI_Init", &[0, 0]);
        assert_eq!(tester.call("MPI_Cart_rank", &[WORLD, tester.room(1), tester.room(1)]), Outcome::Leaves);
        let text =
            "MPI_Cart_rank: argument `comm`: the communicator has no Cartesian topology (MPI_ERR_TOPOLOGY)";
        assert_eq!(tester.process.end(), Some(End::Error(text.into())));
        assert_eq!(tester.call("MPI_Comm_size", &[WORLD, tester.room(1)]), Outcome::Leaves);
    });
}

#[test]
fn a_handler_of_the_program_gets_the_communicator_and_the_code() {
    run(1, |tester| {
        let log: Rc<RefCell<Vec<(usize, i32)>>> = Rc::default();
        let calls = log.clone();
        let function = tester.arena.function(move |arena: &Arena, arguments| {
            calls.borrow_mut().push((arena.one(Address(arguments[0])), arena.one(Address(arguments[1]))));
            0
        });
        let handler: Handle = tester.result("MPI_Comm_create_errhandler", &[function.0]);
        tester.ok("MPI_Comm_set_errhandler", &[WORLD, handler.0]);
        let address = tester.arena.store(&[handler]);
        tester.ok("MPI_Errhandler_free", &[address.0]);
        assert_eq!(tester.arena.one::<Handle>(address), abi::ERRHANDLER_NULL);
        // The communicator still has the handler.
        let out = tester.room(1);
        assert_eq!(tester.code("MPI_Cart_rank", &[WORLD, out, out]), 11);
        tester.ok("MPI_Comm_call_errhandler", &[WORLD, 77]);
        assert_eq!(log.take(), [(WORLD, 11), (WORLD, 77)]);
        // It is a new reference, and it was not freed.
        let again: Handle = tester.result("MPI_Comm_get_errhandler", &[WORLD]);
        assert_eq!(again, handler);
        tester.ok("MPI_Comm_set_errhandler", &[abi::COMM_SELF.0, again.0]);
        // An error without an object is that of MPI_COMM_SELF.
        assert_eq!(tester.code("MPI_Group_size", &[abi::GROUP_NULL.0, out]), 9);
        assert_eq!(log.take(), [(abi::COMM_SELF.0, 9)]);
        let of_files: Handle = tester.result("MPI_File_create_errhandler", &[function.0]);
        assert_eq!(tester.code("MPI_Comm_set_errhandler", &[WORLD, of_files.0]), 61);
        tester.ok("MPI_File_set_errhandler", &[abi::FILE_NULL.0, of_files.0]);
        assert_eq!(tester.code("MPI_Win_set_errhandler", &[abi::WIN_NULL.0, again.0]), 56);
    });
}

/// As in MPICH; the standard makes such an error fatal.
#[test]
fn the_handler_of_comm_world_takes_errors_of_objects_without_one() {
    run_bare(1, |tester| {
        tester.ok("MPI_Init", &[0, 0]);
        let dup: Handle = tester.result("MPI_Comm_dup", &[WORLD]);
        let group: Handle = tester.result("MPI_Comm_group", &[WORLD]);
        tester.ok("MPI_Comm_set_errhandler", &[WORLD, abi::ERRORS_RETURN.0]);
        assert_eq!(tester.code("MPI_Comm_create", &[dup.0, group.0, 0]), 13);
        assert_eq!(tester.result::<Handle>("MPI_Comm_get_errhandler", &[dup.0]), abi::ERRORS_ARE_FATAL);
        tester.ok("MPI_Comm_set_errhandler", &[dup.0, abi::ERRORS_ARE_FATAL.0]);
        assert_eq!(tester.call("MPI_Comm_create", &[dup.0, group.0, 0]), Outcome::Leaves);
    });
}

#[test]
fn handlers_that_were_freed_are_used_again() {
    run(1, |tester| {
        let function = tester.arena.function(|_, _| 0).0;
        let handlers = [0; 3].map(|_| {
            let handler: Handle = tester.result("MPI_Comm_create_errhandler", &[function]);
            tester.ok("MPI_Errhandler_free", &[tester.arena.store(&[handler]).0]);
            handler
        });
        assert_eq!(handlers, [handlers[0]; 3]);
        let two = [0; 2].map(|_| tester.result::<Handle>("MPI_Comm_create_errhandler", &[function]));
        assert_ne!(two[0], two[1]);
    });
}

#[test]
fn error_codes_of_the_program() {
    run(1, |tester| {
        tester.errors_return();
        let class: i32 = tester.result("MPI_Add_error_class", &[]);
        let code: i32 = tester.result("MPI_Add_error_code", &[class as usize]);
        let of_ranks: i32 = tester.result("MPI_Add_error_code", &[6]);
        assert_eq!([class, code, of_ranks], [1, 2, 3].map(|nth| abi::ERR_LASTCODE + nth));
        let class_of = |code: i32| tester.result::<i32>("MPI_Error_class", &[code as usize]);
        assert_eq!([class, code, of_ranks, 6].map(class_of), [class, class, 6, 6]);
        assert_eq!(text(tester, code), "");
        tester.ok("MPI_Add_error_string", &[code as usize, tester.arena.text("out of coffee").0]);
        assert_eq!(text(tester, code), "out of coffee");
        assert_eq!(tester.code("MPI_Remove_error_class", &[class as usize]), 16);
        tester.ok("MPI_Remove_error_string", &[code as usize]);
        tester.ok("MPI_Remove_error_code", &[code as usize]);
        tester.ok("MPI_Remove_error_class", &[class as usize]);
        assert_eq!(tester.code("MPI_Error_class", &[class as usize, tester.room(1)]), 13);
        assert_eq!(tester.code("MPI_Add_error_string", &[6, tester.arena.text("mine").0]), 13);
    });
}

#[test]
fn the_string_of_the_last_error_has_its_details() {
    run(1, |tester| {
        tester.errors_return();
        assert_eq!(text(tester, 0), "MPI_SUCCESS (no error)");
        assert_eq!(text(tester, 6), "MPI_ERR_RANK (invalid rank)");
        let Handle(group) = crate::group::enter(tester.process, &[0]);
        assert_eq!(tester.code("MPI_Group_incl", &[group, 1, tester.ints(&[7]), tester.room(2)]), 6);
        let details = "MPI_ERR_RANK (invalid rank); last: argument `ranks`: 7 is not a rank: the group has 1";
        assert_eq!(text(tester, 6), details);
    });
}
