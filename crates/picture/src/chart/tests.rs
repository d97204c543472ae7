//! Tests of charts: contents, errors, crossovers.

use super::*;

fn two_lines() -> Chart {
    let line = |alpha: f64, beta: f64| [1.0, 10.0, 100.0].map(|n| [n, alpha + beta * n]);
    Chart::new("<Two> & \"more\"", Axis::linear("n", "bytes"), Axis::linear("time", "us"))
        .with("low", Origin::Modeled, line(0.0, 3.0))
        .with("high", Origin::Modeled, line(60.0, 1.0))
        .with("low", Origin::Published, [[10.0, 31.0]])
        .with("bound", Origin::Bound, line(0.0, 1.0))
}

/// 3 n = 60 + n at n = 30.
#[test]
fn lines_cross_where_they_are_equal() {
    let chart = two_lines();
    let crossovers = chart.crossovers();
    assert_eq!(crossovers.len(), 1);
    assert_eq!((crossovers[0].from.as_str(), crossovers[0].to.as_str()), ("low", "high"));
    let [x, y] = crossovers[0].at;
    assert!((x - 30.0).abs() < 1e-9 && (y - 90.0).abs() < 1e-9, "{x}, {y}");
}

/// A third line is the lowest only between two points.
#[test]
fn a_line_that_is_the_lowest_between_two_points_is_crossed_into_and_out_of() {
    let chart = Chart::new("", Axis::linear("", ""), Axis::linear("", ""))
        .with("a", Origin::Modeled, [[0.0, 0.0], [10.0, 100.0]])
        .with("b", Origin::Modeled, [[0.0, 100.0], [10.0, 0.0]])
        .with("c", Origin::Modeled, [[0.0, 20.0], [10.0, 20.0]]);
    let crossovers = chart.crossovers();
    let names: Vec<(&str, &str)> = crossovers.iter().map(|c| (c.from.as_str(), c.to.as_str())).collect();
    assert_eq!(names, [("a", "c"), ("c", "b")]);
    assert_eq!(crossovers.iter().map(|c| c.at[0].round()).collect::<Vec<_>>(), [2.0, 8.0]);
}

