//! `multicomputer mpi` where the program is built without MPI. Commands over MPI are in `tests/mpi/commands.txt`.

use super::*;

#[test]
fn a_program_without_mpi_says_in_one_line_how_to_build_one_with_it() {
    for arguments in [&["mpi"][..], &["mpi", "s-to-p", "--bytes", "8"], &["mpi", "calibrate", "--help"]] {
        let error = fails(1, arguments);
        assert!(error.starts_with("error: this program is built without MPI: "), "{error}");
        assert!(
            error.contains("`cargo build --release --features mpi`") && error.trim().lines().count() == 1,
            "{error}"
        );
    }
}
