//! The command `check` on programs of which it is known whether they are right: the files of `check`, whose header `check.h` says how they are
//! written. Compares the verdict, and for wrong programs the kind and the line of the first finding.
//!
//! `MULTICOMPUTER_CHECK_CASES=TEXT` takes those with `FILE NAME` containing the text.
//! `MULTICOMPUTER_CHECK` names another executable whose command `check` is tested.

#![cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]

use std::{
    collections::BTreeMap,
    env,
    ffi::OsStr,
    fs,
    path::Path,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

const MULTICOMPUTER: &str = env!("CARGO_BIN_EXE_multicomputer");

/// Cases that run at the same time.
const WORKERS: usize = 2;

/// Seconds after which a case is ended.
const LIMIT: &str = "60";

/// Files of programs that are compiled to report their loads and stores.
const INSTRUMENTED: [&str; 4] = ["global.c", "harmless.c", "larger.c", "local.c"];

/// The kinds of findings, as they are printed.
const KINDS: [&str; 17] = [
    "invalid argument",
    "call order",
    "communicator mismatch",
    "root mismatch",
    "operator mismatch",
    "datatype mismatch",
    "count mismatch",
    "tag mismatch",
    "buffering dependence",
    "local concurrency",
    "global concurrency",
    "message race",
    "missing wait",
    "missing start",
    "missing epoch",
    "doubled epoch",
    "leak",
];

/// A program and what is known about it.
#[derive(Clone, Debug)]
struct Case {
    file: String,
    name: String,
    /// The kinds of which any is right; empty for a right program.
    kinds: Vec<&'static str>,
    ranks: usize,
    /// The lines that a finding may name.
    lines: Vec<usize>,
}

/// The cases of a source file.
///
/// # Panics
///
/// If a case is not written as `check.h` says.
fn cases(file: &str, source: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let number = index + 1;
        let text = line.trim_start().trim_start_matches("! ");
        if let Some((verdict @ ("WRONG" | "RIGHT"), rest)) = text.split_once('(') {
            let mut words =
                rest.split(')').next().unwrap_or_default().split(", ").map(str::to_owned).collect::<Vec<_>>();
            let name = words.remove(0);
            let ranks = words.last().and_then(|last| last.strip_suffix(" ranks")?.parse().ok());
            words.truncate(words.len() - usize::from(ranks.is_some()));
            let known = |word: &str| {
                KINDS
                    .into_iter()
                    .find(|kind| *kind == word)
                    .unwrap_or_else(|| panic!("{file}:{number}: {word:?}"))
            };
            let kinds: Vec<_> = words.iter().flat_map(|word| word.split(" or ")).map(known).collect();
            assert_eq!(kinds.is_empty(), verdict == "RIGHT", "{file}:{number}");
            assert!(cases.iter().all(|case| case.name != name), "{file}:{number}: {name} is there twice");
            cases.push(Case {
                file: file.to_owned(),
                name,
                kinds,
                ranks: ranks.unwrap_or(2),
                lines: Vec::new(),
            });
        }
        if ["/* here */", "! here"].iter().any(|mark| line.trim_end().ends_with(mark)) {
            let case =
                cases.last_mut().unwrap_or_else(|| panic!("{file}:{number}: a mark before the first case"));
            case.lines.push(number);
        }
    }
    for case in &cases {
        assert_eq!(case.kinds.is_empty(), case.lines.is_empty(), "{case:?}: lines of wrong cases are marked");
    }
    cases
}

/// The first finding: its kind, its place and the line that was printed.
fn finding(printed: &str) -> Option<(&'static str, String, String)> {
    printed.lines().find_map(|line| {
        let (kind, text) = line.split_once(": ")?;
        let kind = KINDS.into_iter().find(|known| *known == kind)?;
        let place =
            text.strip_suffix(')').and_then(|text| text.rsplit_once('(')).map_or("", |(_, place)| place);
        Some((kind, place.to_owned(), line.to_owned()))
    })
}

