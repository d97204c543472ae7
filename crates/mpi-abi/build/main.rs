//! Makes the library, the headers and the Fortran modules of MPI from `functions.txt`, those of NX from `nx.txt`, and compiles the libraries.
//!
//! On other systems than GNU/Linux on x86-64 and AArch64 nothing is made: programs are loaded there only.

mod constants;
mod entries;
mod fortran;
mod header;
mod list;
mod modules;
mod nx;

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The name of the library by MPI's standard ABI.
const LIBRARY: &str = "libmpi_abi.so.0";

/// The name of the library of NX, which is linked with each program.
const NX_LIBRARY: &str = "libnx.a";

fn main() {
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rerun-if-changed=fortran");
    println!("cargo:rerun-if-changed=functions.txt");
    println!("cargo:rerun-if-changed=include");
    println!("cargo:rerun-if-changed=nx.txt");
    println!("cargo:rustc-check-cfg=cfg(programs)");

    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let programs = target("OS") == "linux"
        && target("ENV") == "gnu"
        && matches!(target("ARCH").as_str(), "x86_64" | "aarch64");
    if !programs {
        return;
    }
    println!("cargo:rustc-cfg=programs");

    let out = PathBuf::from(env::var("OUT_DIR").expect("Cargo sets OUT_DIR"));
    let read = |path: &str| fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let write = |name: &str, text: &str| {
        fs::write(out.join(name), text).unwrap_or_else(|error| panic!("{name}: {error}"))
    };

    let list = list::List::parse(&read("functions.txt"));
    let header = read("include/mpi.h.in");
    let constants = constants::parse(&header);
    write("mpi.h", &header.replace("@FUNCTIONS@\n", &header::prototypes(&list)));
    write(
        "mpif.h",
        &read("include/mpif.h.in").replace("@CONSTANTS@\n", &constants::include_file(&constants)),
    );
    for (module, f08) in [("mpi.f90", false), ("mpi_f08.f90", true)] {
        let text = read(&format!("fortran/{module}.in"))
            .replace("@TYPES@\n", &modules::handles())
            .replace("@CALLBACKS@\n", &modules::callbacks())
            .replace("@PREDEFINED@\n", &modules::predefined())
            .replace("@CONSTANTS@\n", &constants::module(&constants, f08))
            .replace("@FUNCTIONS@\n", &modules::interfaces(&list, f08));
        write(module, &text);
    }
    let nx = nx::Nx::parse(&read("nx.txt"));
    write("nx_entries.c", &nx.c());
    let header = read("include/nx.h.in");
    write("nx.h", &header.replace("@FUNCTIONS@\n", &nx.prototypes()).replace("@INTEGERS@\n", &nx.integers()));
    write("fnx.h", &nx.include_file());
    let (c_entries, names) = entries::entries(&list, &nx);
    write("entries.c", &c_entries);
    write("names.h", &names);
    write("words.txt", &(entries::word_counts(&list) + &nx.word_counts()));
    write("fortran_entries.c", &fortran::entries(&list));
    compile(&out);
}

/// Compiles the C files: the files of the library, and the files that are linked with each program.
fn compile(out: &Path) {
    let compiler = cc::Build::new().opt_level(1).get_compiler();
    let run = |arguments: &[&str], sources: &[PathBuf], made: &str| {
        let mut command = compiler.to_command();
        command.args([
            "-std=gnu99",
            "-Wall",
            "-Wextra",
            "-Werror=implicit-function-declaration",
            "-g0",
            "-fPIC",
        ]);
        command.args(arguments).args(["-I", "c", "-I"]).arg(out).args(sources).arg("-o").arg(out.join(made));
        command.args(["-ldl", "-lpthread"]);
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(status) => panic!("{command:?}: {status}"),
            Err(error) => panic!("{command:?}: {error}; a C compiler is needed"),
        }
    };
    let mut sources = c_files("c");
    sources.extend([out.join("entries.c"), out.join("fortran_entries.c")]);
    let soname = format!("-Wl,-soname,{LIBRARY}");
    run(&["-shared", "-fexceptions", "-Wl,-z,relro", &soname], &sources, LIBRARY);
    let nx = [("c/nx/nx.c".into(), "nx.o"), (out.join("nx_entries.c"), "nx_entries.o")];
    let mut archive = cc::Build::new().get_archiver();
    let _ = fs::remove_file(out.join(NX_LIBRARY));
    archive.arg("rcs").arg(out.join(NX_LIBRARY));
    for (source, object) in nx {
        run(&["-c", "-fexceptions"], &[source], object);
        archive.arg(out.join(object));
    }
    let status = archive.status();
    assert!(status.as_ref().is_ok_and(|status| status.success()), "{archive:?}: {status:?}");
    for source in c_files("c/program") {
        let object = Path::new(source.file_name().expect("a file has a name")).with_extension("o");
        run(&["-c"], &[source], object.to_str().expect("names of our files are UTF-8"));
    }
}

/// The C files of a folder, in order.
fn c_files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of a folder").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files
}
