//! Text tables with aligned columns.

use std::fmt;

/// Alignment of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// Rows of cells, the first with titles. The text has two blanks between columns and a line break after every row.
#[derive(Clone, Debug)]
pub(super) struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with titles only.
    pub(super) fn new(columns: impl IntoIterator<Item = (impl Into<String>, Align)>) -> Table {
        let (titles, columns) = columns.into_iter().map(|(title, align)| (title.into(), align)).unzip();
        Table { columns, rows: vec![titles] }
    }

    /// Adds a row; cells without a column are not shown.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let columns: Vec<(Align, usize)> = self.columns.iter().copied().zip((0..).map(width)).collect();
        for row in &self.rows {
            let cells = row.iter().zip(&columns).map(|(cell, &(align, width))| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}
