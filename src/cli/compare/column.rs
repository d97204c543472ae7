//! Columns as data: a figure of a row, with its name in CSV files and its title in tables.

use multicomputer::Span;

use super::super::{
    files::micros,
    table::{Align, Table},
    unit::Unit,
};

/// A value as it is: a table shows it to people, and a CSV file has it exactly.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) enum Figure {
    /// No value.
    None,
    /// No value, with a remark for people.
    Remark(String),
    /// Words, or a number that is shown as it is.
    Text(String),
    /// A time.
    Time(Span),
    /// A time, or none, that people see marked if it is the fastest.
    Starred(Option<Span>, Option<Span>),
    /// A number of which two decimals are shown.
    Ratio(f64),
    /// A number that is shown as hundredths.
    Percent(f64),
    /// The mean of several counts.
    Mean(f64),
}

impl Figure {
    /// A value that is shown as it displays itself.
    pub(in crate::cli) fn text(value: impl ToString) -> Figure {
        Figure::Text(value.to_string())
    }

    /// The cell in a table.
    fn shown(&self, unit: Unit) -> String {
        match self {
            Figure::None => "-".to_owned(),
            Figure::Remark(text) | Figure::Text(text) => text.clone(),
            Figure::Time(time) => unit.cell(*time),
            Figure::Starred(Some(time), fastest) => unit.starred(*time, *fastest),
            Figure::Starred(None, _) => "-  ".to_owned(),
            Figure::Ratio(ratio) => format!("{ratio:.2}"),
            Figure::Percent(fraction) => format!("{:.2}", 100.0 * fraction),
            Figure::Mean(mean) => format!("{mean:.0}"),
        }
    }

    /// The cell in a CSV file.
    fn exact(self) -> String {
        match self {
            Figure::None | Figure::Remark(_) | Figure::Starred(..) => String::new(),
            Figure::Text(text) => text,
            Figure::Time(time) => micros(time),
            Figure::Ratio(number) | Figure::Percent(number) => number.to_string(),
            Figure::Mean(mean) => format!("{mean:.0}"),
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

impl From<String> for Figure {
    fn from(text: String) -> Figure {
        Figure::Text(text)
    }
}

/// A figure of the rows of a table: in CSV files, in tables, or in both.
pub(in crate::cli) struct Column<R> {
    name: &'static str,
    is_in_csv: bool,
    title: String,
    align: Align,
    is_optional: bool,
    has_own_unit: bool,
    figure: fn(&R) -> Figure,
}

impl<R> Column<R> {
    /// A column of CSV files.
    pub(in crate::cli) fn new(name: &'static str, figure: fn(&R) -> Figure) -> Column<R> {
        Column {
            name,
            is_in_csv: true,
            title: name.to_owned(),
            align: Align::Right,
            is_optional: false,
            has_own_unit: false,
            figure,
        }
    }

    /// A column of tables only.
    pub(in crate::cli) fn shown(name: &'static str, figure: fn(&R) -> Figure) -> Column<R> {
        Column::new(name, figure).only_shown()
    }

    /// The same, but not in CSV files.
    pub(in crate::cli) fn only_shown(self) -> Column<R> {
        Column { is_in_csv: false, ..self }
    }

    /// The title in tables, where that is not the name; `{unit}` in it stands for the unit of times.
    pub(in crate::cli) fn titled(self, title: impl Into<String>) -> Column<R> {
        Column { title: title.into(), ..self }
    }

    /// A column of words.
    pub(in crate::cli) fn left(self) -> Column<R> {
        Column { align: Align::Left, ..self }
    }

    /// A column that tables leave out where no row has the figure.
    pub(in crate::cli) fn optional(self) -> Column<R> {
        Column { is_optional: true, ..self }
    }

    /// A column that is always in tables.
    pub(in crate::cli) fn always(self) -> Column<R> {
        Column { is_optional: false, ..self }
    }

    /// A column whose times are far shorter than others, and have a unit of their own.
    pub(in crate::cli) fn own_unit(self) -> Column<R> {
        Column { has_own_unit: true, ..self }
    }

    /// The unit for times in a table.
    fn unit(&self, figures: &[Figure], unit: Unit) -> Unit {
        let times = figures.iter().filter_map(|figure| match figure {
            Figure::Time(time) if self.has_own_unit && !time.is_zero() => Some(*time),
            _ => None,
        });
        let times: Vec<Span> = times.collect();
        if times.is_empty() { unit } else { Unit::of(times) }
    }
}

/// The names of the columns of a CSV file.
pub(in crate::cli) fn header<R>(columns: &[Column<R>]) -> Vec<&'static str> {
    columns.iter().filter(|column| column.is_in_csv).map(|column| column.name).collect()
}

/// A row of a CSV file.
pub(in crate::cli) fn record<R>(columns: &[Column<R>], row: &R) -> Vec<String> {
    columns.iter().filter(|column| column.is_in_csv).map(|column| (column.figure)(row).exact()).collect()
}

/// The columns of these names, with blanks between them, as a table.
pub(in crate::cli) fn table<R>(columns: &[Column<R>], names: &str, rows: &[R], unit: Unit) -> Table {
    let named = names.split_whitespace().filter_map(|name| columns.iter().find(|column| column.name == name));
    let filled = named.map(|column| (column, rows.iter().map(column.figure).collect::<Vec<_>>()));
    let has_any = |figures: &[Figure]| figures.iter().any(|figure| *figure != Figure::None);
    let filled: Vec<_> = filled.filter(|(column, figures)| !column.is_optional || has_any(figures)).collect();
    let titles: Vec<String> = filled
        .iter()
        .map(|(column, figures)| column.title.replace("{unit}", column.unit(figures, unit).name()))
        .collect();
    let aligned = titles.iter().map(String::as_str).zip(filled.iter().map(|(column, _)| column.align));
    let mut table = Table::new(aligned);
    for row in 0..rows.len() {
        table.row(filled.iter().map(|(column, figures)| figures[row].shown(column.unit(figures, unit))));
    }
    table
}

/// The cell of a row in the column of a name.
pub(super) fn cell<R>(columns: &[Column<R>], name: &str, row: &R, unit: Unit) -> String {
    let column = columns.iter().find(|column| column.name == name);
    column.map_or_else(String::new, |column| (column.figure)(row).shown(unit))
}

/// The title and the side of the column of a name.
pub(super) fn heading<'c, R>(columns: &'c [Column<R>], name: &'c str) -> (&'c str, Align) {
    let column = columns.iter().find(|column| column.name == name);
    column.map_or((name, Align::Right), |column| (&column.title, column.align))
}
