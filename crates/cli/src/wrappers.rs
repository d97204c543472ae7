//! `multicomputer cc`, `c++` and `fortran`: compilers for MPI and NX programs, with the options that such programs need.
//!
//! An executable is linked as a shared object, since every rank loads a copy of it, and gets a program interpreter and an entry point, so it can
//! also be started; undefined symbols are errors, as in other executables. `libmpi_abi.so.0` comes before all other libraries, so that the
//! functions of libc that it replaces are found there. The C++ library is linked statically where that is possible: each rank then has its own
//! `std::cout`. Without an option for debug information, line numbers are added (`-g1`), which messages of errors name.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{self, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{self, Command, ExitCode},
};

use clap::Args;
use multicomputer_mpi_abi::{Library, files::MODULES};

use super::error::Error;

/// Arguments of the commands, for their help.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(super) struct Arguments {
    /// Pass these to the compiler. Further options: -show prints the command (also -compile-info and -link-info for one
    /// half of it); --count compiles for `run --compute counted`; --check, given to compile and to link, lets
    /// `multicomputer check` see every load and store; -nx links NX, the library of the Paragon.
    /// MULTICOMPUTER_CC, MULTICOMPUTER_CXX and MULTICOMPUTER_FC name the compilers [default: gcc, g++ and gfortran]
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// A language, by the name of its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    C,
    Cxx,
    Fortran,
}

impl Language {
    /// The language of the command with this name.
    pub(super) fn of(command: &OsStr) -> Option<Language> {
        match command.to_str()? {
            "cc" => Some(Language::C),
            "c++" => Some(Language::Cxx),
            "fortran" => Some(Language::Fortran),
            _ => None,
        }
    }

    fn compiler(self) -> OsString {
        let (name, usual) = match self {
            Language::C => ("MULTICOMPUTER_CC", "gcc"),
            Language::Cxx => ("MULTICOMPUTER_CXX", "g++"),
            Language::Fortran => ("MULTICOMPUTER_FC", "gfortran"),
        };
        env::var_os(name).filter(|given| !given.is_empty()).unwrap_or_else(|| usual.into())
    }
}

/// Options whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-I",
    "-L",
    "-l",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-idirafter",
    "-iprefix",
    "-iquote",
    "-isystem",
    "-x",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-J",
    "-T",
    "-u",
    "-z",
    "-A",
    "-B",
    "-e",
    "-G",
    "-aux-info",
    "--param",
    "-wrapper",
    "-specs",
    "-dumpbase",
    "-dumpdir",
];

/// Options with which nothing is linked.
const WITHOUT_LINK: &[&str] = &["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"];

/// Options that print what the wrapper would do.
const SHOW: &[&str] = &["-show", "--show", "--showme", "-showme"];
const SHOW_COMPILE: &[&str] = &["-compile-info", "-compile_info", "--showme:compile", "-showme:compile"];
const SHOW_LINK: &[&str] = &["-link-info", "-link_info", "--showme:link", "-showme:link"];

/// What a command line asks for.
#[derive(Debug, Default)]
struct Given {
    arguments: Vec<OsString>,
    has_input: bool,
    links: bool,
    is_library: bool,
    has_debug: bool,
    counts: bool,
    checks: bool,
    /// Whether NX is linked.
    nx: bool,
    show: Option<Shown>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    All,
    Compile,
    Link,
}

impl Given {
    fn read(arguments: impl Iterator<Item = OsString>) -> Given {
        let mut given = Given { links: true, ..Given::default() };
        let mut is_value = false;
        for argument in arguments {
            let text = argument.to_string_lossy();
            let text = text.as_ref();
            if is_value {
                is_value = false;
            } else if SHOW.contains(&text) {
                given.show = Some(Shown::All);
                continue;
            } else if SHOW_COMPILE.contains(&text) {
                given.show = Some(Shown::Compile);
                continue;
            } else if SHOW_LINK.contains(&text) {
                given.show = Some(Shown::Link);
                continue;
            } else if text == "--count" {
                given.counts = true;
                continue;
            } else if text == "--check" {
                given.checks = true;
                continue;
            } else if matches!(text, "-nx" | "-lnx") {
                // `-nx` is the option of the Paragon's compilers, given before the program, which needs the library.
                given.nx = true;
                continue;
            } else if matches!(text, "-pie" | "-no-pie" | "-static-pie" | "-static" | "--static" | "-nopie") {
                // Programs are position-independent and loaded at run time.
                continue;
            } else {
                is_value = WITH_VALUE.contains(&text);
                given.has_input |= !text.starts_with('-') || text == "-";
                given.links &= !WITHOUT_LINK.contains(&text);
                given.is_library |= text == "-shared";
                given.has_debug |= text.starts_with("-g") && !text.starts_with("-gnat");
            }
            given.arguments.push(argument);
        }
        given
    }
}

