//! Charts: series of points over two axes.
//!
//! Charts use the same SVG canvas as the other pictures: they follow the reader's light or dark display, have tooltips,
//! are legible in black and white, and are byte-for-byte reproducible.

mod axis;
mod crossover;
mod draw;
mod legend;

#[cfg(test)]
mod tests;

pub use self::crossover::Crossover;

use super::PictureError;

/// A chart: series of points over two axes.
///
/// ```
/// use multicomputer_picture::{Axis, Chart, Origin};
///
/// let time = |alpha: f64, beta: f64| [8.0, 64.0, 512.0, 4096.0].map(|n| [n, alpha + beta * n]);
/// let chart = Chart::new("Two ways", Axis::logarithmic("length", "bytes"), Axis::logarithmic("time", "us"))
///     .with("tree", Origin::Modeled, time(100.0, 1.0))
///     .with("pipeline", Origin::Modeled, time(500.0, 0.2))
///     .with("bound", Origin::Bound, time(50.0, 0.2));
/// let crossovers = chart.crossovers();
/// assert_eq!((crossovers[0].from.as_str(), crossovers[0].to.as_str()), ("tree", "pipeline"));
/// assert!(chart.mark_crossovers().to_svg()?.starts_with("<svg "));
/// # Ok::<(), multicomputer_picture::PictureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Chart {
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines in the order of the legend.
    pub lines: Vec<Line>,
    /// The crossovers that are marked in the drawing.
    pub marks: Vec<Crossover>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Axis {
    /// The quantity.
    pub name: String,
    /// The unit; empty if the quantity has none.
    pub unit: String,
    /// The scale of the axis.
    pub scale: Scale,
}

/// Largest absolute value on an axis; differences of two values then remain finite.
const MAX_VALUE: f64 = 1e300;

/// The scale of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// Linear.
    Linear,
    /// Logarithmic.
    Logarithmic,
    /// Categories instead of numbers: 0 is the first name, 1 the next.
    Names(Vec<String>),
}

/// A series of points, with or without a connecting line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// The name in the legend, such as an algorithm or an input.
    pub name: String,
    /// The origin of the points.
    pub origin: Origin,
    /// Coordinates on both axes, from left to right.
    pub points: Vec<[f64; 2]>,
    /// The lower and upper end of an interval for each point, on the vertical axis; empty if the points have no intervals.
    pub band: Vec<[f64; 2]>,
}

/// The origin of a line's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Computed in virtual time, or measured.
    Modeled,
    /// Computed by a formula.
    Formula,
    /// Published in a paper; drawn without a connecting line.
    Published,
    /// A lower bound.
    Bound,
}

impl Origin {
    /// Returns the name of the origin.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Modeled => "modeled",
            Origin::Formula => "formula",
            Origin::Published => "published",
            Origin::Bound => "bound",
        }
    }
}

impl Axis {
    /// Creates a linear axis. The unit may be empty. Logarithmic axes have ticks at powers of two if the unit is
    /// `bytes` or all numbers are powers of two.
    pub fn linear(name: impl Into<String>, unit: impl Into<String>) -> Axis {
        Axis { name: name.into(), unit: unit.into(), scale: Scale::Linear }
    }

    /// Creates a logarithmic axis; all numbers must be positive.
    pub fn logarithmic(name: impl Into<String>, unit: impl Into<String>) -> Axis {
        Axis { scale: Scale::Logarithmic, ..Axis::linear(name, unit) }
    }

    /// Creates an axis of names instead of numbers.
    pub fn names(name: impl Into<String>, names: impl IntoIterator<Item = impl Into<String>>) -> Axis {
        let names = names.into_iter().map(Into::into).collect();
        Axis { scale: Scale::Names(names), ..Axis::linear(name, "") }
    }

    /// Returns the name with the unit: `time, ms`; only the name if the unit is the same word.
    pub fn title(&self) -> String {
        if self.unit.is_empty() || self.unit == self.name {
            self.name.clone()
        } else {
            format!("{}, {}", self.name, self.unit)
        }
    }

    /// Returns a description of the allowed numbers if `number` is not allowed, otherwise `None`.
    fn refuses(&self, number: f64) -> Option<String> {
        match &self.scale {
            Scale::Linear => (!(-MAX_VALUE..=MAX_VALUE).contains(&number))
                .then(|| "numbers from -1e300 to 1e300".to_owned()),
            Scale::Logarithmic => (!(MAX_VALUE.recip()..=MAX_VALUE).contains(&number))
                .then(|| "numbers from 1e-300 to 1e300".to_owned()),
            Scale::Names(names) => {
                let is_one = number.fract() == 0.0 && (0.0..names.len() as f64).contains(&number);
                (!is_one).then(|| format!("0 to {}, one for each name", names.len().saturating_sub(1)))
            }
        }
    }

