//! Pictures of runs: `--svg` and `--heat`.

use super::*;

#[test]
fn pictures_are_drawn_of_every_run_and_are_the_same_every_time() {
    let folder = folder("pictures");
    let names = |run: &str| ["svg", "heat"].map(|kind| folder.join(format!("{run}-{kind}.svg")));
    let options = ["--clock", "virtual", "--mesh", "3x4", "--sources", "4"];
    let [first, second] = ["1", "2"].map(|run| {
        let [svg, heat] = names(run);
        let row = ["--distribution", "row", "--svg", text(&svg), "--heat", text(&heat)];
        let output = succeeds(&[&options[..], &row].concat());
        assert!(!output.contains("written"), "{output}");
        [svg, heat].map(|file| fs::read_to_string(file).unwrap())
    });
    assert!(first == second);
    let [diagram, network] = first;
    assert!(diagram.starts_with("<svg ") && diagram.ends_with("</svg>\n"));
    assert!(diagram.contains("paragon:3x4, 12 nodes: "), "the machine is in the picture");
    assert!(network.contains("of 34 directed links carried one") && network.contains("bytes carried: "));

    let [svg, heat] = names("n");
    let many = ["--bytes", "8,64", "--distribution", "row", "--svg", text(&svg), "--heat", text(&heat)];
    let output = succeeds(&[&options[..], &many].concat());
    for (kind, name) in [("space-time diagram", "svg"), ("heat map", "heat")] {
        let [eight, more] = ["8", "64"].map(|bytes| folder.join(format!("n-{name}-row-{bytes}.svg")));
        let told = format!("\n2 {kind}s were written:\n  {}\n  {}\n", text(&eight), text(&more));
        assert!(output.contains(&told), "no\n{told}\nin\n{output}");
        assert!(eight.exists() && more.exists());
    }

    // All commands that run something have them.
    for command in [
        &["s-to-p", "--mesh", "2x2", "--algorithm", "br-lin"][..],
        &["collective", "broadcast", "--mesh", "2x2", "--algorithm", "short"],
        &["all-to-all", "--machine", "cm5:4", "--algorithm", "pairwise"],
        &["textbook", "4.1"],
    ] {
        let name = folder.join(format!("{}.svg", command[0]));
        let other = folder.join(format!("{}-links.svg", command[0]));
        succeeds(&[command, &["--svg", text(&name), "--heat", text(&other)]].concat());
        for file in [&name, &other] {
            assert!(fs::read_to_string(file).unwrap().ends_with("</svg>\n"), "{command:?}");
        }
    }
}

#[test]
fn under_the_hosts_clock_there_is_no_network_to_draw() {
    let folder = folder("pictures_host");
    let [svg, heat] = ["s.svg", "h.svg"].map(|name| folder.join(name));
    let host = ["--mesh", "1x2", "--clock", "host", "--distribution", "row", "--sources", "1"];
    succeeds(&[&host[..], &["--svg", text(&svg)]].concat());
    assert!(fs::read_to_string(&svg).unwrap().contains(" on the wall clock; "));
    let errors = fails(2, &[&host[..], &["--heat", text(&heat)]].concat());
    assert!(errors.contains("--heat cannot be used with --clock host"), "{errors}");
    assert!(!heat.exists());
}

#[test]
fn ranks_time_and_theme_of_pictures_are_chosen() {
    let folder = folder("pictures_chosen");
    let [svg, heat] = ["s.svg", "h.svg"].map(|name| folder.join(name));
    let command = ["collective", "broadcast", "--mesh", "4x4", "--bytes", "16K", "--algorithm", "short"];
    let choices = "ranks=0..6+2,from=500us,to=1.5ms,theme=print,title=Four";
    succeeds(&[&command[..], &["--svg", text(&svg), "--heat", text(&heat), "--picture", choices]].concat());
    let diagram = fs::read_to_string(&svg).unwrap();
    for part in [">Four<", "Only the time from 500 us to 1.5 ms is shown", "the selected ranks (4 of 16)"] {
        assert!(diagram.contains(part), "no {part}");
    }
    assert!(!diagram.contains("prefers-color-scheme"));
    assert!(fs::read_to_string(&heat).unwrap().contains(">Four<"));
    for (choices, status, part) in [
        ("from=9s", 1, "no instant of the run is selected"),
        ("ranks=0..99", 1, "node 16 does not exist"),
        ("rank=1", 2, "did you mean `ranks`"),
    ] {
        let output = run(&[&command[..], &["--svg", text(&svg), "--picture", choices]].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{errors}");
        assert!(errors.contains(part), "{errors}");
    }
    let errors = fails(2, &[&command[..], &["--picture", "from=1ms"]].concat());
    assert!(errors.contains("--svg and --heat"), "{errors}");
    let errors = fails(2, &[&command[..], &["--svg", "row.png"]].concat());
    assert!(errors.contains("row.svg"), "{errors}");
}