/// Carries out a command: replaces this process by the compiler.
pub(super) fn main(language: Language, arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match command(language, Given::read(arguments)) {
        Ok((mut command, None)) => {
            let cause = command.exec();
            let name = command.get_program().to_string_lossy().into_owned();
            let error = format!("{name} cannot be started: {cause}");
            Error::usage(error).say();
            ExitCode::from(super::error::USAGE)
        }
        Ok((command, Some(_))) => {
            let words = [command.get_program()].into_iter().chain(command.get_args());
            let words: Vec<String> = words.map(quoted).collect();
            let _ = writeln!(io::stdout(), "{}", words.join(" "));
            ExitCode::SUCCESS
        }
        Err(error) => {
            error.say();
            ExitCode::from(error.status())
        }
    }
}

/// A word as a shell reads it.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_=+,./:@%".contains(c);
    if word.chars().all(is_plain) { word.into_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn command(language: Language, given: Given) -> Result<(Command, Option<Shown>), Error> {
    let compiler = language.compiler();
    let mut command = Command::new(&compiler);
    if !given.has_input && given.show.is_none() {
        // Questions such as --version.
        command.args(&given.arguments);
        return Ok((command, None));
    }
    let library = Library::install().map_err(Error::usage)?;
    let modules = match language {
        Language::Fortran => Some(modules(&compiler, &library)?),
        _ => None,
    };
    let compiles = given.show != Some(Shown::Link);
    let links = given.links && given.show != Some(Shown::Compile);
    if compiles {
        if !given.has_debug {
            command.arg("-g1");
        }
        if language == Language::Fortran {
            // Programs in older Fortran pass arguments of several types to one function of MPI, and use constants such as Z'7fff' freely.
            command.args(["-fallow-argument-mismatch", "-fallow-invalid-boz"]);
        }
    }
    if links {
        command
            .args(["-shared", "-Wl,--push-state,--no-as-needed"])
            .arg(library.path())
            .arg("-Wl,--pop-state");
    }
    command.args(&given.arguments);
    if given.checks {
        check(&mut command, &compiler, &library, compiles, links);
    }
    if compiles {
        // Behind the given arguments: the last of -fPIE and -fPIC counts.
        command
            .args(["-fPIC", "-fno-semantic-interposition", "-DMULTICOMPUTER", "-I"])
            .arg(library.include());
        if let Some(modules) = &modules {
            command.arg("-I").arg(modules);
        }
        if given.counts {
            command.arg("-fsanitize-coverage=trace-pc");
        }
    }
    if links {
        if let Some(modules) = &modules {
            command.arg(modules.join("libmodules.a"));
        }
        if given.nx {
            command.arg(library.nx());
        }
        if !given.is_library {
            command
                .arg(found(&compiler, "Scrt1.o").unwrap_or_else(|| "Scrt1.o".into()))
                .args(library.objects());
            command.args(["-Wl,-e,_start", "-Wl,-z,defs", "-Wl,-Bsymbolic", "-Wl,--disable-new-dtags"]);
            command.arg("-Wl,-rpath,$ORIGIN");
            if language == Language::Cxx && found(&compiler, "libstdc++.a").is_some() {
                command.arg("-static-libstdc++");
            }
        }
        let mut path = OsString::from("-Wl,-rpath,");
        path.push(library.lib());
        command.arg(path);
    }
    Ok((command, given.show))
}

/// Functions of the C library whose accesses to memory are reported: gcc calls them without a report.
const WRAPPED: [&str; 4] = ["memcpy", "memmove", "memset", "free"];

/// Adds the options with which the program reports its accesses to memory. Only the compiler itself gets the option of the sanitizer, since its
/// driver would link the sanitizer's library.
fn check(command: &mut Command, compiler: &OsStr, library: &Library, compiles: bool, links: bool) {
    if compiles && compiler.to_string_lossy().contains("clang") {
        command.args(["-Xclang", "-fsanitize=thread", "-mllvm", "-tsan-distinguish-volatile"]);
        command.args(["-mllvm", "-tsan-instrument-func-entry-exit=0"]);
    } else if compiles {
        let mut specs = OsString::from("-specs=");
        specs.push(library.check_specs());
        command.arg(specs);
    }
    if links {
        command.args(WRAPPED.map(|name| format!("-Wl,--wrap={name}")));
    }
}

/// The path of a file of the compiler.
fn found(compiler: &OsStr, name: &str) -> Option<PathBuf> {
    let output = Command::new(compiler).arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}

/// Compiles the modules `mpi` and `mpi_f08` with this compiler, once for each version of it, and returns their folder.
fn modules(compiler: &OsStr, library: &Library) -> Result<PathBuf, Error> {
    let failed = |cause: &dyn std::fmt::Display| {
        Error::usage(format!(
            "the modules of MPI cannot be compiled by {}: {cause}",
            compiler.to_string_lossy()
        ))
    };
    let version = Command::new(compiler).args(["-dumpfullversion", "-dumpmachine"]).output();
    let version = version.map_err(|cause| failed(&cause))?;
    let name: String =
        String::from_utf8_lossy(&version.stdout).split_whitespace().collect::<Vec<_>>().join("-");
    let stem = Path::new(compiler).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = library.lib().with_file_name(format!("modules-{stem}-{name}"));
    if folder.exists() {
        return Ok(folder);
    }
    // Several commands may start at once: each compiles in a folder of its own, and one of them gets the name.
    let draft = folder.with_file_name(format!("modules-{stem}-{name}-{}", process::id()));
    fs::create_dir_all(&draft).map_err(|cause| failed(&cause))?;
    let run = |command: &mut Command| match command.current_dir(&draft).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(failed(&String::from_utf8_lossy(&output.stderr))),
        Err(cause) => Err(failed(&cause)),
    };
    let mut archive = Command::new("ar");
    archive.args(["rcs", "libmodules.a"]);
    for (source, _) in MODULES {
        run(Command::new(compiler).args(["-O1", "-fPIC", "-c"]).arg(library.fortran().join(source)))?;
        archive.arg(Path::new(source).with_extension("o"));
    }
    run(&mut archive)?;
    if let Err(cause) = fs::rename(&draft, &folder) {
        let _ = fs::remove_dir_all(&draft);
        if !folder.exists() {
            return Err(failed(&cause));
        }
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &str) -> Given {
        Given::read(arguments.split(' ').map(OsString::from))
    }

    #[test]
    fn arguments_say_whether_a_program_is_linked() {
        let linked = given("a.c -o a -lm");
        assert!(linked.links && linked.has_input && !linked.is_library && !linked.has_debug);
        assert!(!given("-c a.c -o a.o").links && !given("-E a.c").links);
        assert!(given("-shared -g a.o").is_library && given("-shared -g a.o").has_debug);
        assert!(
            !given("--version").has_input && !given("-o a").has_input && !given("-I folder -v").has_input
        );
        let counted = given("--count --check -static -pie -nx a.c -show");
        assert_eq!(
            (counted.counts && counted.checks, counted.nx, counted.show, counted.arguments),
            (true, true, Some(Shown::All), vec!["a.c".into()])
        );
    }

    #[test]
    fn shown_words_are_quoted() {
        assert_eq!(quoted(OsStr::new("-Wl,-rpath,$ORIGIN")), "'-Wl,-rpath,$ORIGIN'");
        assert_eq!(quoted(OsStr::new("-O2")), "-O2");
    }
}