    /// Formats a position on the axis with its unit: `11.7 KiB`, `3 us`, or a name.
    pub fn shown(&self, place: f64) -> String {
        match &self.scale {
            Scale::Names(_) => self.label(place),
            _ if self.unit == "bytes" && place >= 0.0 => axis::bytes(place),
            _ => format!("{} {}", axis::format_short(place), self.unit).trim_end().to_owned(),
        }
    }

    /// Formats a position on the axis: a number, or a name.
    pub fn label(&self, place: f64) -> String {
        match &self.scale {
            Scale::Names(names) => names.get(place as usize).cloned().unwrap_or_default(),
            _ => place.to_string(),
        }
    }
}

impl Chart {
    /// Creates a chart without lines.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Chart {
        Chart { title: title.into(), x, y, lines: Vec::new(), marks: Vec::new() }
    }

    /// Adds a line. Lines with the same name have the same colour: use one name for the modeled values, the formula and
    /// the published points of a subject.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        origin: Origin,
        points: impl IntoIterator<Item = [f64; 2]>,
    ) {
        let points = points.into_iter().collect();
        self.lines.push(Line { name: name.into(), origin, points, band: Vec::new() });
    }

    /// Adds a line of modeled points with an interval for each, such as the 95 % confidence interval of a mean: `[x, y, low, high]`. The
    /// intervals are drawn as an area along the line, or as a stroke at a bar or a single point.
    pub fn add_with_intervals(
        &mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = [f64; 4]>,
    ) {
        let (points, band) = points.into_iter().map(|[x, y, low, high]| ([x, y], [low, high])).unzip();
        self.lines.push(Line { name: name.into(), origin: Origin::Modeled, points, band });
    }

    /// Returns the chart with another line, like [`add`](Chart::add).
    pub fn with(
        mut self,
        name: impl Into<String>,
        origin: Origin,
        points: impl IntoIterator<Item = [f64; 2]>,
    ) -> Chart {
        self.add(name, origin, points);
        self
    }

    /// Returns the chart with marks at its crossovers.
    pub fn mark_crossovers(self) -> Chart {
        Chart { marks: self.crossovers(), ..self }
    }

    /// Returns the points, from left to right, at which another modeled line becomes the lowest. Lines are interpolated
    /// between points as they are drawn. Empty if the x axis has names.
    pub fn crossovers(&self) -> Vec<Crossover> {
        crossover::of(self)
    }

    /// Draws the chart as SVG.
    ///
    /// Modeled lines have a colour, a dash pattern and markers. Formulas are thin lines, published points are large
    /// hollow markers, and bounds are broad and grey. On an axis of names modeled lines are bars, or markers if the
    /// other axis is logarithmic and has no zero. Each point has a tooltip with its values.
    ///
    /// # Errors
    ///
    /// [`PictureError::Empty`] if there is no point, [`PictureError::NotOnAxis`] if a coordinate is not a number,
    /// exceeds 1e300, is not positive on a logarithmic axis, or is not an index of an axis of names.
    pub fn to_svg(&self) -> Result<String, PictureError> {
        self.check()?;
        Ok(draw::draw(&self.title, std::slice::from_ref(self)))
    }

    /// Draws charts of the same axes side by side (small multiples), as SVG: each with its title, all with the same ranges, and one legend in
    /// which a name has the same colour in all panels.
    ///
    /// # Errors
    ///
    /// Those of [`to_svg`](Chart::to_svg); [`PictureError::Empty`] without a chart.
    pub fn panels(title: &str, charts: &[Chart]) -> Result<String, PictureError> {
        if charts.is_empty() {
            return Err(PictureError::Empty { what: "charts" });
        }
        charts.iter().try_for_each(Chart::check)?;
        Ok(draw::draw(title, charts))
    }

    fn check(&self) -> Result<(), PictureError> {
        if self.lines.iter().all(|line| line.points.is_empty()) {
            return Err(PictureError::Empty { what: "points" });
        }
        for line in &self.lines {
            let ends =
                line.points.iter().zip(&line.band).flat_map(|(point, band)| band.map(|end| [point[0], end]));
            for point in line.points.iter().copied().chain(ends) {
                for (axis, given) in [&self.x, &self.y].into_iter().zip(point) {
                    if let Some(allowed) = axis.refuses(given) {
                        let (line, axis) = (line.name.clone(), axis.title());
                        return Err(PictureError::NotOnAxis {
                            line,
                            axis,
                            given: given.to_string(),
                            allowed,
                        });
                    }
                }
            }
        }
        Ok(())
    }
}
