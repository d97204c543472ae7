//! The trait [`Series`], with which jobs add series to charts and read values from them.

use multicomputer_picture::{Chart, Origin};

/// Adds series to a chart, and reads values of series.
pub(super) trait Series {
    /// Adds a modeled line: the values of a function at given abscissas.
    fn modeled(
        &mut self,
        name: impl Into<String>,
        places: impl IntoIterator<Item = f64>,
        modeled: impl Fn(f64) -> f64,
    );

    /// Adds a modeled series with one value per name of the x axis.
    fn bars(&mut self, name: impl Into<String>, values: impl IntoIterator<Item = f64>);

    /// Adds a line computed by a formula.
    fn formula(&mut self, name: impl Into<String>, points: Vec<[f64; 2]>);

    /// Adds published points.
    fn published(&mut self, name: impl Into<String>, points: Vec<[f64; 2]>);

    /// Returns the value of a modeled line at an abscissa; both must exist.
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
