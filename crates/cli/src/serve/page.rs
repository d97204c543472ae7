//! The files of the page, which are part of this program.

/// A file of the page.
#[derive(Debug)]
pub(super) struct File {
    path: &'static str,
    pub(super) media_type: &'static str,
    pub(super) content: &'static str,
}

/// Defines the files of a media type by their names.
macro_rules! files {
    ($($media_type:literal: $($name:literal)+;)+) => {
        &[$($(File { path: concat!("/", $name), media_type: $media_type, content: include_str!(concat!("page/", $name)) },)+)+]
    };
}

/// All files.
const FILES: &[File] = files! {
    "text/html; charset=utf-8": "index.html";
    "text/css; charset=utf-8": "style.css";
    "text/javascript; charset=utf-8":
        "answer.js" "api.js" "chart.js" "compute.js" "dom.js" "faults.js" "fields.js" "lessons.js" "look.js" "machine.js" "main.js"
        "network.js" "predict.js" "question.js" "results.js" "sliders.js" "state.js" "table.js" "tell.js" "units.js"
        "lessons/ask.js" "lessons/bisection.js" "lessons/check.js" "lessons/contention.js" "lessons/machines.js" "lessons/rings.js"
        "lessons/sources.js" "lessons/trees.js" "lessons/words.js";
};

/// Returns the file of a path; `/` is the page itself.
pub(super) fn file(path: &str) -> Option<&'static File> {
    let path = if path == "/" { "/index.html" } else { path };
    FILES.iter().find(|file| file.path == path)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    /// The paths of all files of a folder.
    fn paths(folder: &Path, prefix: &str) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        let of_entry = entries.flat_map(|entry| {
            let path = format!("{prefix}/{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() { paths(&entry.path(), &path) } else { vec![path] }
        });
        of_entry.collect()
    }

    #[test]
    fn every_file_of_the_folder_is_served() {
        let mut in_folder = paths(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/serve/page"), "");
        let mut served: Vec<String> = FILES.iter().map(|file| file.path.to_owned()).collect();
        in_folder.sort_unstable();
        served.sort_unstable();
        assert_eq!(served, in_folder);
        assert!(file("/").unwrap().content.starts_with("<!doctype html>"));
    }
}
