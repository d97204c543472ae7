//! The examples of pictures. Those that they draw are in `docs`, too; to have them drawn anew:
//!
//! ```sh
//! WRITE_PICTURES=1 cargo test --release --test examples pictures
//! ```

use std::{env, fs, path::Path};

#[path = "../../examples/35_heat_map.rs"]
pub mod heat_map;
#[path = "../../examples/39_plot.rs"]
pub mod plot;
#[path = "../../examples/37_replay.rs"]
pub mod replay;
#[path = "../../examples/34_space_time.rs"]
pub mod space_time;

/// The file in `docs` must be this picture; or it becomes it, if that is asked for.
fn assert_published(file: &str, picture: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(file);
    if env::var_os("WRITE_PICTURES").is_some() {
        fs::write(&path, picture).unwrap();
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    assert!(published == picture, "docs/{file} is another picture (WRITE_PICTURES=1 draws it anew)");
}

#[test]
fn a_row_spreads_what_it_has() {
    let run = space_time::spread().unwrap();
    assert_eq!(run.outputs, [8000; 16]);
    assert_eq!(
        [run.report.makespan.to_string(), run.report.lost_to_sharing.to_string()],
        ["1.365 ms", "820 us"]
    );
    let picture = space_time::diagram(&run).unwrap();
    assert!(picture == space_time::diagram(&space_time::spread().unwrap()).unwrap());
    assert_published("space-time.svg", &picture);
}

#[test]
fn rows_and_columns_change_places() {
    let run = heat_map::transpose().unwrap();
    assert_eq!((run.report.messages, run.report.makespan.to_string().as_str()), (30, "630 us"));
    let most = run.report.most_loaded_link().unwrap();
    assert_eq!((most.load.bytes, most.load.most_flows), (10_000, 5));
    let picture = heat_map::map(&run).unwrap();
    assert!(picture == heat_map::map(&heat_map::transpose().unwrap()).unwrap());
    assert_published("heat.svg", &picture);
}

#[test]
fn three_broadcasts_are_drawn_over_their_lengths() {
    let chart = plot::broadcasts().unwrap();
    let marks = chart.marks.iter().map(|mark| (mark.from.as_str(), mark.to.as_str(), mark.at[0].round()));
    assert_eq!(
        marks.collect::<Vec<_>>(),
        [("tree", "hybrid", 11_936.0), ("hybrid", "scatter and all-gather", 415_554.0)]
    );
    assert_published("plot.svg", &chart.to_svg().unwrap());
}

#[test]
fn two_broadcasts_are_played_beside_each_other() {
    use multicomputer::collective::Algorithm;

    let [short, long] =
        [Algorithm::SHORT, Algorithm::LONG].map(|algorithm| replay::broadcast(&algorithm).unwrap());
    let figures = [&short, &long].map(|run| (run.report.messages, run.report.makespan.to_string()));
    assert_eq!(figures, [(15, "3.7968 ms".to_owned()), (111, "2.836 ms".to_owned())]);
    let page = replay::page(&short, &long).unwrap();
    assert!(page == replay::page(&short, &long).unwrap());
    assert_eq!(
        [page.matches("\"title\":\"short\"").count(), page.matches("\"title\":\"long\"").count()],
        [1, 1]
    );
}
