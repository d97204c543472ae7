//! Tables say what was run: the machine and its parameters, ports, placement, noise, faults, rendezvous and seeds.

use std::path::Path;

use super::*;

/// The columns that all tables of commands that compare have.
const COLUMNS: [&str; 14] = [
    "machine",
    "rows",
    "columns",
    "nodes",
    "ports",
    "placement",
    "rendezvous",
    "noise",
    "noise_seed",
    "faults",
    "alpha_us",
    "beta_ns_per_byte",
    "machine_hash",
    "seed",
];

/// A file of a machine that is called `box`.
fn box_file(folder: &Path, name: &str, rest: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, format!("name = \"box\"\ntopology = \"mesh:2x3\"\n{rest}")).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The cells of columns in all rows of a CSV file.
fn cells(file: &Path, columns: &[&str]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let header = reader.headers().unwrap().clone();
    let place = |name: &&str| {
        header.iter().position(|title| title == *name).unwrap_or_else(|| panic!("{name}: {header:?}"))
    };
    let places: Vec<usize> = columns.iter().map(place).collect();
    let row = |row: csv::StringRecord| places.iter().map(|&place| row[place].to_owned()).collect();
    reader.records().map(Result::unwrap).map(row).collect()
}

#[test]
fn every_table_has_a_column_for_each_quantity() {
    let folder = folder("settings_columns");
    let file = folder.join("times.csv");
    let disturbed = "--mesh 2x3 --ports 2 --placement round-robin:3 --rendezvous 1K --seed 5 \
                     --noise interval=1ms,length=5us,seed=9 --fault slow:0-1:0.5@1ms --no-detours";
    let noise = "interval=1ms,length=5us";
    for command in [
        "s-to-p --sources 2 --algorithm br-lin",
        "collective broadcast --algorithm short",
        "all-to-all --traffic 1K --algorithm random",
        "demo --sources 2 --distribution row --clock virtual",
    ] {
        let arguments: Vec<&str> = command.split_whitespace().chain(disturbed.split_whitespace()).collect();
        let output = succeeds(&[&arguments[..], &["--csv", text(&file)]].concat());
        let expected = [
            "paragon:2x3",
            "",
            "",
            "6",
            "2",
            "round-robin:3",
            "1024",
            noise,
            "9",
            "slow:0-1:0.5@1ms no-detours",
            "184",
            "30.6",
        ];
        for row in cells(&file, &COLUMNS) {
            assert_eq!(row[..12], expected, "{command}");
            assert!(row[12].len() == 8 && row[13] == "5", "{row:?}");
        }
        // What the name does not tell is in the title.
        let title = output.lines().next().unwrap();
        for part in [
            "round-robin:3",
            "2 ports",
            "rendezvous from 1 KiB",
            "(noise seed 9)",
            noise,
            "faults slow:0-1",
            "seed 5",
        ] {
            assert!(title.contains(part), "{part}: {output}");
        }
    }
    succeeds(&["textbook", "4.1", "--topology", "mesh:2x3", "--noise", noise, "--csv", text(&file)]);
    let row = &cells(&file, &COLUMNS)[0];
    assert_eq!(
        (&row[0][..], &row[1][..], &row[7][..], &row[8][..], &row[10][..]),
        ("mesh:2x3", "2", noise, "1", "130")
    );
}

#[test]
fn machines_of_one_name_are_told_apart() {
    let folder = folder("settings_names");
    let machine = |alpha: u32| {
        box_file(
            &folder,
            &format!("{alpha}.toml"),
            &format!("[parameters]\nalpha = \"{alpha} us\"\nbeta = \"2 ns/B\"\n"),
        )
    };
    let (csv, svg) = (folder.join("times.csv"), folder.join("times.svg"));
    let files = [1, 2, 3].map(machine);
    let mut arguments = vec![
        "s-to-p",
        "--sources",
        "2",
        "--algorithm",
        "br-lin,2-step",
        "--csv",
        text(&csv),
        "--plot",
        text(&svg),
    ];
    arguments.extend(files.iter().flat_map(|file| ["--machine", file]));
    let output = succeeds(&arguments);
    assert!(output.contains("\nmachine  alpha us  machine hash  br-lin"), "{output}");
    let mut rows = cells(&csv, &["machine", "alpha_us", "beta_ns_per_byte", "machine_hash"]);
    assert_eq!(rows.len(), 6);
    rows.dedup();
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows.iter().all(|row| row[0] == "box" && row[2] == "2"), "{rows:?}");
    let plot = fs::read_to_string(svg).unwrap();
    assert!(
        plot.contains(">start-up alpha, us<") && plot.matches("br-lin (modeled): ").count() == 3,
        "{plot}"
    );
    // One of them: the title tells what the name does not.
    let output = succeeds(&["collective", "broadcast", "--machine", &files[2], "--algorithm", "short"]);
    assert!(
        output.contains(
            "broadcast, box, all 6 nodes, root 0, 2 KiB, virtual time, alpha 3 us, beta 2 ns/B, machine hash "
        ),
        "{output}"
    );

    // Machines that differ in noise alone are two machines, also for the textbook.
    let noisy = "[parameters]\nalpha = \"1 us\"\nbeta = \"2 ns/B\"\n[noise]\ninterval = \"10 us\"\nlength = \"5 us\"\nseed = 9\n";
    let noisy = box_file(&folder, "noisy.toml", noisy);
    let output = succeeds(&[
        "s-to-p",
        "--sources",
        "2",
        "--algorithm",
        "br-lin",
        "--machine",
        &files[0],
        "--machine",
        &noisy,
    ]);
    assert!(output.contains("\nmachine  noise                     noise seed  br-lin"), "{output}");
    let output = succeeds(&["textbook", "4.1", "--machine", &noisy]);
    assert!(
        output.contains("\nbox, noise interval=10us,length=5us (noise seed 9): 6 nodes; ")
            && output.contains("noise or faults"),
        "{output}"
    );
}

#[test]
fn names_tell_what_they_tell() {
    let output = succeeds(&["s-to-p", "--mesh", "2x2,2x3", "--sources", "2", "--algorithm", "br-lin"]);
    assert!(output.contains("\nmachine      br-lin\n"), "{output}");
    let ports = ["s-to-p", "--mesh", "2x2,2x3", "--ports", "2", "--sources", "2", "--algorithm", "br-lin"];
    let output = succeeds(&ports);
    assert!(
        output.starts_with("S-to-p broadcasting: row, 2 sources, 2 KiB each, virtual time, 2 ports; "),
        "{output}"
    );
    assert!(output.contains("\nparagon:2x2   "), "{output}");
}
