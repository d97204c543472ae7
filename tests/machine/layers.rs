//! The layers of ARCHITECTURE.md, held against the source: a module names only modules on lines below its own.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The line of each module in the picture of layers, from the top.
fn layers() -> BTreeMap<String, usize> {
    let text = include_str!("../../ARCHITECTURE.md");
    let picture = text.split("## Layers").nth(1).and_then(|rest| rest.split("```").nth(1)).unwrap();
    let lines = picture.lines().skip(1).filter(|line| !line.trim().is_empty());
    let modules = lines.enumerate().flat_map(|(layer, line)| {
        let names = line.trim().split("  ").next().unwrap_or_default();
        names.split(", ").map(move |name| (name.to_owned(), layer)).collect::<Vec<_>>()
    });
    modules.collect()
}

/// All source files of the library.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The code of a file without comments, and without its tests, which stand at its end.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let begins_tests = line.trim() == "#[cfg(test)]"
            && lines.peek().is_some_and(|next| next.trim_start().starts_with("mod tests {"));
        if begins_tests {
            break;
        }
        code.push_str(line.split("//").next().unwrap_or_default());
        code.push('\n');
    }
    code
}

/// The names that stand right behind `crate::`, also in groups.
fn named(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(first_word(rest));
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (at, character) in group.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                _ if begins && !character.is_whitespace() => {
                    names.insert(first_word(&group[at..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    names
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

#[test]
fn modules_name_only_modules_below_them() {
    let (layers, root) = (layers(), Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(layers.len() > 20, "{layers:?}");
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for path in sources(&root) {
        let inside = path.strip_prefix(&root).unwrap();
        let file = inside.file_stem().unwrap().to_str().unwrap();
        if file.ends_with("tests") || file == "arbitrary" || inside == Path::new("lib.rs") {
            continue;
        }
        let module =
            inside.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        let Some(layer) = layers.get(module) else {
            wrong.push(format!("{module} is not in the picture"));
            continue;
        };
        seen.insert(module.to_owned());
        for name in named(&code(&fs::read_to_string(&path).unwrap())) {
            match layers.get(&name) {
                _ if name == module => {}
                Some(other) if other > layer => {}
                Some(_) => {
                    wrong.push(format!("{} names {name}, which is not below {module}", inside.display()))
                }
                None => wrong.push(format!("{} names {name}, which is no module", inside.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unknown: Vec<&String> = layers.keys().filter(|name| !seen.contains(*name)).collect();
    assert!(unknown.is_empty(), "in the picture, but not in src: {unknown:?}");
}

#[test]
fn names_are_found_in_groups_and_in_passing() {
    let code = "use crate::{a::{b, c}, d, e::f};\nfn x() { crate::g::h(); crate::I }";
    assert_eq!(named(code).into_iter().collect::<Vec<_>>(), ["I", "a", "d", "e", "g"]);
}
