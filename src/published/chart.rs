//! The series of points behind a figure, in the shape that a plot needs.

/// A figure: lines of points over two axes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Chart {
    /// What is shown.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// In the order of a legend.
    pub lines: Vec<Line>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Axis {
    /// What it counts.
    pub name: &'static str,
    /// Its unit; nothing if it has none.
    pub unit: &'static str,
    /// How numbers go along it.
    pub scale: Scale,
}

/// How numbers go along an axis.
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
    /// Worked out in virtual time.
    Modeled,
    /// Worked out by a formula.
    Formula,
    /// Printed in the paper.
    Published,
}

impl Origin {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Modeled => "modeled",
            Origin::Formula => "formula",
            Origin::Published => "published",
        }
    }
}

impl Axis {
    pub(super) const fn linear(name: &'static str, unit: &'static str) -> Axis {
        Axis { name, unit, scale: Scale::Linear }
    }

    pub(super) const fn logarithmic(name: &'static str, unit: &'static str) -> Axis {
        Axis { name, unit, scale: Scale::Logarithmic }
    }

    pub(super) fn names(name: &'static str, names: impl IntoIterator<Item = impl Into<String>>) -> Axis {
        Axis { name, unit: "", scale: Scale::Names(names.into_iter().map(Into::into).collect()) }
    }

    /// Its name with its unit: `time, ms`.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.name.to_owned() } else { format!("{}, {}", self.name, self.unit) }
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
    pub(super) fn new(title: impl Into<String>, x: Axis, y: Axis) -> Chart {
        Chart { title: title.into(), x, y, lines: Vec::new() }
    }

    fn add(&mut self, name: impl Into<String>, origin: Origin, points: Vec<[f64; 2]>) {
        self.lines.push(Line { name: name.into(), origin, points });
    }

    /// Adds a line of what a function gives at some places.
    pub(super) fn modeled(
        &mut self,
        name: impl Into<String>,
        places: impl IntoIterator<Item = f64>,
        modeled: impl Fn(f64) -> f64,
    ) {
        let points = places.into_iter().map(|place| [place, modeled(place)]).collect();
        self.add(name, Origin::Modeled, points);
    }

    /// Adds a line with a value for each name of the axis.
    pub(super) fn bars(&mut self, name: impl Into<String>, values: impl IntoIterator<Item = f64>) {
        let points = values.into_iter().enumerate().map(|(place, value)| [place as f64, value]).collect();
        self.add(name, Origin::Modeled, points);
    }

    /// Adds a line by formula.
    pub(super) fn formula(&mut self, name: impl Into<String>, points: Vec<[f64; 2]>) {
        self.add(name, Origin::Formula, points);
    }

    /// Adds points that are published.
    pub(super) fn published(&mut self, name: impl Into<String>, points: Vec<[f64; 2]>) {
        self.add(name, Origin::Published, points);
    }

    /// The height of a modeled line at a place. Both must be there.
    pub(super) fn at(&self, name: &str, place: f64) -> f64 {
        let line = self.lines.iter().find(|line| line.origin == Origin::Modeled && line.name == name);
        let point = line.and_then(|line| line.points.iter().find(|point| point[0] == place));
        point.unwrap_or_else(|| panic!("{}: no point {place} of {name}", self.title))[1]
    }
}
