//! The files of the page, which are part of this program.

/// A file: its path, its media type and its content.
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) media_type: &'static str,
    pub(super) content: &'static str,
}

/// Defines the files by their names.
macro_rules! files {
    ($($media_type:literal: $($name:literal)+;)+) => {
        &[$($(File { path: concat!("/", $name), media_type: $media_type, content: include_str!(concat!("page/", $name)) },)+)+]
    };
}

/// All files. `/` is `index.html`.
const FILES: &[File] = files! {
    "text/html; charset=utf-8": "index.html";
    "text/css; charset=utf-8": "style.css";
    "text/javascript; charset=utf-8": "main.js";
};

/// The file of a path.
pub(super) fn file(path: &str) -> Option<&'static File> {
    let path = if path == "/" { "/index.html" } else { path };
    FILES.iter().find(|file| file.path == path)
}
