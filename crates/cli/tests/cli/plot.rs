//! `multicomputer plot`, and `--plot` of other commands.

use std::path::Path;

use super::*;

/// The table of a command and its plot.
fn plotted(name: &str, arguments: &[&str]) -> (PathBuf, String) {
    let folder = folder(name);
    let (csv, svg) = (folder.join("times.csv"), folder.join("times.svg"));
    let files = ["--csv", csv.to_str().unwrap(), "--plot", svg.to_str().unwrap()];
    succeeds(&[arguments, &files].concat());
    (csv, fs::read_to_string(svg).unwrap())
}

#[test]
fn a_sweep_is_drawn_with_its_bound_and_crossovers_and_so_is_its_table() {
    let sweep = "collective broadcast --mesh 4x4 --bytes 8,64,512,4K,64K --algorithm short,long,auto";
    let (csv, svg) = plotted("plot", &sweep.split(' ').collect::<Vec<_>>());
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    for text in [
        ">broadcast, paragon:4x4<",
        ">length, bytes<",
        ">time, ms<",
        ">short<",
        ">auto<",
        "bound (lower bound)",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    assert!(svg.contains("on long is lower than short"), "{svg}");
    assert_eq!(svg.matches("short (modeled): ").count(), 5, "{svg}");
    let again = csv.with_file_name("again.svg");
    succeeds(&["plot", csv.to_str().unwrap(), "--out", again.to_str().unwrap()]);
    assert_eq!(svg, fs::read_to_string(again).unwrap());
    let output = succeeds(&["plot", csv.to_str().unwrap(), "--y", "bandwidth", "--title", "<B>"]);
    assert_eq!(output, format!("Plot written: {}\n", csv.with_extension("svg").display()));
    let svg = fs::read_to_string(csv.with_extension("svg")).unwrap();
    assert!(
        svg.contains(">bandwidth, MB/s<") && svg.contains("&lt;B&gt;") && !svg.contains("lower than"),
        "{svg}"
    );
}

#[test]
fn every_command_that_compares_draws_what_varies() {
    for (name, arguments, texts) in [
        (
            "plot-stop",
            "s-to-p --mesh 4x4 --sources 2..6+2 --distribution row,cross --algorithm br-lin,auto",
            [">sources<", "br-lin, cross"],
        ),
        (
            "plot-nodes",
            "s-to-p --mesh 2x4,4x4,4x8 --sources 4 --algorithm br-lin,2-step",
            [">nodes<", ">2-step<"],
        ),
        (
            "plot-exchange",
            "all-to-all --machine cm5:8 --fan-out 2 --traffic 1K,64K",
            [">length, bytes<", ">two-stage<"],
        ),
        ("plot-tune", "tune line:8 broadcast --bytes 8..64K", [">length, bytes<", "bound (lower bound)"]),
        ("plot-one", "collective all-gather --mesh 2x3 --bytes 4K", [">hybrid<", "time (modeled): "]),
        ("plot-demo", "--mesh 4x4 --sources 4 --clock virtual", [">distribution<", "Br_Lin (modeled): "]),
        (
            "plot-textbook",
            "textbook 4.1 --topology hypercube:8 --words 1,100,10000",
            [">length, words<", "(modeled): "],
        ),
    ] {
        let (_, svg) = plotted(name, &arguments.split(' ').collect::<Vec<_>>());
        for text in texts {
            assert!(svg.contains(text), "{arguments}: {text}: {svg}");
        }
    }
}

#[test]
fn a_table_that_cannot_be_drawn_is_refused() {
    let folder = folder("plot-refused");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (times, words) =
        (file("times.csv", "bytes,algorithm,modeled_us\n8,a,1\n"), file("words.csv", "a,b\n1,x\n"));
    let same = file("times", "bytes,algorithm,modeled_us\n8,a,1\n");
    for (arguments, error) in [
        (vec!["plot", "no-such.csv"], "no-such.csv cannot be read: "),
        (vec!["plot", &times, "--x", "z"], "unknown column `z`. Known: bytes, algorithm, modeled_us"),
        (
            vec!["plot", &words],
            "no column has times (modeled_us, run_us, wall_us or time_us): choose a column with --y",
        ),
        (
            vec!["plot", &words, "--y", "b"],
            "row 1 has `x` in the column `b`: only finite numbers can be drawn",
        ),
        (vec!["plot", &same, "--out", &same], "the plot would overwrite the table"),
        (vec!["plot", &times, "--out", "no/such/plot.svg"], "no/such/plot.svg cannot be written"),
        (vec!["collective", "scan", "--plot", "no/such/plot.svg"], "no/such/plot.svg cannot be written"),
    ] {
        assert!(fails(2, &arguments).contains(error), "{arguments:?}");
    }
}

/// The tables of several runs of a command as one.
fn joined(name: &str, runs: &[&str]) -> PathBuf {
    let folder = folder(name);
    let mut table = String::new();
    for (nth, run) in runs.iter().enumerate() {
        let file = folder.join(format!("{nth}.csv"));
        let csv = ["--csv", file.to_str().unwrap()];
        succeeds(&[&run.split_whitespace().collect::<Vec<_>>()[..], &csv].concat());
        let text = fs::read_to_string(file).unwrap();
        table += if nth == 0 { &text } else { text.split_once('\n').unwrap().1 };
    }
    let file = folder.join("all.csv");
    fs::write(&file, table).unwrap();
    file
}

/// The chart of a table.
fn drawn(file: &Path, options: &[&str]) -> String {
    succeeds(&[&["plot", file.to_str().unwrap()], options].concat());
    fs::read_to_string(file.with_extension("svg")).unwrap()
}

#[test]
fn means_say_of_what_they_are() {
    let (_, svg) = plotted(
        "plot-seeds",
        &"all-to-all --mesh 2x4 --fan-out 3 --traffic 1K,64K --algorithm random,auto --seeds 5 --run all"
            .split(' ')
            .collect::<Vec<_>>(),
    );
    assert!(svg.contains(">random (mean of 5 seeds, 95 % interval)<") && svg.contains(">auto<"), "{svg}");

    let run = "s-to-p --mesh 4x4 --sources 4 --algorithm br-lin --bytes 1K,8K";
    let noise = "--noise interval=100us,length=20us,distribution=exponential,seed";
    let noisy = [1, 2, 3].map(|seed| format!("{run} {noise}={seed}"));
    let svg = drawn(&joined("plot-noise-seeds", &noisy.each_ref().map(String::as_str)), &[]);
    assert!(
        svg.contains(">br-lin (mean of 3 noise seeds, 95 % interval)<")
            && svg.contains("noise interval=100us"),
        "{svg}"
    );

    // What is not drawn and differs is in the legend: never a silent mean.
    let runs = [run.to_owned(), format!("{run} --ports 2"), noisy[0].clone()];
    let table = joined("plot-ports", &runs.each_ref().map(String::as_str));
    let svg = drawn(&table, &[]);
    for line in [">br-lin, 1 port<", ">br-lin, 2 ports<", ">br-lin, 1 port, noise interval=100us,"] {
        assert!(svg.contains(line), "{line}: {svg}");
    }
    let svg = drawn(&table, &["--by", "algorithm"]);
    assert!(
        svg.contains(">br-lin (mean of 3 rows that differ in noise_seed, ports, noise, machine_hash)<"),
        "{svg}"
    );
}

#[test]
fn tables_without_the_columns_of_machines_are_drawn_as_before() {
    let folder = folder("plot-old");
    let file = folder.join("old.csv");
    fs::write(
        &file,
        "machine,rows,columns,distribution,sources,bytes,algorithm,variant,clock,modeled_us,bound_us\n\
         paragon:2x2,2,2,row,2,8,br-lin,,virtual,400,300\nparagon:2x2,2,2,row,2,64,br-lin,,virtual,500,300\n",
    )
    .unwrap();
    let svg = drawn(&file, &[]);
    assert!(svg.contains(">paragon:2x2, row, 2 sources, br-lin<") && svg.contains(">br-lin<"), "{svg}");
    // Two machines of as many nodes are two places.
    let svg =
        drawn(&joined("plot-shapes", &["s-to-p --mesh 2x6,3x4,4x4 --sources 2 --algorithm br-lin"]), &[]);
    assert!(svg.contains(">paragon:2x6<") && svg.contains(">paragon:3x4<"), "{svg}");
}