/// What is wrong with the answer to a case: `verdict`, `kind` or `line`, and what was printed.
fn judge(case: &Case, program: &Path) -> Option<(&'static str, String)> {
    let output = command("timeout", program.parent().unwrap())
        .arg(LIMIT)
        .arg(env::var_os("MULTICOMPUTER_CHECK").unwrap_or(MULTICOMPUTER.into()))
        .args(["check", "-n", &case.ranks.to_string()])
        .args([program.as_os_str(), OsStr::new(&case.name)])
        .output()
        .unwrap();
    let printed = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    let status = output.status.code();
    let wanted = i32::from(!case.kinds.is_empty());
    let found = finding(&printed);
    let said = found.as_ref().map_or_else(
        || format!("status {status:?}: {}", printed.lines().last().unwrap_or_default()),
        |found| found.2.clone(),
    );
    if status != Some(wanted) || found.is_some() != (wanted == 1) {
        return Some(("verdict", said));
    }
    let (kind, place, _) = found?;
    if !case.kinds.contains(&kind) {
        return Some(("kind", said));
    }
    let right_line = case.lines.iter().any(|line| place == format!("{}:{line}", case.file));
    (!right_line).then_some(("line", said))
}

/// Runs the selected cases of the files with an extension, prints those with another answer and the numbers of right ones, and fails if there
/// is any. Nothing without the compiler.
fn run(extension: &str, wrapper: &str, compiler: &str) {
    if !Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: there is no {compiler} here");
        return;
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut files: Vec<String> = fs::read_dir(&sources)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.retain(|file| file.ends_with(extension));
    files.sort();
    let all = files.iter().flat_map(|file| cases(file, &fs::read_to_string(sources.join(file)).unwrap()));
    let part = env::var("MULTICOMPUTER_CHECK_CASES").unwrap_or_default();
    let cases: Vec<Case> =
        all.filter(|case| format!("{} {}", case.file, case.name).contains(&part)).collect();

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check");
    fs::create_dir_all(&folder).unwrap();
    let program = |case: &Case| folder.join(&case.file).with_extension("");
    fs::copy(sources.join("check.h"), folder.join("check.h")).unwrap();
    files.retain(|file| cases.iter().any(|case| case.file == *file));
    in_parallel(&files, |file| {
        fs::copy(sources.join(file), folder.join(file)).unwrap();
        // By its name alone, which is then what findings print.
        let output = command(MULTICOMPUTER, &folder)
            .args([wrapper, file])
            .args(INSTRUMENTED.contains(&&**file).then_some("--check"))
            .arg("-o")
            .arg(folder.join(file).with_extension(""))
            .output()
            .unwrap();
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    });
    let judged = in_parallel(&cases, |case| judge(case, &program(case)));

    // Of each kind the number of cases and of other verdicts, kinds, lines.
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (case, wrong) in cases.iter().zip(&judged) {
        let count = counts.entry(case.kinds.first().unwrap_or(&"right")).or_default();
        count[0] += 1;
        let Some((what, said)) = wrong else { continue };
        count[["verdict", "kind", "line"].iter().position(|known| known == what).unwrap() + 1] += 1;
        let expected = match &case.kinds[..] {
            [] => "right".to_owned(),
            kinds => format!("{} at {:?}", kinds.join(" or "), case.lines),
        };
        println!("{what}: -n {} {} {}: expected {expected}; {said}", case.ranks, case.file, case.name);
    }
    for (kind, [cases, verdict, other, line]) in &counts {
        println!("{kind}: {cases} cases; other verdict {verdict}, kind {other}, line {line}");
    }
    let differ = judged.iter().flatten().count();
    assert_eq!(differ, 0, "{differ} of {} cases differ", cases.len());
}

/// What a function makes of all items, in their order.
fn in_parallel<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return made };
            made.push((index, make(item)));
        }
    };
    let mut made: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, made)| made).collect()
}

/// A command in a folder, with the files of its own where Cargo has those of tests.
fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_remove("RUST_LOG");
    command.env("MULTICOMPUTER_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("home"));
    command
}

#[test]
fn programs_in_c() {
    run(".c", "cc", "gcc");
}

#[test]
fn programs_in_fortran() {
    run(".f90", "fortran", "gfortran");
}
