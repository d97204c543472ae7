//! Names of files that are written, whose endings say what is in them.

use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};

/// Endings that say what is in a file, and the formats that they stand for; the usual one of a format comes first.
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

/// The parser of the name of a file of a format: one whose ending says that it is of another format is refused.
pub(in crate::cli) fn named(format: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| match given(&path) {
        Some(given) if given != format => {
            let ending = FORMATS.iter().find(|(_, other)| *other == format).map_or("", |(ending, _)| ending);
            Err(format!(
                "its ending says {given}, and the file is {format}: name it {}",
                path.with_extension(ending).display()
            ))
        }
        _ => Ok(path),
    })
}

/// The format that the ending of a name stands for, if it is known.
fn given(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?;
    FORMATS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|&(_, format)| format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_of_another_format_is_told() {
        for (name, format) in [("a.svg", None), ("a.PNG", Some("PNG")), ("a.htm", Some("HTML")), ("-", None)]
        {
            assert_eq!(given(Path::new(name)).filter(|&given| given != "SVG"), format, "{name}");
        }
        assert_eq!(given(Path::new("times")), None);
        assert_eq!(given(Path::new("times.txt")), None);
    }
}
