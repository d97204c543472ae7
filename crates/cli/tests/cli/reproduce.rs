//! `multicomputer reproduce`.

use multicomputer_published::Job;

use super::{
    browser::{browser, opened},
    *,
};

#[test]
fn the_list_has_every_item() {
    let output = succeeds(&["reproduce", "--list"]);
    for job in Job::all() {
        let line = output.lines().find(|line| line.split_whitespace().next() == Some(job.id()));
        let line = line.unwrap_or_else(|| panic!("{job}: {output}"));
        assert!(line.ends_with(job.title()), "{line}");
        assert_eq!(line.contains("not yet"), job.not_yet().is_some(), "{line}");
    }
}

#[test]
fn a_figure_is_shown_with_its_values_and_claims_and_written_with_its_points() {
    let folder = folder("reproduce");
    let output = succeeds(&["reproduce", "s0-f6", "--out", folder.to_str().unwrap()]);
    assert!(
        output.starts_with("S0-F6: s-to-p report, Figure 6: as much data from few sources or from many\n")
    );
    assert!(output.contains("10 x 10, right diagonal, 40 x 2K"), "{output}");
    assert!(output.contains("\n80K from 40 sources are broadcast faster than from 5\n  holds: "), "{output}");
    let csv = fs::read_to_string(folder.join("S0-F6.csv")).unwrap();
    let records: Vec<csv::StringRecord> =
        csv::Reader::from_reader(csv.as_bytes()).into_records().map(Result::unwrap).collect();
    let count = |kind: &str| records.iter().filter(|record| &record[1] == kind).count();
    assert_eq!((count("value"), count("claim"), count("point")), (2, 1, 22), "{csv}");
    assert!(records.iter().all(|record| &record[0] == "S0-F6"));
    let svg = fs::read_to_string(folder.join("S0-F6.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("(published): "), "{svg}");
}

/// Verdicts first, then every item with its plots, then the machines; and nothing from anywhere else.
#[test]
fn the_report_is_one_page_with_everything() {
    let folder = folder("report");
    let output = succeeds(&["reproduce", "s0-f6,S2-F1,S4-F2,S2-F4", "--out", folder.to_str().unwrap()]);
    let path = folder.join("report.html");
    assert!(output.ends_with(&format!("\nReport written: {}\n", path.display())), "{output}");
    let page = fs::read_to_string(path).unwrap();
    let places = [
        "<nav>",
        "<a href=\"#S0-F6\"",
        "multicomputer reproduce S0-F6,S2-F1,S2-F4,S4-F2 --out DIR",
        "<h2 id=\"verdicts\">Verdicts</h2>",
        "<a href=\"#S2-F4\">",
        "<section id=\"S0-F6\">",
        "11.4",
        "error of at most 20 %",
        "Holds if 40 sources are faster with all algorithms.",
        "<svg ",
        "<section id=\"S2-F4\">",
        "S4-F2 cannot be computed yet",
        "<h3>paragon</h3>",
        "an exchange takes 369 us",
    ];
    let mut rest = page.as_str();
    for text in places {
        rest = rest.split_once(text).unwrap_or_else(|| panic!("no {text} after the one before")).1;
    }
    assert_eq!(page.matches("<figure").count(), page.matches("</svg>").count());
    assert!(["href=\"http", "src=", "url(", "<script"].iter().all(|text| !page.contains(text)));
}

/// With `--sensitivity` a verdict names the changes of fitted parameters that change it.
#[test]
fn a_verdict_that_depends_on_a_fitted_parameter_says_so() {
    let folder = folder("sensitivity");
    let output = succeeds(&["reproduce", "S0-F6,S3-Q", "--sensitivity", "--out", folder.to_str().unwrap()]);
    let changes = "verdict changes with beta +20 %, d -20 %";
    assert!(output.contains(&format!("10 x 10, right diagonal, 40 x 2K: {changes}\n")), "{output}");
    let table = fs::read_to_string(folder.join("S0-F6.csv")).unwrap();
    assert!(table.contains("error of at most 20 %") && table.contains("beta +20 %"), "{table}");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("Changes with beta +20 %, d -20 %"), "{page}");
    assert!(page.contains("reproduce S0-F6,S3-Q --sensitivity --out DIR"), "{page}");
}

/// In real time every time that can be run has what the host's threads took beside it.
#[test]
fn times_are_run_in_real_time_if_that_is_asked_for() {
    let output = succeeds(&["reproduce", "S0-T1", "--clock", "real:20"]);
    let line = |begin: &str| {
        let line = output.lines().find(|line| line.starts_with(begin)).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(line("value ").ends_with(&["real".to_owned(), "pace".to_owned()]), "{output}");
    // Modeled time is 0.461 ms.
    let row = line("10 x 10, redistribution");
    let real: f64 = row[row.len() - 2].parse().unwrap();
    assert!((0.46..100.0).contains(&real), "{output}");
    let error = fails(2, &["reproduce", "S0-T1", "--clock", "host"]);
    assert!(error.contains("the host's clock has no modeled times to compare"), "{error}");
}

/// All plots are there and are drawn, on a desk and on a phone, and nothing is wider than the window.
#[test]
fn the_report_opens_in_a_browser() {
    let Some(browser) = browser() else { return };
    let folder = folder("report_browser");
    succeeds(&["reproduce", "S0-F3,S0-F6,S2-F1,S2-F4", "--out", folder.to_str().unwrap()]);
    let page = folder.join("report.html");
    let plots = fs::read_to_string(&page).unwrap().matches("<figure").count();
    for size in ["1200,900", "360,800"] {
        let found = opened(&browser, &page, include_str!("report.js"), "", size);
        assert_eq!(
            (found["plots"].as_u64(), found["drawn"].as_u64()),
            (Some(plots as u64), Some(plots as u64))
        );
        assert_eq!(
            (&found["wide"], &found["foreign"], &found["dead"]),
            (&false.into(), &0.into(), &0.into()),
            "{found}"
        );
        println!("the report of four items at {size}: open after {} ms", found["loaded"]);
    }
    assert!(plots >= 4, "{plots}");
}

#[test]
fn several_items_come_to_a_summary_and_what_is_missing_says_why() {
    let output = succeeds(&["reproduce", "S0-F8a,S4-F2,S0-F8"]);
    assert_eq!(output.matches("Figure 8: repositioning beside inputs that stay\n").count(), 1, "{output}");
    assert!(output.contains("S4-F2 cannot be computed yet: its matrix is lost"), "{output}");
    assert!(output.contains("\nTotal: 1 item computed, 1 not yet\n"), "{output}");
    assert!(output.contains("\nMedian relative error of measured values (2): "), "{output}");
}

/// On a host that cannot start the threads of some items these say so, and the others are worked out.
#[cfg(target_os = "linux")]
#[test]
fn items_for_which_the_host_has_too_few_threads_say_so_and_the_others_are_worked_out() {
    let (folder, program) = (folder("reproduce_without_threads"), env!("CARGO_BIN_EXE_multicomputer"));
    let needy: Vec<&str> = Job::all().filter(|job| job.threads() > 0).map(Job::id).collect();
    let asked = format!("S2-F1,S4-C,S4-F2,{}", needy.join(","));
    let limited = format!("ulimit -v 900000 && exec {program} reproduce {asked} --out {}", folder.display());
    let output = Command::new("bash").args(["-c", &limited]).env_remove("RUST_LOG").output().unwrap();
    let (said, error) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1), "{error}");
    let told = "error: 5 items failed: S2-T3, S4-6.1, S4-F9, S4-F10, S4-Q1\n";
    assert_eq!(error, told);
    for job in Job::all().filter(|job| needy.contains(&job.id())) {
        let told = format!(
            "{} cannot be computed on this host: {} nodes with stacks of 1 MiB need ",
            job.id(),
            job.threads()
        );
        assert!(said.contains(&format!("{job}: {}\n\n{told}", job.title())), "{said}");
        assert!(!folder.join(format!("{}.csv", job.id())).exists());
    }
    assert!(said.contains("\nTotal: 2 items computed, 1 not yet, 5 failed\n"), "{said}");
    assert!(folder.join("S4-C.csv").exists() && folder.join("S2-F1.csv").exists());
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(
        page.contains("S2-T3 cannot be computed on this host: 512 nodes with stacks of 1 MiB need"),
        "{page}"
    );
}

#[test]
fn an_unknown_item_is_refused_with_those_that_there_are() {
    let error = fails(2, &["reproduce", "S9-F1"]);
    assert!(error.contains("unknown item `S9-F1`. Known: all, S0-Q1, S0-F2"), "{error}");
    assert!(fails(2, &["reproduce"]).contains("ID"));
}
