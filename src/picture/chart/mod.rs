//! Charts: lines of points over two axes.
//!
//! A stock chart, and still drawn here as the other pictures are, so that it follows the reader's display, tells its figures
//! under the mouse, can be told apart in black and white, and is the same byte for byte.

mod axis;
mod crossover;
mod draw;
mod legend;

#[cfg(test)]
mod tests;

pub use self::crossover::Crossover;

use super::PictureError;

/// A chart: lines of points over two axes.
///
/// ```
/// use multicomputer::picture::{Axis, Chart, Origin};
///
/// let time = |alpha: f64, beta: f64| [8.0, 64.0, 512.0, 4096.0].map(|n| [n, alpha + beta * n]);
/// let chart = Chart::new("Two ways", Axis::logarithmic("length", "bytes"), Axis::logarithmic("time", "us"))
///     .with("tree", Origin::Modeled, time(100.0, 1.0))
///     .with("pipeline", Origin::Modeled, time(500.0, 0.2))
///     .with("bound", Origin::Bound, time(50.0, 0.2));
/// let crossovers = chart.crossovers();
/// assert_eq!((crossovers[0].from.as_str(), crossovers[0].to.as_str()), ("tree", "pipeline"));
/// assert!(chart.mark_crossovers().to_svg()?.starts_with("<svg "));
/// # Ok::<(), multicomputer::picture::PictureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Chart {
    /// The title.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// In the order of a legend.
    pub lines: Vec<Line>,
    /// The places that are marked, at which another line becomes the lowest.
    pub marks: Vec<Crossover>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Axis {
    /// The quantity.
    pub name: String,
    /// Its unit; nothing if it has none.
    pub unit: String,
    /// The way in which numbers go along it.
    pub scale: Scale,
}

/// The largest number on an axis: the distance of two of them is a number, too.
const LARGEST: f64 = 1e300;

/// The way in which numbers go along an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By factors.
    Logarithmic,
    /// Not numbers, but these names: 0 is the first of them, 1 the next.
    Names(Vec<String>),
}

/// A line of points, or points alone.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// As a legend has it: the algorithm, the input.
    pub name: String,
    /// Where its points come from.
    pub origin: Origin,
    /// Places along both axes, from left to right.
    pub points: Vec<[f64; 2]>,
}

/// Where points come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Worked out in virtual time, or measured.
    Modeled,
    /// Worked out by a formula.
    Formula,
    /// Printed in a paper: points alone.
    Published,
    /// The bound, which nothing can beat.
    Bound,
}

impl Origin {
    /// In a word.
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
    /// An axis along which numbers go evenly. The unit may be empty; marks are at powers of two where the axis is logarithmic and the
    /// unit is `bytes`, or all numbers are powers of two.
    pub fn linear(name: impl Into<String>, unit: impl Into<String>) -> Axis {
        Axis { name: name.into(), unit: unit.into(), scale: Scale::Linear }
    }

    /// An axis along which numbers go by factors; all of them have to be positive.
    pub fn logarithmic(name: impl Into<String>, unit: impl Into<String>) -> Axis {
        Axis { scale: Scale::Logarithmic, ..Axis::linear(name, unit) }
    }

    /// An axis of names instead of numbers.
    pub fn names(name: impl Into<String>, names: impl IntoIterator<Item = impl Into<String>>) -> Axis {
        let names = names.into_iter().map(Into::into).collect();
        Axis { scale: Scale::Names(names), ..Axis::linear(name, "") }
    }

    /// Its name with its unit: `time, ms`.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{}, {}", self.name, self.unit) }
    }

    /// The numbers that are allowed, if this one is not.
    fn refuses(&self, number: f64) -> Option<String> {
        match &self.scale {
            Scale::Linear => {
                (!(-LARGEST..=LARGEST).contains(&number)).then(|| "numbers from -1e300 to 1e300".to_owned())
            }
            Scale::Logarithmic => (!(LARGEST.recip()..=LARGEST).contains(&number))
                .then(|| "numbers from 1e-300 to 1e300".to_owned()),
            Scale::Names(names) => {
                let is_one = number.fract() == 0.0 && (0.0..names.len() as f64).contains(&number);
                (!is_one).then(|| format!("0 to {}, one for each name", names.len().saturating_sub(1)))
            }
        }
    }

    /// A place on the axis as a text: a number, or a name.
    pub fn label(&self, place: f64) -> String {
        match &self.scale {
            Scale::Names(names) => names.get(place as usize).cloned().unwrap_or_default(),
            _ => place.to_string(),
        }
    }
}

impl Chart {
    /// A chart without lines.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Chart {
        Chart { title: title.into(), x, y, lines: Vec::new(), marks: Vec::new() }
    }

    /// Adds a line. Lines of one name have one colour: a formula and published points beside what is modeled.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        origin: Origin,
        points: impl IntoIterator<Item = [f64; 2]>,
    ) {
        self.lines.push(Line { name: name.into(), origin, points: points.into_iter().collect() });
    }

    /// The chart with another line, as [`add`](Chart::add).
    pub fn with(
        mut self,
        name: impl Into<String>,
        origin: Origin,
        points: impl IntoIterator<Item = [f64; 2]>,
    ) -> Chart {
        self.add(name, origin, points);
        self
    }

    /// The chart with marks where another of its lines becomes the lowest.
    pub fn mark_crossovers(self) -> Chart {
        Chart { marks: self.crossovers(), ..self }
    }

    /// The places, from left to right, at which another of the modeled lines becomes the lowest: where the lines between two
    /// points cross as they are drawn. Empty if the x axis has names.
    pub fn crossovers(&self) -> Vec<Crossover> {
        crossover::of(self)
    }

    /// Draws the chart as SVG.
    ///
    /// Modeled lines have a colour, a dash and a kind of mark, formulas are thin, published points are large and hollow, the bound
    /// is broad and grey. On an axis of names modeled lines are bars, and points
    /// where the other axis is logarithmic, which has no foot. Under the mouse each point tells its figures.
    ///
    /// # Errors
    ///
    /// [`PictureError::Empty`] if there is no point at all, [`PictureError::NotOnAxis`] if one is not a number, beyond 1e300,
    /// not positive where an axis is logarithmic, or no name of an axis of names.
    pub fn to_svg(&self) -> Result<String, PictureError> {
        self.check()?;
        Ok(draw::draw(self))
    }

    fn check(&self) -> Result<(), PictureError> {
        if self.lines.iter().all(|line| line.points.is_empty()) {
            return Err(PictureError::Empty { what: "points" });
        }
        for line in &self.lines {
            for point in &line.points {
                for (axis, given) in [&self.x, &self.y].into_iter().zip(*point) {
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
