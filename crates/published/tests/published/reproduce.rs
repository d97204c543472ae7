//! The tables of `docs/reproduce.md`, made anew from all jobs and compared with what stands there.
//!
//! ```sh
//! WRITE_TABLES=1 cargo test --release --test published reproduce
//! ```

use std::{env, fs};

use multicomputer_published::{Job, Kind, Summary, Sure, Verdict};

use crate::{
    jobs::outcome,
    support::document::{read, root, rows},
};

const FILE: &str = "docs/reproduce.md";

/// The rows of the three tables, and what all of it comes to.
fn expected() -> [(&'static str, Vec<String>); 4] {
    let [mut items, mut claims, mut values, mut missing] = [const { Vec::new() }; 4];
    for job in Job::all() {
        let (id, paper, place, title) = (job.id(), job.paper().name(), job.place(), job.title());
        if let Some(not_yet) = job.not_yet() {
            missing.push(format!("| {id} | {paper}, {place} | {title} | {} |", not_yet.reason));
            continue;
        }
        let outcome = outcome(id);
        let count = |verdicts: Vec<Verdict>| {
            let hold = verdicts.iter().filter(|verdict| **verdict == Verdict::Holds).count();
            let judged = verdicts.iter().filter(|verdict| **verdict != Verdict::Open).count();
            if judged == 0 { "-".to_owned() } else { format!("{hold} of {judged}") }
        };
        let near = count(outcome.values.iter().map(|value| value.verdict()).collect());
        let claimed = outcome.claims.iter().filter(|claim| claim.sure != Sure::Ours);
        let hold = count(claimed.map(|claim| claim.verdict).collect());
        items.push(format!("| {id} | {paper}, {place} | {title} | {} | {near} | {hold} |", job.setup()));
        for value in &outcome.values {
            let error = (1000.0 * value.error()).round() / 10.0 + 0.0;
            values.push(format!(
                "| {id} | {} | {} | {:.3} | {} | {error:+.1} | {} | {} | {} | {} |",
                value.what,
                value.published,
                value.modeled,
                if value.unit.is_empty() { "-" } else { value.unit },
                value.kind.name(),
                value.sure,
                value.verdict(),
                value.why,
            ));
        }
        for claim in &outcome.claims {
            let (said, why) = (claim.said, &claim.why);
            claims.push(format!("| {id} | {said} | {} | {} | {why} |", claim.sure, claim.verdict));
        }
    }
    [
        ("| id | where | what | setup | values | claims |", items),
        ("| id | claim | sure | verdict | here |", claims),
        ("| id | what | published | modeled | unit | error % | kind | sure | verdict | why |", values),
        ("| id | where | what | why not yet |", missing),
    ]
}

/// What all of it comes to, in a sentence for numbers and one for claims.
fn sentences() -> [String; 2] {
    let mut summary = Summary::default();
    for job in Job::all().filter(|job| job.not_yet().is_none()) {
        summary.add(job, outcome(job.id()));
    }
    let of_kind = Kind::ALL.map(|kind| {
        let (count, median) = summary.median_error(kind).unwrap();
        format!("{:.1} % over the {count} {} numbers", 100.0 * median, kind.name())
    });
    let [hold, judged, open] = summary.claims();
    [
        format!("The median relative error is {}.", of_kind.join(", ")),
        format!("Of {judged} claims of the papers {hold} hold; {open} cannot be judged."),
    ]
}

#[test]
fn the_tables_of_all_published_results() {
    let mut text = read(FILE);
    let is_written = env::var_os("WRITE_TABLES").is_some();
    let mut wrong = Vec::new();
    for (header, expected) in expected() {
        let (found, place) = rows(&text, header);
        if found == expected {
            continue;
        }
        let table: String = expected.iter().map(|row| format!("{row}\n")).collect();
        text.replace_range(place, &table);
        wrong.push(format!("{header}\n{table}"));
    }
    let marked = "<!-- summary -->\n";
    let (begin, end) = (text.find(marked).unwrap() + marked.len(), text.rfind("\n<!-- end -->").unwrap());
    let sentences = sentences().join("\n");
    if text[begin..end] != sentences {
        text.replace_range(begin..end, &sentences);
        wrong.push(sentences);
    }
    if is_written && !wrong.is_empty() {
        fs::write(root().join(FILE), text).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{FILE} should have (WRITE_TABLES=1 writes it):\n{}", wrong.join("\n"));
}
