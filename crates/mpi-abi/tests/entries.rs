//! Programs in C and Fortran call MPI, where a stub in place of the machine records the words of each call.

#![cfg(programs)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const LIBRARY: &str = "libmpi_abi.so.0";
/// Where the build script has written its files.
const MADE: &str = env!("OUT_DIR");
const CRATE: &str = env!("CARGO_MANIFEST_DIR");

fn has(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("SKIPPED: there is no {compiler} here");
    }
    found
}

fn source(name: &str) -> String {
    format!("{CRATE}/{name}")
}

/// A folder for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// Compiles the library with the stub.
    fn with_library(name: &str) -> Folder {
        let folder = Folder::new(name);
        let written =
            ["c/special.c", "c/fortran.c", "c/fortran_special.c", "tests/programs/stub.c"].map(source);
        let made = ["entries.c", "fortran_entries.c"].map(|name| format!("{MADE}/{name}"));
        let sources: Vec<&str> = written.iter().chain(&made).map(String::as_str).collect();
        let flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wl,-soname,libmpi_abi.so.0"];
        folder.compile("gcc", &[&flags, sources.as_slice()].concat(), LIBRARY);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn run(&self, command: &str, arguments: &[&str]) {
        let output = Command::new(command).args(arguments).current_dir(&self.0).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {}\n{text}", output.status);
    }

    /// Compiles with the files of this crate and of its build.
    fn compile(&self, compiler: &str, arguments: &[&str], program: &str) {
        let includes =
            ["-I.", &format!("-I{MADE}"), &format!("-I{CRATE}/c"), &format!("-I{CRATE}/tests/programs")];
        self.run(compiler, &[arguments, &includes, &["-Wl,-rpath,$ORIGIN", "-ldl", "-o", program]].concat());
    }

    fn start(&self, program: &str, arguments: &[&str]) {
        self.run(self.0.join(program).to_str().unwrap(), arguments);
    }
}

#[test]
fn words_of_c() {
    if has("gcc") {
        let folder = Folder::with_library("c");
        let words = source("tests/programs/words.c");
        folder.compile("gcc", &["-Wall", "-Wextra", "-Werror", &words, LIBRARY], "words");
        folder.start("words", &[]);
    }
}

#[test]
fn headers_have_no_warnings() {
    let folder = Folder::new("header");
    let [mpi, nx] = &["mpi.h", "nx.h"].map(|name| format!("{MADE}/{name}"));
    let own = &source("include/multicomputer.h");
    let warnings = [
        "-Wall",
        "-Wextra",
        "-Wshadow",
        "-pedantic",
        "-Werror",
        "-fsyntax-only",
        "-DMULTICOMPUTER",
        mpi,
        nx,
        own,
    ];
    for (compiler, language, standards) in
        [("gcc", "c", ["c89", "c99", "gnu17"]), ("g++", "c++", ["c++98", "c++11", "c++17"])]
    {
        if has(compiler) {
            for standard in standards {
                folder
                    .run(compiler, &[&[&format!("-std={standard}"), "-x", language], &warnings[..]].concat());
            }
        }
    }
}

/// The same checks with the include file and with the module.
#[test]
fn words_of_fortran() {
    if !has("gfortran") {
        return;
    }
    let folder = Folder::with_library("fortran");
    for module in ["mpi.f90", "mpi_f08.f90"] {
        folder.run("gfortran", &["-Wall", "-Werror", "-fPIC", "-c", &format!("{MADE}/{module}")]);
    }
    folder.compile("gcc", &[&source("tests/programs/load.c"), LIBRARY], "load");
    let checks = fs::read_to_string(source("tests/programs/words.inc")).unwrap();
    let callbacks = source("tests/programs/callbacks.f90");
    for (name, head, mismatch) in [
        // By Fortran's rules an external procedure does not have buffers of two types.
        ("include.f90", "implicit none\ninclude 'mpif.h'", "-fallow-argument-mismatch"),
        ("module.f90", "use mpi\nimplicit none", "-Werror"),
    ] {
        folder.write(name, &format!("program words\n{head}\n{checks}\nend program words\n"));
        let arguments = ["-ffree-line-length-none", mismatch, name, &callbacks, "mpi.o", LIBRARY];
        folder.compile("gfortran", &arguments, "words");
        folder.start("words", &[]);
        // As programs are loaded: several times, each with variables of its own.
        folder.compile("gfortran", &[&arguments[..], &["-shared", "-fPIC"]].concat(), "words.so");
        fs::copy(folder.0.join("words.so"), folder.0.join("copy.so")).unwrap();
        folder.start("load", &["./words.so", "./copy.so"]);
    }
    let newer = source("tests/programs/words_f08.f90");
    folder.compile("gfortran", &["-Wall", &newer, "mpi_f08.o", LIBRARY], "f08");
    folder.start("f08", &[]);
}

/// The include files in fixed source form.
#[test]
fn fixed_form() {
    if has("gfortran") {
        let folder = Folder::new("fixed");
        let program = "      PROGRAM P\n      INCLUDE 'mpif.h'\n      INCLUDE 'fnx.h'\n      CALL MPI_INIT(I)\n      END\n";
        folder.write("fixed.f", program);
        folder.run("gfortran", &["-Werror", "-pedantic", "-fsyntax-only", &format!("-I{MADE}"), "fixed.f"]);
    }
}
