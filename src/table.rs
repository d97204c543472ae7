//! Tables in text files: one row a line, fields separated by commas, semicolons, tabs or blanks.
//!
//! The first row with data decides the separator; errors can name the separator and the line that decided it. Empty lines are skipped,
//! and so is everything from a `#` to the end of its line. A field may stand between double quotes.

use std::fmt;

/// The separator of the fields of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Comma,
    Semicolon,
    Tab,
    /// One or more blanks or tabs.
    Blanks,
}

impl Separator {
    /// Returns the separator that a row uses.
    fn of(row: &str) -> Separator {
        [(',', Separator::Comma), (';', Separator::Semicolon), ('\t', Separator::Tab)]
            .into_iter()
            .find(|(character, _)| row.contains(*character))
            .map_or(Separator::Blanks, |(_, separator)| separator)
    }
}

/// Names the separator in the plural: `commas`.
impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Separator::Comma => "commas",
            Separator::Semicolon => "semicolons",
            Separator::Tab => "tabs",
            Separator::Blanks => "blanks",
        })
    }
}

/// The rows of a table.
#[derive(Debug)]
pub(crate) struct Table<'t> {
    separator: Separator,
    rows: Vec<Row<'t>>,
}

/// A row of a table that is not empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'t> {
    /// The number of the line in the file, from 1.
    pub(crate) line: usize,
    text: &'t str,
    separator: Separator,
}

impl<'t> Table<'t> {
    /// Splits a text into rows.
    pub(crate) fn read(text: &'t str) -> Table<'t> {
        let content = |line: &'t str| line.split('#').next().unwrap_or_default();
        let lines = (1..).zip(text.lines().map(content)).filter(|(_, text)| !text.trim().is_empty());
        let lines: Vec<(usize, &str)> = lines.collect();
        // Blanks at the ends of a line do not separate fields; a tab there may.
        let first = lines.first().map_or("", |(_, text)| text.trim_matches(' ').trim_end_matches('\r'));
        let separator = Separator::of(first);
        let rows = lines.into_iter().map(|(line, text)| Row { line, text, separator }).collect();
        Table { separator, rows }
    }

    /// Returns the separator of all rows.
    pub(crate) fn separator(&self) -> Separator {
        self.separator
    }

    /// Returns the rows that are not empty, in the order of the file.
    pub(crate) fn rows(&self) -> &[Row<'t>] {
        &self.rows
    }

    /// Removes the first row, a header.
    pub(crate) fn skip_header(&mut self) {
        self.rows.remove(0);
    }
}

impl<'t> Row<'t> {
    /// Returns the fields, without the blanks and the quotes around them.
    pub(crate) fn fields(self) -> impl Iterator<Item = &'t str> + use<'t> {
        let (blanks, separated) = match self.separator {
            Separator::Blanks => (Some(self.text.split_whitespace()), None),
            Separator::Comma => (None, Some(self.text.split(','))),
            Separator::Semicolon => (None, Some(self.text.split(';'))),
            Separator::Tab => (None, Some(self.text.trim_matches([' ', '\r']).split('\t'))),
        };
        let unquoted = |field: &'t str| {
            let field = field.trim();
            field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field).trim()
        };
        blanks.into_iter().flatten().chain(separated.into_iter().flatten()).map(unquoted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> (Separator, Vec<(usize, Vec<&str>)>) {
        let table = Table::read(text);
        (table.separator(), table.rows().iter().map(|row| (row.line, row.fields().collect())).collect())
    }

    #[test]
    fn the_first_row_decides_the_separator() {
        let expected = vec![(1, vec!["1", "2"]), (2, vec!["3", "4"])];
        for (text, separator) in [
            ("1,2\n3 , 4\n", Separator::Comma),
            ("1; 2\r\n3;4\r\n", Separator::Semicolon),
            ("1\t2\n3 \t4", Separator::Tab),
            (" 1   2 \n3\t4\n", Separator::Blanks),
            ("\"1\",\"2\"\n3,4", Separator::Comma),
        ] {
            assert_eq!(rows(text), (separator, expected.clone()), "{text:?}");
        }
    }

    #[test]
    fn comments_and_empty_lines_are_skipped_and_counted() {
        assert_eq!(
            rows("# a, b\n\n 1,,2 # two\n  \n,\n"),
            (Separator::Comma, vec![(3, vec!["1", "", "2"]), (5, vec!["", ""])])
        );
        assert_eq!(rows("\n# nothing\n"), (Separator::Blanks, vec![]));
        assert_eq!(rows("1\t2\t\n").1, [(1, vec!["1", "2", ""])]);
    }
}
