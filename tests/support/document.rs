//! What documents say that tests check.

use std::{fs, ops::Range, path::Path};

/// The root folder of the repository, for tests of any of its crates.
pub(crate) fn root() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join("docs").is_dir()).expect("the repository has documents")
}

/// A file of the project.
pub(crate) fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|cause| panic!("{file}: {cause}"))
}

/// The rows of the table with this header, without the header; and where they stand in the text.
pub(crate) fn rows<'a>(text: &'a str, header: &str) -> (Vec<&'a str>, Range<usize>) {
    let begin = text.find(&format!("{header}\n| ---")).unwrap_or_else(|| panic!("no table has\n{header}"));
    let lines = text[begin..].split_inclusive('\n').take_while(|line| line.starts_with('|'));
    let (head, body): (Vec<_>, Vec<_>) = lines.enumerate().partition(|&(nth, _)| nth < 2);
    let length = |lines: &[(usize, &str)]| lines.iter().map(|(_, line)| line.len()).sum::<usize>();
    let begin = begin + length(&head);
    let end = begin + length(&body);
    (body.into_iter().map(|(_, line)| line.trim_end()).collect(), begin..end)
}

/// Fails unless every row of `text` that ends with a name in backquotes names a test in one of the sources, and there
/// are at least so many such rows.
#[track_caller]
pub(crate) fn assert_tests_exist(text: &str, sources: &[&str], least: usize) {
    let rows: Vec<&str> = text.lines().filter(|line| line.ends_with("` |")).collect();
    for row in &rows {
        let name = row.rsplit('`').nth(1).unwrap();
        let start = format!("fn {name}(");
        assert!(sources.iter().any(|source| source.contains(&start)), "no test is named {name}");
    }
    assert!(rows.len() >= least, "{} rows only", rows.len());
}
