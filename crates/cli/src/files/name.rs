//! File names of output options: an extension of another format is refused.

use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};

/// File extensions and their formats; the usual extension of a format comes first.
const FORMATS: [(&str, &str); 18] = [
    ("bmp", "BMP"),
    ("csv", "CSV"),
    ("eps", "EPS"),
    ("gif", "GIF"),
    ("goal", "GOAL"),
    ("html", "HTML"),
    ("htm", "HTML"),
    ("jpg", "JPEG"),
    ("jpeg", "JPEG"),
    ("json", "JSON"),
    ("pdf", "PDF"),
    ("png", "PNG"),
    ("ps", "PostScript"),
    ("svg", "SVG"),
    ("toml", "TOML"),
    ("webp", "WebP"),
    ("xlsx", "Excel"),
    ("xml", "XML"),
];

/// Returns the parser of an output option that writes `format`.
pub(crate) fn output_file(format: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| match format_of(&path) {
        Some(given) if given != format => {
            let extension =
                FORMATS.iter().find(|(_, other)| *other == format).map_or("", |(extension, _)| extension);
            let convert = if format == "SVG" { ", which other programs convert" } else { "" };
            Err(format!(
                "this is a name for {given} files, but the option writes {format}: use {}{convert}",
                path.with_extension(extension).display()
            ))
        }
        _ => Ok(path),
    })
}

/// Returns the format of a known extension.
fn format_of(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?;
    FORMATS.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known)).map(|&(_, format)| format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_have_formats() {
        for (name, format) in [("a.svg", None), ("a.PNG", Some("PNG")), ("a.htm", Some("HTML")), ("-", None)]
        {
            assert_eq!(format_of(Path::new(name)).filter(|&given| given != "SVG"), format, "{name}");
        }
        assert_eq!(format_of(Path::new("times")), None);
        assert_eq!(format_of(Path::new("times.txt")), None);
    }
}
