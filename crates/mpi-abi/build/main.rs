//! Stand-in until the generator of the shim is merged: compiles c/*.c and c/program/*.c.

use std::{env, fs, path::{Path, PathBuf}, process::Command};

fn main() {
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rustc-check-cfg=cfg(programs)");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" || !matches!(&target("ARCH")[..], "x86_64" | "aarch64") {
        return;
    }
    println!("cargo:rustc-cfg=programs");
    let out = PathBuf::from(env::var("OUT_DIR").expect("Cargo sets OUT_DIR"));
    fs::copy("c/mini/mpi.h", out.join("mpi.h")).expect("mpi.h");
    fs::write(out.join("mpif.h"), "").expect("mpif.h");
    let compiler = cc::Build::new().opt_level(2).get_compiler();
    let run = |mut command: Command| assert!(command.status().expect("a C compiler").success(), "{command:?}");
    let c_files = |folder: &str| {
        let mut files: Vec<PathBuf> = fs::read_dir(folder).expect(folder).map(|entry| entry.expect(folder).path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
        files.sort();
        files
    };
    let mut command = compiler.to_command();
    command.args(["-std=gnu99", "-Wall", "-Wextra", "-g0", "-fPIC", "-shared", "-fexceptions", "-Wl,-soname,libmpi_abi.so.0"]);
    command.args(["-I", "c", "-I", "c/mini"]).args(c_files("c")).args(c_files("c/mini"));
    command.arg("-o").arg(out.join("libmpi_abi.so.0"));
    run(command);
    program(&compiler, &out);
}

/// Compiles what is linked to every program to one object file, `program.o`.
fn program(compiler: &cc::Tool, out: &Path) {
    for name in ["program", "start", "getopt"] {
        let mut command = compiler.to_command();
        command.args(["-std=gnu99", "-Wall", "-Wextra", "-g0", "-fPIC", "-c"]);
        command.arg(format!("c/program/{name}.c")).arg("-o").arg(out.join(format!("{name}.o")));
        assert!(command.status().expect("a C compiler").success(), "{command:?}");
    }
}