#[test]
fn a_chart_tells_its_points_and_is_the_same_every_time() {
    let svg = two_lines().mark_crossovers().to_svg().unwrap();
    assert_eq!(svg, two_lines().mark_crossovers().to_svg().unwrap());
    for text in [
        "&lt;Two&gt; &amp; ",
        "low (modeled): 10 bytes, 30 us",
        "low (published): 10 bytes, 31 us",
        "from 30 bytes on high is lower than low",
        "bound (lower bound)",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(!two_lines().to_svg().unwrap().contains("is lower than"));
}

#[test]
fn bars_stand_on_zero_beside_what_is_published() {
    let chart = Chart::new("bars", Axis::names("input", ["row", "cross"]), Axis::linear("gain", "%"))
        .with("one", Origin::Modeled, [[0.0, 4.0], [1.0, -2.0]])
        .with("two", Origin::Modeled, [[0.0, 1.0], [1.0, 2.0]])
        .with("two", Origin::Published, [[1.0, 2.5]]);
    let svg = chart.to_svg().unwrap();
    assert_eq!(svg.matches("(modeled): ").count(), 4, "{svg}");
    assert!(svg.contains("two (published): cross, 2.5 %") && svg.contains(">-2<"), "{svg}");
    assert!(chart.crossovers().is_empty());
}

#[test]
fn points_outside_the_scale_are_refused() {
    let chart = |x: Axis, y: Axis, point| Chart::new("", x, y).with("a", Origin::Modeled, [point]).to_svg();
    let linear = || Axis::linear("n", "bytes");
    let error = chart(linear(), linear(), [1.0, f64::NAN]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "value NaN of a is not allowed on the axis n, bytes; allowed are numbers from -1e300 to 1e300"
    );
    let error = chart(Axis::logarithmic("n", ""), linear(), [0.0, 1.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "value 0 of a is not allowed on the axis n; allowed are numbers from 1e-300 to 1e300"
    );
    let error = chart(Axis::names("n", ["x", "y"]), linear(), [2.0, 1.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "value 2 of a is not allowed on the axis n; allowed are 0 to 1, one for each name"
    );
    let empty = Chart::new("", linear(), linear()).to_svg();
    assert_eq!(empty, Err(PictureError::Empty { what: "points" }));
    assert!(chart(linear(), linear(), [1e308, 0.0]).is_err());
    // A range of length 0 is extended: a single point can be drawn on every kind of axis.
    assert!(chart(linear(), linear(), [5.0, 0.0]).is_ok());
    assert!(
        !chart(Axis::logarithmic("n", ""), Axis::logarithmic("m", ""), [5.0, 7.0]).unwrap().contains("NaN")
    );
}

/// Ticks are at round numbers.
#[test]
fn ticks_are_round_numbers() {
    let labels = |axis: &Axis, numbers: &[f64]| -> Vec<String> {
        let range = axis::Range::of(axis, numbers.iter().copied(), true);
        range.ticks().into_iter().map(|tick| tick.label).collect()
    };
    let bytes = Axis::logarithmic("n", "bytes");
    assert_eq!(labels(&bytes, &[8.0, 128.0]), ["8 B", "16 B", "32 B", "64 B", "128 B"]);
    assert_eq!(
        labels(&Axis::linear("t", "ms"), &[1.0, 37.0]),
        ["0", "5", "10", "15", "20", "25", "30", "35", "40"]
    );
    assert_eq!(labels(&Axis::logarithmic("t", "ms"), &[0.2, 3.0]), ["0.2", "0.5", "1", "2"]);
    assert_eq!(labels(&Axis::logarithmic("t", "ms"), &[0.2, 30_000.0]).first().unwrap(), "1");
    assert_eq!(labels(&Axis::logarithmic("p", ""), &[4.0, 32.0]), ["4", "8", "16", "32"]);
}

/// If there are too many names, only every n-th one is labelled; long names have enough space.
#[test]
fn many_long_names_have_room() {
    let name = |nth: usize| format!("a-name-that-is-rather-long-{nth}");
    let chart = |count: usize| {
        let points = (0..count).map(|nth| [nth as f64, 1.0]);
        Chart::new("", Axis::names("n", (0..count).map(name)), Axis::linear("t", "")).with(
            "a",
            Origin::Modeled,
            points,
        )
    };
    let labels = |count: usize| chart(count).to_svg().unwrap().matches("rotate(-45").count();
    assert_eq!((labels(20), labels(500)), (20, 46));
}

/// Several bounds are labelled with their names, and are drawn in front of bars.
#[test]
fn bounds_are_labelled() {
    let chart = |x: Axis| {
        Chart::new("", x, Axis::linear("t", ""))
            .with("bound one", Origin::Bound, [[0.0, 1.0], [1.0, 2.0]])
            .with("bound two", Origin::Bound, [[0.0, 2.0], [1.0, 3.0]])
            .with("a", Origin::Modeled, [[0.0, 4.0], [1.0, 5.0]])
    };
    let svg = chart(Axis::linear("n", "")).to_svg().unwrap();
    assert_eq!(svg.matches(">bound two</text>").count(), 1, "{svg}");
    let svg = chart(Axis::names("n", ["x", "y"])).to_svg().unwrap();
    assert!(svg.rfind("class=\"f0\"").unwrap() > 0 && svg.contains("bound one (bound): y, 2"), "{svg}");
}

/// Intervals are within the axis and in the tooltips; along a line they are an area, at bars strokes.
#[test]
fn intervals_are_drawn() {
    let chart = |x: Axis| {
        let mut chart = Chart::new("", x, Axis::linear("t", "us"));
        chart.add_with_intervals("a", [[0.0, 4.0, 3.0, 9.0], [1.0, 5.0, 5.0, 5.5]]);
        chart
    };
    let svg = chart(Axis::linear("n", "")).to_svg().unwrap();
    assert_eq!(svg.matches("class=\"f0 band\"").count(), 1, "{svg}");
    assert!(svg.contains("a (modeled): 0, 4 us (3 us to 9 us)") && svg.contains(">9<"), "{svg}");
    let svg = chart(Axis::names("n", ["x", "y"])).to_svg().unwrap();
    assert_eq!(svg.matches("class=\"whisker\"").count(), 2, "{svg}");
    let mut wrong = Chart::new("", Axis::linear("n", ""), Axis::linear("t", ""));
    wrong.add_with_intervals("a", [[0.0, 1.0, f64::NAN, 2.0]]);
    assert!(wrong.to_svg().is_err());
}

/// Panels have the same axes; a name has one entry in the legend and one colour.
#[test]
fn panels_have_common_axes_and_one_legend() {
    let chart = |title: &str, name: &str, most: f64| {
        Chart::new(title, Axis::linear("n", ""), Axis::linear("t", "us"))
            .with("bound", Origin::Bound, [[0.0, 1.0], [1.0, 1.0]])
            .with(name, Origin::Modeled, [[0.0, 1.0], [1.0, most]])
    };
    let charts = [chart("16 nodes", "a", 5.0), chart("64 nodes", "a", 50.0), chart("256 nodes", "b", 20.0)];
    let svg = Chart::panels("all", &charts).unwrap();
    for title in [">16 nodes<", ">64 nodes<", ">256 nodes<"] {
        assert_eq!(svg.matches(title).count(), 1, "{svg}");
    }
    assert_eq!(svg.matches(">50<").count(), 3, "every panel has the range of all: {svg}");
    assert_eq!((svg.matches(">a</text>").count(), svg.matches(">b</text>").count()), (1, 1), "{svg}");
    assert!(Chart::panels("none", &[]).is_err());
}
