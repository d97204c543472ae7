//! Programs for NX in C and Fortran.

use std::fs;

use multicomputer::{Machine, nx::Nx};

use super::{Ended, Folder};

/// The program of `nx.c` for this machine.
const MACHINE: [&str; 2] = ["--machine", "paragon:2x2"];

/// A folder with the program; `None` without a compiler.
fn compiled(name: &str) -> Option<Folder> {
    let folder = Folder::new(name);
    folder.compile("cc", "gcc", "nx.c", &["-nx", "-Wall", "-Wextra", "-Werror"]).then_some(folder)
}

#[test]
fn nx_in_c_takes_the_time_of_nx_in_rust() {
    let Some(folder) = compiled("nx-twin") else { return };
    let run = Machine::paragon(2, 2).build().unwrap().run(|node| {
        let nx = Nx::new(node)?;
        let (me, nodes) = (nx.mynode(), nx.numnodes());
        let next = (me + 1) % nodes;
        let x = [0_u8; 8000];
        let (mut y, mut z) = (x, x);
        nx.csend(10, &x[..800], next, 0)?;
        nx.crecv(10, &mut y)?;
        let receive = nx.irecv(11, &mut y)?;
        let send = nx.isend(11, x, next, 0)?;
        nx.msgwait(receive)?;
        nx.msgwait(send)?;
        match me {
            3 => nx.csend(12, &x[..4096], -1, 0)?,
            _ => drop(nx.crecvx(12, &mut y, 3, -1)?),
        }
        nx.gdsum(&mut [0.0; 3])?;
        let lengths: Vec<usize> = (0..nodes as usize).map(|node| 8 * (node % 3)).collect();
        nx.gcolx(&x[..lengths[me as usize]], &lengths, &mut z[..lengths.iter().sum()])?;
        nx.gsync()?;
        nx.csendrecv(13, &x[..80], next, 0, 13, &mut y)?;
        match me {
            1 => nx.gsendx(14, &x[..24], &[0, 2])?,
            0 | 2 => {
                nx.cprobe(14)?;
                nx.crecv(14, &mut y)?;
            }
            _ => {}
        }
        Ok(())
    });
    let mut expected = Vec::new();
    run.unwrap().report.write_nodes_csv(&mut expected).unwrap();
    let ended = folder.run(&[&MACHINE[..], &["--csv", "nodes.csv", "./program"]].concat(), "");
    assert_eq!(ended, Ended(Some(0), String::new(), String::new()));
    assert_eq!(fs::read_to_string(folder.0.join("nodes.csv")).unwrap(), String::from_utf8(expected).unwrap());
}

#[test]
fn nx_in_c_has_all_calls_and_their_errors() {
    let Some(folder) = compiled("nx-calls") else { return };
    let run = |what| folder.run(&[&MACHINE[..], &["./program", what]].concat(), "");
    let ended = run("rest");
    let message = "(node 0) csend: csend: argument `node`: node 77 does not exist: nodes are 0 to 3, and -1 means all other nodes\n";
    assert_eq!((ended.0, &ended.2[..]), (Some(0), message), "{ended:?}");
    assert!(ended.1.starts_with("4 nodes, 0.0"), "{}", ended.1);
    assert_eq!(run("rest"), ended);
    let ended = run("deadlock");
    let part = "node 0 has waited since 0 s for a message from any node";
    assert!(ended.0 == Some(1) && ended.2.contains(part) && ended.2.contains("(crecv at nx.c:"), "{ended:?}");
    let ended = run("error");
    let part = "csend: argument `node`: node 4 does not exist: nodes are 0 to 3, and -1 means all other nodes at nx.c:";
    assert!(ended.0 == Some(1) && ended.2.contains(part), "{ended:?}");
    assert_eq!(run("status"), Ended(Some(3), String::new(), String::new()));
    let ended = folder.run(&[&MACHINE[..], &["-n", "3", "./program"]].concat(), "");
    assert!(ended.0 == Some(1) && ended.2.contains("give a smaller machine instead of -n"), "{ended:?}");
}

#[test]
fn nx_in_fortran_has_integers_of_four_bytes() {
    let folder = Folder::new("nx-fortran");
    if folder.compile("fortran", "gfortran", "nx.f", &["-nx"]) {
        let ended = folder.run(&[&MACHINE[..], &["./program"]].concat(), "");
        let line = "   6   4   3   4   3   3.0 T\n";
        assert_eq!(ended, Ended(Some(0), line.into(), String::new()));
    }
}
