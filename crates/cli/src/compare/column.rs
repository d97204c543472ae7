//! Columns as data: a figure of a row, with its name in CSV files and its title in tables. A table or CSV file is a
//! list of column names.

use multicomputer::Span;

use super::super::{
    files::micros,
    table::{Align, Table},
    unit::Unit,
};

/// Value of a cell: rounded in a table, exact in a CSV file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Figure {
    None,
    /// No value, with a remark that only tables show.
    Remark(String),
    /// A text, or a number that tables show unrounded.
    Text(String),
    Time(Span),
    /// A time, if any, and the fastest time; tables mark a time that is the fastest.
    Starred(Option<Span>, Option<Span>),
    /// A number that tables show with two decimals.
    Ratio(f64),
    /// A fraction that tables show in percent.
    Percent(f64),
}

impl Figure {
    /// Returns a text; `None` if it is empty.
    pub(crate) fn text_or_none(text: &str) -> Figure {
        if text.is_empty() { Figure::None } else { Figure::Text(text.to_owned()) }
    }

    /// Returns the cell of a table.
    fn shown(&self, unit: Unit) -> String {
        match self {
            Figure::None => "-".to_owned(),
            Figure::Remark(text) | Figure::Text(text) => text.clone(),
            Figure::Time(time) => unit.cell(*time),
            Figure::Starred(Some(time), fastest) => unit.starred(*time, *fastest),
            Figure::Starred(None, _) => "-  ".to_owned(),
            Figure::Ratio(ratio) => format!("{ratio:.2}"),
            Figure::Percent(fraction) => format!("{:.2}", 100.0 * fraction),
        }
    }

    /// Returns the cell of a CSV file.
    fn exact(self) -> String {
        match self {
            Figure::None | Figure::Remark(_) | Figure::Starred(None, _) => String::new(),
            Figure::Text(text) => text,
            Figure::Time(time) | Figure::Starred(Some(time), _) => micros(time),
            Figure::Ratio(number) | Figure::Percent(number) => number.to_string(),
        }
    }
}

impl From<Span> for Figure {
    fn from(time: Span) -> Figure {
        Figure::Time(time)
    }
}

impl From<f64> for Figure {
    fn from(ratio: f64) -> Figure {
        Figure::Ratio(ratio)
    }
}

impl<T: Into<Figure>> From<Option<T>> for Figure {
    fn from(figure: Option<T>) -> Figure {
        figure.map_or(Figure::None, T::into)
    }
}

/// Implements figures that are the displayed text of a value.
macro_rules! texts {
    ($($text:ty),*) => {
        $(impl From<$text> for Figure {
            fn from(text: $text) -> Figure {
                Figure::Text(text.to_string())
            }
        })*
    };
}

texts!(String, &str, &String, usize, u64, u32, bool);

/// A column: a figure of each row.
pub(crate) struct Column<'c, R> {
    name: String,
    title: String,
    align: Align,
    has_own_unit: bool,
    figure: Box<dyn Fn(&R) -> Figure + 'c>,
}

impl<'c, R> Column<'c, R> {
    /// Creates a column of numbers.
    pub(crate) fn new<F: Into<Figure>>(
        name: impl Into<String>,
        figure: impl Fn(&R) -> F + 'c,
    ) -> Column<'c, R> {
        let (name, figure) = (name.into(), Box::new(move |row: &R| figure(row).into()));
        Column { title: name.clone(), name, align: Align::Right, has_own_unit: false, figure }
    }

    /// Sets the title in tables, by default the name; `{unit}` in the title stands for the unit of times.
    pub(crate) fn titled(self, title: impl Into<String>) -> Self {
        Column { title: title.into(), ..self }
    }

    /// Aligns the column to the left, for words.
    pub(crate) fn left(self) -> Self {
        Column { align: Align::Left, ..self }
    }

    /// Gives the column its own unit, for times that are far shorter than others.
    pub(crate) fn own_unit(self) -> Self {
        Column { has_own_unit: true, ..self }
    }

    /// Returns the unit for the column's times in a table.
    fn unit(&self, figures: &[Figure], unit: Unit) -> Unit {
        let times = figures.iter().filter_map(|figure| match figure {
            Figure::Time(time) if self.has_own_unit && !time.is_zero() => Some(*time),
            _ => None,
        });
        let times: Vec<Span> = times.collect();
        if times.is_empty() { unit } else { Unit::of(times) }
    }
}

/// Returns the first column with this name.
fn named<'s, 'c, R>(columns: &'s [Column<'c, R>], name: &str) -> Option<&'s Column<'c, R>> {
    columns.iter().find(|column| column.name == name)
}

/// Returns a CSV row with the columns `names`, which are separated by blanks.
pub(crate) fn record<R>(columns: &[Column<'_, R>], names: &str, row: &R) -> Vec<String> {
    let columns = names.split_whitespace().filter_map(|name| named(columns, name));
    columns.map(|column| (column.figure)(row).exact()).collect()
}

/// Returns a table with the columns `names`, which are separated by blanks. A column whose name ends in `?` is omitted
/// if no row has the figure.
pub(crate) fn table<R>(columns: &[Column<'_, R>], names: &str, rows: &[R], unit: Unit) -> Table {
    let named = names
        .split_whitespace()
        .filter_map(|name| named(columns, name.trim_end_matches('?')).zip(Some(name)));
    let filled = named.filter_map(|(column, name)| {
        let figures: Vec<Figure> = rows.iter().map(|row| (column.figure)(row)).collect();
        let is_shown = !name.ends_with('?') || figures.iter().any(|figure| *figure != Figure::None);
        let unit = column.unit(&figures, unit);
        is_shown.then_some((column, figures, unit))
    });
    let filled: Vec<_> = filled.collect();
    let titles =
        filled.iter().map(|(column, _, unit)| (column.title.replace("{unit}", unit.name()), column.align));
    let mut table = Table::new(titles);
    for row in 0..rows.len() {
        table.row(filled.iter().map(|(_, figures, unit)| figures[row].shown(*unit)));
    }
    table
}
