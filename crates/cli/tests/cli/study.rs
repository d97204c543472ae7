//! `multicomputer study` and `multicomputer merge`.

use super::*;

/// The arguments of a small study of 12 cases and 24 rows.
const SMALL: &str =
    "study --operation broadcast,all-gather --machine mesh,torus --nodes 4..16 --algorithm short,auto";

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The columns of these names in all rows of a CSV text.
fn cells(csv: &str, names: &[&str]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let places: Vec<usize> =
        names.iter().map(|name| header.iter().position(|column| column == *name).unwrap()).collect();
    let row = |row: csv::StringRecord| places.iter().map(|&place| row[place].to_owned()).collect();
    reader.records().map(|record| row(record.unwrap())).collect()
}

#[test]
fn all_combinations_are_rows_and_the_table_has_what_varies() {
    let folder = folder("study-rows");
    let csv = folder.join("rows.csv");
    let text = succeeds(&[&words(SMALL)[..], &["--csv", csv.to_str().unwrap()]].concat());
    let rows =
        cells(&fs::read_to_string(&csv).unwrap(), &["operation", "machine", "nodes", "algorithm", "ratio"]);
    assert_eq!(rows.len(), 24);
    assert_eq!(rows[0][..4], ["broadcast", "mesh:2x2", "4", "short"]);
    assert_eq!(rows[23][..4], ["all-gather", "torus:4x4", "16", "auto"]);
    assert!(rows.iter().all(|row| row[4].parse::<f64>().unwrap() >= 1.0));
    let header = text.lines().find(|line| line.contains("/ bound")).unwrap();
    assert!(header.contains("operation") && header.contains("nodes") && !header.contains("alpha"), "{text}");
    let title = succeeds(&words("study --mesh 2x2 --algorithm short,long --bytes 8..64K"));
    assert!(title.contains("Fastest algorithm by bytes:") && title.contains("8 to "), "{title}");
    let map = succeeds(&words("study --mesh 2x2 --algorithm short,long --bytes 8,64K --alpha 1us,1ms"));
    assert!(map.contains("alpha down and bytes across"), "{map}");
}

#[test]
fn a_saved_study_gives_the_same_rows_also_in_parts_and_continued() {
    let folder = folder("study-parts");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (toml, whole, json) = (path("study.toml"), path("whole.csv"), path("rows.jsonl"));
    succeeds(&[&words(SMALL)[..], &["--csv", &whole, "--save", &toml]].concat());
    let parts = [path("1.csv"), path("2.csv"), path("3.csv")];
    for (nth, part) in (1..).zip(&parts) {
        succeeds(&["study", &toml, "--shard", &format!("{nth}/3"), "--csv", part]);
    }
    let merged = path("merged.csv");
    succeeds(&["merge", &parts[2], &parts[0], &parts[1], "--csv", &merged]);
    let all = fs::read_to_string(&whole).unwrap();
    assert_eq!(fs::read_to_string(&merged).unwrap(), all);
    let refused = fails(2, &["merge", &parts[0], &parts[2], "--csv", &merged]);
    assert!(refused.contains("case 1 is missing, of 12 cases"), "{refused}");
    let refused = fails(2, &["merge", &parts[0], &parts[0], "--csv", &merged]);
    assert!(refused.contains("give each part once"), "{refused}");
    // As an interrupted study leaves it, in the middle of a row.
    fs::write(path("whole.csv.partial"), &all[..all.len() * 2 / 3]).unwrap();
    succeeds(&["study", &toml, "--csv", &whole, "--resume"]);
    assert_eq!(fs::read_to_string(&whole).unwrap(), all);
    fs::write(path("whole.csv.partial"), &all).unwrap();
    let refused = fails(2, &["study", &toml, "--nodes", "4", "--csv", &whole, "--resume"]);
    assert!(refused.contains("the rows are of the study"), "{refused}");
    succeeds(&["study", &toml, "--json", &json]);
    let rows = fs::read_to_string(&json).unwrap();
    assert_eq!(rows.lines().count(), 24);
    let first: serde_json::Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert_eq!((first["machine"].as_str(), first["nodes"].as_u64()), (Some("mesh:2x2"), Some(4)));
}

#[test]
fn noise_and_faults_are_run_and_repeats_are_summarized() {
    let noisy = succeeds(&words(
        "study --mesh 2x2 --noise none,interval=200us+length=50us --seed 1..5+1 --algorithm short,long",
    ));
    assert!(noisy.contains("95 % interval") && noisy.contains("median"), "{noisy}");
    let folder = folder("study-faults");
    let csv = folder.join("rows.csv");
    let faults = "study --machine paragon:3x3 --fault none,each-link --algorithm short";
    succeeds(&[&words(faults)[..], &["--csv", csv.to_str().unwrap()]].concat());
    let rows = cells(
        &fs::read_to_string(&csv).unwrap(),
        &["faults", "clock", "time_us", "predicted_us", "restriction"],
    );
    assert_eq!(rows.len(), 13);
    assert_eq!((rows[0][0].as_str(), rows[0][1].as_str()), ("", ""));
    assert!(rows[1..].iter().all(|row| row[0].starts_with("dead:") && row[1] == "virtual"), "{rows:?}");
    let slower =
        rows[1..].iter().filter(|row| row[2].parse::<f64>().unwrap() > row[3].parse::<f64>().unwrap());
    assert!(slower.count() > 0);
}

#[test]
fn mistakes_are_named() {
    for (arguments, status, parts) in [
        ("study --nodes 4-16", 2, &["nodes: `4-16`", "4..16"][..]),
        ("study --alpha 10", 2, &["alpha", "no unit"]),
        ("study --operation brodcast", 2, &["did you mean `broadcast`"]),
        ("study --algorithm binomal", 2, &["unknown algorithm `binomal`", "did you mean"]),
        ("study --machine paragn --nodes 4", 2, &["did you mean `paragon`"]),
        ("study --machine mesh:4x4 --nodes 4", 2, &["has a size"]),
        ("study --machine hypercube --nodes 12", 2, &["no case of the study can be solved"]),
        ("study --mesh 2x2 --noise none,interval=1ms", 2, &["noise: `interval=1ms`", "length"]),
        ("study --mesh 2x2 --fault dead:0-1", 2, &["fault: `dead:0-1`"]),
        ("study --mesh 2x2 --sources 3", 2, &["sources: it has no effect on broadcast", "s-to-p"]),
        ("study --mesh 2x2 --seed 1..9 --resume", 2, &["--csv or --json"]),
        ("study --fault each-link --nodes 4,8", 2, &["nodes varies"]),
        ("study missing.toml", 2, &["missing.toml cannot be read"]),
    ] {
        let refusal = fails(status, &words(arguments));
        assert!(parts.iter().all(|part| refusal.contains(part)), "{arguments}: {refusal}");
    }
}
