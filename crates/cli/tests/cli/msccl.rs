//! Schedules of MSCCL on the command line.

use std::fs;

use super::{fails, folder, succeeds, text};

/// Two ranks that send each other their halves.
const PAIR: &str = r#"<algo name="pair" ngpus="2" coll="allgather" inplace="1" nchunksperloop="2">
<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
<tb id="0" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>
"#;

#[test]
fn a_schedule_stands_beside_what_auto_takes() {
    let folder = folder("msccl");
    let (file, csv) = (folder.join("pair.xml"), folder.join("pair.csv"));
    fs::write(&file, PAIR).unwrap();
    let arguments =
        ["msccl", text(&file), "--machine", "hockney:1x2", "--bytes", "1000,8K", "--csv", text(&csv)];
    let output = succeeds(&arguments);
    let title =
        "pair.xml on hockney:1x2: allgather of 2 ranks, 2 chunks; the result of every rank is correct\n\n";
    assert!(output.contains(title), "{output}");
    let table = fs::read_to_string(&csv).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    // 130 us, and 50 ns for each byte of a half; two ranks can do no better.
    for (row, times) in [(1, "2,1000,155.000000,155.000000,"), (2, "2,8192,334.800000,334.800000,")] {
        assert!(rows[row].starts_with("hockney:1x2,1,2,2,1,identity,"), "{table}");
        assert!(rows[row].contains(&format!(",allgather,pair,{times}")), "{table}");
    }
    // MSCCL's names are read in any spelling, and are MSCCL's in the output.
    fs::write(&file, PAIR.replacen("allgather", "AllGather", 1)).unwrap();
    assert!(succeeds(&arguments).contains(title));
    fs::write(&file, PAIR.replacen("allgather", "algather", 1)).unwrap();
    let refused = fails(2, &arguments);
    assert!(
        refused.contains("invalid coll=\"algather\"; allowed is `allgather` or another of allreduce, "),
        "{refused}"
    );
}

#[test]
fn what_cannot_be_timed_is_refused() {
    let folder = folder("msccl-refused");
    let file = folder.join("wrong.xml");
    let refused = |content: &str, more: &[&str]| {
        fs::write(&file, content).unwrap();
        fails(2, &[&["msccl", text(&file), "--machine", "hockney:1x2"], more].concat())
    };
    let unkept = PAIR.replacen("type=\"r\"", "type=\"rrs\"", 1);
    assert!(
        refused(&unkept, &[]).contains(
            "wrong.xml: line 5: chunk 1 of the buffer `o` of rank 0 is empty when this step reads it"
        ),
        "{unkept}"
    );
    assert!(refused("ring", &[]).contains("wrong.xml: invalid XML (a DTD is not allowed): "));
    assert!(refused(PAIR, &["--bytes", "3"]).contains("3 B is not a multiple of the element (4 bytes)"));
    let small = fails(2, &["msccl", text(&file), "--machine", "line:1"]);
    assert!(
        small
            .contains("the program has 2 ranks, but the machine has 1: use a machine with one node per rank"),
        "{small}"
    );
}

#[test]
fn a_schedule_is_an_algorithm_among_others() {
    let folder = folder("msccl-with");
    let (file, csv) = (folder.join("pair.xml"), folder.join("times.csv"));
    fs::write(&file, PAIR).unwrap();
    let arguments = ["collective", "all-gather,broadcast", "--machine", "hockney:1x2", "--bytes", "1000"];
    let more = ["--algorithm", "auto", "--run", "all", "--with", text(&file), "--csv", text(&csv)];
    let output = succeeds(&[&arguments[..], &more].concat());
    assert!(
        output.contains(
            "pair has no schedule for this problem: the MSCCL schedule is for all-gather, not for broadcast"
        ),
        "{output}"
    );
    let table = fs::read_to_string(&csv).unwrap();
    let row = |operation: &str| {
        let is_row = |line: &&str| line.contains("pair.xml") && line.contains(operation);
        table.lines().find(is_row).unwrap_or_else(|| panic!("{table}"))
    };
    // As above, and it was run, and its result was checked.
    assert!(row(",all-gather,").contains(",pair,155.000000,"), "{table}");
    assert!(
        row(",broadcast,").contains("the MSCCL schedule is for all-gather, not for broadcast"),
        "{table}"
    );
    fs::write(&file, PAIR.replacen("type=\"r\"", "type=\"nop\"", 1)).unwrap();
    let refused = fails(2, &[&arguments[..], &more].concat());
    assert!(refused.contains("pair.xml: line "), "{refused}");
}

