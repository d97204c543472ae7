//! Programs in C and Fortran call MPI, where a stub in place of the machine records the words of each call.

#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use multicomputer_mpi_abi::files::{HEADERS, LIBRARY_NAME, MODULES};

/// A folder with the headers, and with the library over the stub.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // A test that has failed leaves its files for a look at them.
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

fn has(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    let found = found && !HEADERS.is_empty();
    if !found {
        println!("SKIPPED: no {compiler} here, or no system on which programs can be loaded");
    }
    found
}

fn source(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))
}

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Folder(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        let _ = fs::remove_dir_all(&folder.0);
        fs::create_dir_all(&folder.0).unwrap();
        for (name, text) in HEADERS.iter().chain(MODULES) {
            fs::write(folder.0.join(name), text).unwrap();
        }
        folder
    }

    /// Compiles the library.
    fn with_library(name: &str) -> Folder {
        let folder = Folder::new(name);
        let made = |name: &str| format!("{}/{name}", env!("OUT_DIR"));
        let c = ["c/special.c", "c/fortran.c", "tests/programs/stub.c"].map(source);
        let c = c.iter().cloned().chain([made("entries.c"), made("fortran_entries.c")]);
        let flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wl,-soname", "-Wl,libmpi_abi.so.0"];
        folder.run(
            "gcc",
            flags
                .map(String::from)
                .into_iter()
                .chain(folder.includes())
                .chain(c)
                .chain(["-o".into(), LIBRARY_NAME.into()]),
        );
        folder
    }

    fn includes(&self) -> Vec<String> {
        let made = format!("-I{}", env!("OUT_DIR"));
        vec!["-I.".into(), format!("-I{}", source("c")), format!("-I{}", source("tests/programs")), made]
    }

    fn run(&self, command: &str, arguments: impl IntoIterator<Item = String>) -> String {
        let output = Command::new(command).args(arguments).current_dir(&self.0).output().unwrap();
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {}\n{text}", output.status);
        text
    }

    /// Compiles a program, with the library; the warnings of the compiler are the result.
    fn compile(&self, compiler: &str, arguments: &[&str], program: &str) -> String {
        let library = [LIBRARY_NAME, "-Wl,-rpath,$ORIGIN", "-ldl", "-o", program].map(String::from);
        let arguments = arguments.iter().map(|&argument| argument.to_string());
        self.run(compiler, arguments.chain(self.includes()).chain(library))
    }

    fn start(&self, program: &str, arguments: &[&str]) {
        let program = self.0.join(program);
        self.run(program.to_str().unwrap(), arguments.iter().map(|&argument| argument.to_string()));
    }
}

#[test]
fn words_of_c() {
    if has("gcc") {
        let folder = Folder::with_library("c");
        folder.compile("gcc", &["-Wall", "-Wextra", "-Werror", &source("tests/programs/words.c")], "words");
        folder.start("words", &[]);
    }
}

#[test]
fn header_has_no_warnings() {
    if !has("gcc") {
        return;
    }
    let folder = Folder::new("header");
    let warnings = ["-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror", "-fsyntax-only", "-I."];
    for (compiler, language, standards) in
        [("gcc", "c", ["c89", "c99", "gnu17"].as_slice()), ("g++", "c++", &["c++98", "c++11", "c++17"])]
    {
        if has(compiler) {
            for standard in standards {
                let rest = [format!("-std={standard}"), "-x".into(), language.into(), "mpi.h".into()];
                folder.run(compiler, warnings.map(String::from).into_iter().chain(rest));
            }
        }
    }
}

/// The same checks with the include file in both source forms and with the module.
#[test]
fn words_of_fortran() {
    if !has("gfortran") {
        return;
    }
    let folder = Folder::with_library("fortran");
    for module in ["mpi.f90", "mpi_f08.f90"] {
        folder.run("gfortran", ["-Wall", "-Werror", "-fPIC", "-c", module].map(String::from));
    }
    let checks = fs::read_to_string(source("tests/programs/words.inc")).unwrap();
    let callbacks = source("tests/programs/callbacks.f90");
    let programs = [
        ("include.f90", "include 'mpif.h'\n", "implicit none\n", "-ffree-form"),
        ("module.f90", "", "use mpi\nimplicit none\n", "-ffree-form"),
    ];
    for (name, include, start, form) in programs {
        let text = format!("program words\n{start}{include}{checks}\nend program words\n");
        fs::write(folder.0.join(name), text).unwrap();
        // What a wrapper gives to a compiler. Fortran's own rules do not let a procedure have buffers of two types.
        let mismatch = if include.is_empty() { "-Werror" } else { "-fallow-argument-mismatch" };
        let common = ["-g", "-ffree-line-length-none", mismatch, form];
        folder.compile("gfortran", &[&common[..], &[name, &callbacks, "mpi.o"]].concat(), "words");
        folder.start("words", &[]);
        // As programs are loaded: twice, each with variables of its own.
        folder.compile(
            "gfortran",
            &[&common[..], &["-shared", "-fPIC", name, &callbacks, "mpi.o"]].concat(),
            "words.so",
        );
        fs::copy(folder.0.join("words.so"), folder.0.join("copy.so")).unwrap();
        folder.compile("gcc", &[&source("tests/programs/load.c")], "load");
        folder.start("load", &["./words.so", "./copy.so"]);
    }
    folder.compile("gfortran", &["-Wall", &source("tests/programs/words_f08.f90"), "mpi_f08.o"], "f08");
    folder.start("f08", &[]);

    let fixed = "      PROGRAM FIXED\n      INCLUDE 'mpif.h'\n      INTEGER IERR\n      CALL MPI_INIT(IERR)\n      END\n";
    fs::write(folder.0.join("fixed.f"), fixed).unwrap();
    folder.compile("gfortran", &["-Werror", "-pedantic", "-std=f2008", "fixed.f"], "fixed");
}
