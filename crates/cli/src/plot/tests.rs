//! Tests of the selection of columns for axes and lines.

use multicomputer_picture::{Chart, Origin};

use super::{lines::drawing, *};

fn table(text: &str) -> Records {
    let mut lines =
        text.lines().map(|line| line.split(',').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    Records::new(header, lines.collect())
}

fn plotted(text: &str) -> Chart {
    chart(&table(text), &ChartOptions::default()).unwrap().0
}

/// The only chart, and the number of points that are means.
fn chart(records: &Records, options: &ChartOptions) -> Result<(Chart, usize), PlotError> {
    let drawing = drawing(records, options)?;
    let [chart] = &drawing.charts[..] else { panic!("panels") };
    Ok((chart.clone(), drawing.means))
}

fn lines(chart: &Chart) -> Vec<(&str, Origin, &[[f64; 2]])> {
    chart.lines.iter().map(|line| (line.name.as_str(), line.origin, line.points.as_slice())).collect()
}

#[test]
fn times_over_what_varies_most_with_a_line_for_each_algorithm() {
    let chart = plotted(
        "machine,operation,bytes,algorithm,modeled_us,bound_us\n\
         ring:4,broadcast,8,a,10,5\nring:4,broadcast,8,b,20,5\nring:4,broadcast,80,a,1000,6\nring:4,broadcast,80,b,,6\n\
         ring:4,broadcast,80,b,30,6\nring:4,broadcast,80,b,50,6",
    );
    assert_eq!(chart.title, "broadcast, ring:4");
    assert_eq!((chart.x.title(), chart.y.title()), ("length, bytes".to_owned(), "time, ms".to_owned()));
    let (a, b) = ([[8.0, 0.01], [80.0, 1.0]], [[8.0, 0.02], [80.0, 0.04]]);
    assert_eq!(
        lines(&chart),
        [
            ("bound", Origin::Bound, &[[8.0, 0.005], [80.0, 0.006]][..]),
            ("a", Origin::Modeled, &a),
            ("b (mean of up to 2 rows)", Origin::Modeled, &b)
        ]
    );
    assert_eq!(chart.crossovers().len(), 1);
}

#[test]
fn names_are_x_where_no_number_varies() {
    let chart =
        plotted("machine,distribution,sources,algorithm,modeled_us\nring:4,row,2,a,1\nring:4,cross,2,a,2");
    assert_eq!((chart.x.name.as_str(), chart.x.label(1.0).as_str()), ("distribution", "cross"));
    assert_eq!(lines(&chart), [("a", Origin::Modeled, &[[0.0, 1.0], [1.0, 2.0]][..])]);
    let chart = plotted("machine,algorithm,modeled_us,bound_us\nring:4,a,1,1\nring:4,b,2,1");
    assert_eq!((chart.x.label(1.0).as_str(), lines(&chart).len()), ("b", 2));
}

#[test]
fn nodes_follow_from_machines_and_intervals_have_two_ends() {
    let chart = plotted("machine,algorithm,modeled_us\nring:4,a,1\nring:32,a,2");
    assert_eq!((chart.x.title(), lines(&chart)[0].2), ("nodes".to_owned(), &[[4.0, 1.0], [32.0, 2.0]][..]));
    let chart = plotted(
        "machine,operation,from_bytes,to_bytes,algorithm,from_us,from_ratio,to_us,to_ratio\n\
         ring:4,all-gather,8,64,a,10,2,20,2\nring:4,all-gather,128,256,b,30,3,40,4",
    );
    let found = lines(&chart);
    assert_eq!(
        found[0],
        ("bound", Origin::Bound, &[[8.0, 5.0], [64.0, 10.0], [128.0, 10.0], [256.0, 10.0]][..])
    );
    assert_eq!(found[2], ("b", Origin::Modeled, &[[128.0, 30.0], [256.0, 40.0]][..]));
}

#[test]
fn columns_can_be_chosen() {
    let records = table("n,m,who\n1,2,x\n2,4,x\n1,5,y");
    let columns = |x: &str, y: &str, by: &str| ChartOptions {
        x: Some(x.to_owned()),
        y: Some(y.to_owned()),
        by: Some(read_columns(by).unwrap()),
        panels: None,
        title: Some("T".to_owned()),
    };
    let found = chart(&records, &columns("n", "m", "who")).unwrap().0;
    assert_eq!((found.title.as_str(), found.lines.len()), ("T", 2));
    let error = |options: &ChartOptions| chart(&records, options).unwrap_err().to_string();
    assert_eq!(error(&columns("z", "m", "who")), "unknown column `z`. Known: n, m, who");
    assert_eq!(
        error(&columns("n", "who", "m")),
        "row 1 has `x` in the column `who`: only finite numbers can be drawn; an empty cell leaves the row out"
    );
    let none = table("n,m\n1,\n2,");
    let options = ChartOptions { y: Some("m".to_owned()), ..ChartOptions::default() };
    assert_eq!(
        chart(&none, &options).unwrap_err().to_string(),
        "no row has a number in the column `m`: choose another column"
    );
    assert!(error(&ChartOptions::default()).starts_with("no column has times"));
    let bandwidth = ChartOptions { y: Some("bandwidth".to_owned()), ..ChartOptions::default() };
    assert!(error(&bandwidth).starts_with("a bandwidth needs a column"));
    let records = table("sources,bytes,algorithm,modeled_us\n3,100,a,10\n6,100,a,10");
    let found = chart(&records, &bandwidth).unwrap().0;
    assert_eq!(
        (found.y.title().as_str(), lines(&found)[0].2),
        ("bandwidth, MB/s", &[[3.0, 30.0], [6.0, 60.0]][..])
    );
}

/// A table with unknown column names has its first varying number as x, and its means are counted.
#[test]
fn a_foreign_table_goes_along_its_first_number() {
    let records = table("algorithm,length,modeled_us\na,8,10\na,1024,30\nb,8,20\nb,1024,25\nb,1024,35");
    let (found, means) = chart(&records, &ChartOptions::default()).unwrap();
    assert_eq!((found.x.name.as_str(), means), ("length", 1));
    assert_eq!(
        lines(&found)[1],
        ("b (mean of up to 2 rows)", Origin::Modeled, &[[8.0, 20.0], [1024.0, 30.0]][..])
    );
}

#[test]
fn repeats_have_intervals_and_many_lines_have_panels() {
    let mut text = "nodes,alpha_us,seed,algorithm,time_us".to_owned();
    for (nodes, alpha, seed) in [(4, 1, 1), (4, 1, 2), (8, 1, 1), (8, 1, 2), (4, 9, 1), (8, 9, 1)] {
        for algorithm in ["a", "b", "c", "d", "e", "f"] {
            text += &format!("\n{nodes},{alpha},{seed},{algorithm},{}", nodes * alpha + seed);
        }
    }
    let drawing =
        drawing(&table(&text), &ChartOptions { x: Some("nodes".to_owned()), ..ChartOptions::default() });
    let charts = drawing.unwrap().charts;
    let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles, ["alpha 1 us", "alpha 9 us"]);
    let first = &charts[0].lines[0];
    assert_eq!(first.name, "a (mean of 2 seeds, 95 % interval)");
    assert_eq!((first.points[0], first.band[0]), ([4.0, 5.5], [5.0, 6.0]));
    assert!(charts[1].lines[0].band.is_empty());
}

#[test]
fn equal_lines_are_one_and_bars_are_sorted() {
    let chart = plotted("bytes,algorithm,time_us\n8,a,3\n8,b,2\n8,c,3\n64,a,5\n64,b,4\n64,c,5");
    let names: Vec<&str> = chart.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["a = c", "b"]);
    let bars = plotted("algorithm,time_us\na,3\nb,2\nc,1");
    assert_eq!(["c", "b", "a"].map(str::to_owned), [0.0, 1.0, 2.0].map(|place| bars.x.label(place)));
}
