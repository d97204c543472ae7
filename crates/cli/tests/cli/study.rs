//! `multicomputer study` and `multicomputer merge`.

use super::*;

/// The arguments of a small study of 12 cases and 24 rows.
const SMALL: &str = "study --operation broadcast,all-gather --machine mesh,torus --nodes 4..16 --algorithm short,auto --effort quick";

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
    let wide = succeeds(&words("study --mesh 2x2 --algorithm short,long --bytes 8..1M --alpha 1us,1ms"));
    assert!(wide.contains("bytes across (one value in 2)"), "{wide}");
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
    let table = succeeds(&["merge", &parts[2], &parts[0], &parts[1], "--csv", &merged]);
    assert!(table.starts_with("24 rows of 3 parts merged\n") && table.contains("torus:4x4"), "{table}");
    let all = fs::read_to_string(&whole).unwrap();
    assert_eq!(fs::read_to_string(&merged).unwrap(), all);
    let refused = fails(2, &["merge", &parts[0], &parts[2], "--csv", &merged]);
    assert!(refused.contains("parts are missing: 2/3"), "{refused}");
    let refused = fails(2, &["merge", &parts[0], &parts[0], "--csv", &merged]);
    assert!(refused.contains("give each part once"), "{refused}");
    let short = path("short.csv");
    let second = fs::read_to_string(&parts[1]).unwrap();
    fs::write(&short, second.lines().take(5).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let refused = fails(2, &["merge", &parts[0], &short, &parts[2]]);
    assert!(refused.contains("is missing in") && refused.contains("--shard 2/3"), "{refused}");
    fs::copy(&parts[1], path("2.csv.partial")).unwrap();
    let refused = fails(2, &["merge", &parts[0], &path("2.csv.partial"), &parts[2]]);
    assert!(refused.contains("2.csv.partial is unfinished"), "{refused}");
    fs::remove_file(path("2.csv.partial")).unwrap();
    succeeds(&["study", "--mesh", "2x2", "--csv", &short]);
    let refused = fails(2, &["merge", &parts[0], &short]);
    assert!(refused.contains("merge parts of one study"), "{refused}");
    // As an interrupted study leaves it, in the middle of a row.
    fs::write(path("whole.csv.partial"), &all[..all.len() * 2 / 3]).unwrap();
    let refused = fails(2, &["study", &toml, "--csv", &whole]);
    assert!(refused.contains("continue it with --resume"), "{refused}");
    succeeds(&["study", &toml, "--csv", &whole, "--resume"]);
    assert_eq!(fs::read_to_string(&whole).unwrap(), all);
    let complete = succeeds(&["study", &toml, "--csv", &whole, "--resume"]);
    assert!(complete.contains("is complete already") && complete.contains("/ bound"), "{complete}");
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
        ("study --mesh 2x2 --resume", 2, &["--csv or --json"]),
        ("study --mesh 2x2 --seed 1..9", 2, &["seed: it has no effect", "noise"]),
        ("study --machine cm5:8 --link-excess 1,2", 2, &["link-excess: it has no effect on cm5:8"]),
        ("study --fault each-link --nodes 4,8", 2, &["nodes varies"]),
        ("study missing.toml", 2, &["missing.toml cannot be read"]),
    ] {
        let refusal = fails(status, &words(arguments));
        assert!(parts.iter().all(|part| refusal.contains(part)), "{arguments}: {refusal}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_study_names_its_rows_and_how_to_continue() {
    let folder = folder("study-interrupted");
    let (csv, partial) = (folder.join("rows.csv"), folder.join("rows.csv.partial"));
    let study = words("study --mesh 8x8 --operation all-gather --bytes 8..64M --alpha 1us..1s --csv");
    let child = program(&[&study[..], &[text(&csv)]].concat());
    let mut child = { child }.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while fs::read_to_string(&partial).unwrap_or_default().lines().count() < 3 {
        assert_eq!(child.try_wait().unwrap(), None, "the study must not end by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let errors = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    let parts = ["interrupted: ", "finished rows are in ", "rows.csv.partial", "--resume"];
    assert!(parts.iter().all(|part| errors.contains(part)), "{errors}");
}