/// The arguments of a command that writes the schedule of a plan for six nodes.
fn writing<'a>(arguments: &[&'a str], file: &'a str) -> Vec<&'a str> {
    [arguments, &["--machine", "line:6", "--msccl", file]].concat()
}

#[test]
fn plans_are_written_and_read_again() {
    let folder = folder("msccl-written");
    let (file, matrix) = (folder.join("plan.xml"), folder.join("even.csv"));
    let of_ring = [
        "collective",
        "all-gather",
        "--algorithm",
        "6:C",
        "--bytes",
        "6K",
        "--element",
        "4",
        "--run",
        "none",
    ];
    succeeds(&writing(&of_ring, text(&file)));
    let output = succeeds(&["msccl", text(&file), "--machine", "line:6", "--bytes", "6K"]);
    assert!(
        output.contains("allgather of 6 ranks, 6 chunks; the result of every rank is correct"),
        "{output}"
    );

    fs::write(&matrix, "100,100,100,100,100,100\n".repeat(6)).unwrap();
    let exchange = ["all-to-all", "--matrix", text(&matrix), "--algorithm", "pairwise"];
    succeeds(&writing(&exchange, text(&file)));
    let output = succeeds(&["msccl", text(&file), "--machine", "line:6", "--bytes", "6K"]);
    assert!(output.contains("alltoall of 6 ranks"), "{output}");
    let output = succeeds(&[&exchange[..], &["--machine", "line:6", "--with", text(&file)]].concat());
    assert!(
        output.contains("plan.xml") && output.contains("All 2 plans were run: predictions are exact"),
        "{output}"
    );

    let refused = |arguments: &[&'static str]| fails(2, &writing(arguments, text(&file)));
    let broadcast = refused(&["collective", "broadcast", "--algorithm", "short"]);
    assert!(broadcast.contains("MSCCL has no broadcast; it has all-reduce, all-gather, "), "{broadcast}");
    let several = refused(&["collective", "all-gather"]);
    assert!(several.contains("--msccl writes one schedule, and this command makes "), "{several}");
    let stop = refused(&["s-to-p", "--sources", "2", "--algorithm", "br-lin"]);
    assert!(stop.contains("MSCCL has no s-to-p broadcast"), "{stop}");
}

#[test]
fn a_schedule_has_bandwidths_pictures_and_times_of_ranks() {
    let folder = folder("msccl_recorded");
    let [file, svg, ranks] = ["pair.xml", "pair.svg", "ranks.csv"].map(|name| folder.join(name));
    fs::write(&file, PAIR).unwrap();
    let command = ["msccl", text(&file), "--machine", "hockney:1x2", "--bytes", "1000,8K", "--bandwidth"];
    let output =
        succeeds(&[&command[..], &["--svg", text(&svg), "--per-rank", text(&ranks), "--explain"]].concat());
    assert!(output.contains("algbw GB/s") && output.contains("busbw GB/s"), "{output}");
    assert!(output.contains("critical path") && output.contains("pair-1000-B.svg"), "{output}");
    assert!(folder.join("pair-8-KiB.svg").is_file());
    let table = fs::read_to_string(&ranks).unwrap();
    assert!(table.contains("\n1000,0,155.000000,1,500,1,500,0.000000\n"), "{table}");
    assert_eq!(table.lines().count(), 5, "{table}");
}
