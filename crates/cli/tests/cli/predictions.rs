//! What is only predicted needs no threads, and so is not refused for its number of nodes.

#![cfg(target_os = "linux")]

use super::*;

/// The program with too little address space for a thread for each node of the machine.
fn on_a_small_host(arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_multicomputer");
    let limited = format!("ulimit -v 2000000 && exec {program} {arguments}");
    Command::new("bash").args(["-c", &limited]).env_remove("RUST_LOG").output().unwrap()
}

#[test]
fn a_prediction_is_not_refused_for_its_threads() {
    for (command, without_a_run) in [
        ("collective broadcast --mesh 40x40 --algorithm short", " --run none"),
        ("all-to-all --mesh 40x40 --fan-out 1 --traffic 1K --algorithm colored", " --run none"),
        ("tune 40x40 scan --bytes 8", ""),
    ] {
        let output = on_a_small_host(&format!("{command}{without_a_run}"));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{command}: {errors}");
        if !without_a_run.is_empty() {
            let output = on_a_small_host(command);
            let errors = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{command}: {errors}");
            assert!(errors.contains("1600 nodes with stacks of 1 MiB need "), "{command}: {errors}");
        }
    }
}

#[test]
fn a_matrix_that_would_not_fit_in_memory_is_refused() {
    let errors = fails(2, &["all-to-all", "--mesh", "1000x1000", "--run", "none"]);
    let told = "a matrix for 1000000 nodes does not fit in memory: use at most 16384";
    assert!(errors.contains(told), "{errors}");
}
