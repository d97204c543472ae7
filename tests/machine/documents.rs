//! Links of the documents: every file and every heading that a link names exists.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// All documents of the repository.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for folder in [root.to_owned(), root.join("docs"), root.join("benches")] {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        all.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    all.sort();
    all
}

/// The text of a document without its code blocks.
fn prose(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("```").step_by(2).collect()
}

/// The targets of the links `[text](target)` in a text.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.contains('`')).collect()
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(path: &Path) -> BTreeSet<String> {
    let anchor = |heading: &str| -> String {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    let text = prose(path);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn links_lead_somewhere() {
    let (mut checked, mut broken) = (0, Vec::new());
    for document in documents() {
        for target in links(&prose(&document)) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { document.clone() } else { document.parent().unwrap().join(file) };
            checked += 1;
            let is_there = path.exists() && (anchor.is_empty() || anchors(&path).contains(anchor));
            if !is_there {
                broken.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(checked > 50, "{checked}");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let contents = prose(&docs.join("README.md"));
    let listed: BTreeSet<PathBuf> = links(&contents).into_iter().map(|target| docs.join(target)).collect();
    let pages = documents().into_iter().filter(|path| path.parent() == Some(&docs));
    let missing: Vec<PathBuf> =
        pages.filter(|path| !path.ends_with("README.md") && !listed.contains(path)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
