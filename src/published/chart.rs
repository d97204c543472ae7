//! Charts as jobs fill and read them.

use crate::picture::{Chart, Origin};

/// Lines of what is worked out, and points of them.
pub(super) trait Series {
    /// Adds a line of what a function gives at some places.
    fn modeled(
        &mut self,
        name: impl Into<String>,
        places: impl IntoIterator<Item = f64>,
        modeled: impl Fn(f64) -> f64,
    );

    /// Adds a line with a value for each name of the axis.
    fn bars(&mut self, name: impl Into<String>, values: impl IntoIterator<Item = f64>);

    /// Adds a line by formula.
    fn formula(&mut self, name: impl Into<String>, points: Vec<[f64; 2]>);

    /// Adds points that are published.
    fn published(&mut self, name: impl Into<String>, points: Vec<[f64; 2]>);

    /// The height of a modeled line at a place. Both must be there.
    fn at(&self, name: &str, place: f64) -> f64;
}

impl Series for Chart {
    fn modeled(
        &mut self,
        name: impl Into<String>,
        places: impl IntoIterator<Item = f64>,
        modeled: impl Fn(f64) -> f64,
    ) {
        self.add(name, Origin::Modeled, places.into_iter().map(|place| [place, modeled(place)]));
    }

    fn bars(&mut self, name: impl Into<String>, values: impl IntoIterator<Item = f64>) {
        let points = values.into_iter().enumerate().map(|(place, value)| [place as f64, value]);
        self.add(name, Origin::Modeled, points);
    }

    fn formula(&mut self, name: impl Into<String>, points: Vec<[f64; 2]>) {
        self.add(name, Origin::Formula, points);
    }

    fn published(&mut self, name: impl Into<String>, points: Vec<[f64; 2]>) {
        self.add(name, Origin::Published, points);
    }

    fn at(&self, name: &str, place: f64) -> f64 {
        let line = self.lines.iter().find(|line| line.origin == Origin::Modeled && line.name == name);
        let point = line.and_then(|line| line.points.iter().find(|point| point[0] == place));
        point.unwrap_or_else(|| panic!("{}: no point {place} of {name}", self.title))[1]
    }
}
