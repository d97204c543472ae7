use std::fs;

use super::*;
use crate::time::Span;

const HEAD: &str = "name = \"test\"\ntopology = \"mesh:2x3\"\n";

fn with(rest: &str) -> Result<MachineSpec, FileError> {
    MachineSpec::from_toml(&format!("{HEAD}{rest}"))
}

fn refusal(rest: &str) -> String {
    with(rest).unwrap_err().to_string()
}

#[test]
fn parameters_default_to_those_of_the_preset() {
    let machine = with("").unwrap();
    assert_eq!((machine.name(), machine.nodes()), ("test", 6));
    assert_eq!(machine.parameters(), &Parameters::builder().build().unwrap());
    assert_eq!(with("preset = \"paragon\"").unwrap().parameters(), &Parameters::paragon());
}

#[test]
fn a_file_can_express_every_preset() {
    let machine = with(
        "
        [parameters]
        send_overhead = '92 us'
        receive_overhead = 92e-6
        exchange_overhead = '0.184 ms'
        latency = 0
        hop = '40 ns'
        beta = '30.6 ns/B'
        duplex = 1.35
        link_excess = 5.35
        gamma = '0.34 us'
        copy = '0 ns/B'
    ",
    )
    .unwrap();
    assert_eq!(machine.parameters(), &Parameters::paragon());
}

#[test]
fn given_parameters_override_the_preset() {
    let machine =
        with("preset = 'paragon'\n[parameters]\nlink_capacity = '200 MB/s'\nbarrier = '4 us'").unwrap();
    let expected = Parameters::paragon().to_builder().link_capacity(200e6).barrier(4e-6).build().unwrap();
    assert_eq!(machine.parameters(), &expected);
    assert_eq!(machine.parameters().barrier(), Some(Span::from_micros(4)));
}

#[test]
fn the_call_overhead_is_read_and_written() {
    let machine = with("preset = 'paragon'\n[parameters]\ncall_overhead = '9 us'").unwrap();
    assert_eq!(machine.parameters().call_overhead(), Span::from_micros(9));
    assert_eq!(MachineSpec::from_toml(&machine.to_toml()).unwrap().parameters(), machine.parameters());
    let plain = with("preset = 'paragon'").unwrap();
    assert_ne!(machine.hash(), plain.hash());
    // Machines without it are written, and hashed, as before there was such a parameter.
    assert!(!plain.to_toml().contains("call"), "{}", plain.to_toml());
}

#[test]
fn the_cost_of_unexpected_messages_is_read_and_written() {
    let machine =
        with("preset = 'paragon'\n[parameters]\nunexpected_overhead = '9 us'\nunexpected_copy = '22 ns/B'")
            .unwrap();
    assert_eq!(machine.parameters().unexpected(1000), Some(Span::from_micros(31)));
    assert_eq!(MachineSpec::from_toml(&machine.to_toml()).unwrap().parameters(), machine.parameters());
    let plain = with("preset = 'paragon'").unwrap();
    assert_ne!(machine.hash(), plain.hash());
    assert!(!plain.to_toml().contains("unexpected"), "{}", plain.to_toml());
}

#[test]
fn active_messages_have_overheads_of_their_own_if_they_are_given() {
    let machine = with("preset = 'paragon'\n[parameters]\nactive_send_overhead = '1.6 us'").unwrap();
    let parameters = machine.parameters();
    assert_eq!(parameters.active_send_overhead(), Span::from_nanos(1600));
    assert_eq!(parameters.active_receive_overhead(), parameters.receive_overhead());
    assert_eq!(parameters, &Parameters::paragon().to_builder().active_send_overhead(1.6e-6).build().unwrap());
}

#[test]
fn refusals_name_the_key_what_was_given_and_what_is_allowed() {
    assert_eq!(
        refusal("preset = 'abacus'"),
        format!("machine file: preset: unknown preset `abacus`. Known: {}", presets::NAMES.join(", "))
    );
    assert_eq!(
        refusal("[parameters]\nbeta = '30 MB/s'"),
        "machine file: parameters.beta: `30 MB/s` is not a time per byte such as `30.6 ns/B` (units s/B, ms/B, \
         us/B, ns/B, ps/B)"
    );
    assert_eq!(
        refusal("[parameters]\nduplex = 3"),
        "machine file: parameters.duplex = 3 is out of range; it must be from 1 to 2"
    );
    assert_eq!(
        refusal("[parameters]\nlink_excess = 2\nlink_capacity = '1 MB/s'"),
        "machine file: both parameters.link_excess and parameters.link_capacity are given: remove one of them"
    );
    assert_eq!(
        MachineSpec::from_toml("name = 'x'\ntopology = 'ball:3'").unwrap_err().to_string(),
        format!("machine file: topology: unknown topology `ball:3`. Known: {}", topology::spellings())
    );
}

#[test]
fn keys_that_are_unknown_missing_or_of_another_type_are_refused_with_their_line() {
    for (rest, line, says) in [
        ("speed = 3", 3, "unknown field `speed`"),
        ("[parameters]\nbeto = '1 us'", 4, "unknown field `beto`"),
        ("[parameters]\nhop = true", 4, "a number in SI units or a text with a unit"),
        ("[parameters]\nduplex = '2'", 4, "f64"),
        ("name = 'again'", 3, "duplicate key"),
    ] {
        let message = refusal(rest);
        assert!(message.contains(says), "{message}");
        assert!(message.contains(&format!("line {line}")), "{message}");
    }
    let message = MachineSpec::from_toml("name = 'x'").unwrap_err().to_string();
    assert!(message.contains("missing field `topology`"), "{message}");
}

#[test]
fn bandwidth_is_one_over_beta_in_bits_or_in_bytes() {
    for (bandwidth, beta) in [
        ("'100 Gb/s'", 1.0 / 12.5e9),
        ("'100 GB/s'", 1e-11),
        ("'1 GiB/s'", 1.0 / 1_073_741_824.0),
        ("'1 B/s'", 1.0),
        ("20e6", 50e-9),
    ] {
        let machine = with(&format!("[parameters]\nbandwidth = {bandwidth}")).unwrap();
        assert_eq!(machine.parameters().beta(), beta, "{bandwidth}");
    }
}

#[test]
fn alpha_is_half_the_overhead_of_either_end_but_for_the_latency() {
    for (rest, send, receive, latency) in [
        ("[parameters]\nalpha = '130 us'", 65_000_000, 65_000_000, 0),
        ("preset = 'paragon'\n[parameters]\nalpha = '10 us'", 5_000_000, 5_000_000, 0),
        ("[parameters]\nalpha = '10 us'\nlatency = '4 us'", 3_000_000, 3_000_000, 4_000_000),
        ("[parameters]\nlatency = '4 us'\nalpha = '4 us'", 0, 0, 4_000_000),
        ("[parameters]\nalpha = '3 ps'", 2, 1, 0),
        ("[parameters]\nalpha = '123456789 ps'\nlatency = '1 ps'", 61_728_394, 61_728_394, 1),
    ] {
        let machine = with(rest).unwrap();
        let parameters = machine.parameters();
        let overheads = (parameters.send_overhead().as_picos(), parameters.receive_overhead().as_picos());
        assert_eq!((overheads, parameters.latency().as_picos()), ((send, receive), latency), "{rest}");
        assert_eq!(parameters.alpha().as_picos(), send + receive + latency, "{rest}");
    }
}

#[test]
fn a_parameter_has_one_spelling() {
    for (one, other) in [
        ("alpha", "send_overhead"),
        ("alpha", "receive_overhead"),
        ("beta", "bandwidth"),
        ("link_excess", "link_capacity"),
    ] {
        let error = with(&format!("[parameters]\n{other} = 1\n{one} = 1")).unwrap_err();
        assert!(matches!(error.problem(), FileProblem::Both { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            format!(
                "machine file: both parameters.{one} and parameters.{other} are given: remove one of them"
            )
        );
    }
    assert!(
        with("preset = 'paragon'\n[parameters]\nbandwidth = 1\nalpha = 1").is_ok(),
        "instead of the preset's"
    );
}

#[test]
fn extreme_values_are_accepted_or_refused() {
    for (parameter, capacity) in [
        ("beta = 1e-300", 1.0 / 1e-300),
        ("bandwidth = '1 B/s'", 1.0),
        ("bandwidth = 1e-6", 1e-6),
        ("beta = 0", f64::INFINITY),
    ] {
        let machine = with(&format!("[parameters]\n{parameter}")).unwrap();
        assert_eq!(machine.parameters().port_capacity(), capacity, "{parameter}");
    }
    const TIME: &str = "from 0 to 1e6 s";
    const BANDWIDTH: &str = "at least 1e-6 B/s and finite; `beta = 0` is without limit";
    const ALPHA: &str = "at least the latency, which it includes, and at most 1e6 s";
    for (key, given, shown, allowed) in [
        ("beta", "inf", "inf", TIME),
        ("beta", "nan", "NaN", TIME),
        ("beta", "-1e-9", "-0.000000001", TIME),
        ("beta", "1e7", "10000000", TIME),
        ("bandwidth", "inf", "inf", BANDWIDTH),
        ("bandwidth", "nan", "NaN", BANDWIDTH),
        ("bandwidth", "-1", "-1", BANDWIDTH),
        ("bandwidth", "0", "0", BANDWIDTH),
        ("bandwidth", "'0 GB/s'", "0", BANDWIDTH),
        ("alpha", "nan", "NaN", ALPHA),
        ("alpha", "-1", "-1", ALPHA),
        ("alpha", "1e7", "10000000", ALPHA),
        ("alpha", "1e-6\nlatency = 2e-6", "0.000001", ALPHA),
        ("latency", "nan\nalpha = 1", "NaN", TIME),
    ] {
        assert_eq!(
            refusal(&format!("[parameters]\n{key} = {given}")),
            format!("machine file: parameters.{key} = {shown} is out of range; it must be {allowed}")
        );
    }
    assert_eq!(
        refusal("[parameters]\nbandwidth = '-1 Gb/s'"),
        "machine file: parameters.bandwidth: `-1 Gb/s` is negative; allowed is 0 or more"
    );
}

#[test]
fn files_of_the_other_kind_are_diagnosed() {
    let network = "nodes = 2\nlinks = [{ between = [0, 1] }]";
    assert_eq!(
        MachineSpec::from_toml(network).unwrap_err().to_string(),
        "machine file: this is a network file (it has the key `nodes`): write the machine as `file:PATH`, or use the network in a machine file as `topology = \"file:PATH\"` or in the table `network`"
    );
    let refused =
        topology::Network::from_toml("file:ft.toml", &format!("{HEAD}preset = 'paragon'")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`file:ft.toml` is not a network: this is a machine file (it has the key `name`): read it with \
         `MachineSpec::from_file`, or on the command line give it without `file:`"
    );
}

#[test]
fn a_network_is_inline_or_in_another_file() {
    let network = "nodes = 2\nlinks = [{ between = [0, 1], capacity = '2 MB/s' }]\n";
    let inside = MachineSpec::from_toml(&format!("name = 'x'\n[network]\n{network}")).unwrap();
    let folder = std::env::temp_dir().join(format!("multicomputer-network-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("two.toml"), network).unwrap();
    let machine = folder.join("machine.toml");
    fs::write(&machine, "name = 'x'\ntopology = 'file:two.toml'").unwrap();
    let beside = MachineSpec::from_file(&machine).unwrap();
    for (machine, name) in
        [(inside, "network".to_owned()), (beside, format!("file:{}", folder.join("two.toml").display()))]
    {
        let topology = machine.topology();
        assert_eq!((topology.nodes(), topology.links()), (2, 2));
        assert_eq!((topology.capacity(1), topology.name()), (Some(2e6), name));
    }
    fs::write(folder.join("order.txt"), "1\n0\n").unwrap();
    fs::write(&machine, "name = 'x'\ntopology = 'placed:file:order.txt:file:two.toml'").unwrap();
    let placed = MachineSpec::from_file(&machine).unwrap();
    assert_eq!(placed.topology().link(0).from, topology::Vertex::Node(1), "the first link is that of node 0");
    fs::remove_dir_all(&folder).unwrap();
    let message = MachineSpec::from_file(&machine).unwrap_err().to_string();
    assert!(message.contains(": cannot be read: "), "{message}");
}

#[test]
fn a_file_has_one_topology() {
    let network = "[network]\nnodes = 1";
    assert_eq!(
        refusal(network),
        "machine file: both `topology` and a table `network` are given: remove one of them"
    );
    let refusal =
        |text: &str| MachineSpec::from_toml(&format!("name = 'x'\n{text}")).unwrap_err().to_string();
    assert_eq!(refusal(""), "machine file: missing field `topology` or table `network`: give one of them");
    assert_eq!(
        refusal("[network]\nnodes = 2"),
        "machine file: network: links: no path leads from node 0 to node 1; every node must reach every other"
    );
    assert!(refusal("[network]\nnodes = 1\nedges = 3").contains("unknown field `edges`"));
    assert!(
        refusal("topology = 'file:no/such.toml'")
            .starts_with("machine file: topology: `file:no/such.toml` is not a network: cannot be read: ")
    );
}

#[test]
fn errors_name_the_file() {
    let error = MachineSpec::from_file("no/such/machine.toml").unwrap_err();
    assert!(error.to_string().starts_with("machine file no/such/machine.toml: cannot be read: "));
    assert_eq!(error.file(), Some(Path::new("no/such/machine.toml")));
    assert!(matches!(error.problem(), FileProblem::Unreadable(_)));
}

#[test]
fn noise_and_faults_are_read_and_written() {
    let text = "name = 'x'\ntopology = 'mesh:2x3'\ndetours = false\n[noise]\ninterval = '1 ms'\nlength = '50 us'\n\
                distribution = 'exponential'\nfirst = '2 us'\nseed = 7\n[[fault]]\nslow = '0-1'\nfactor = 0.5\nat = '2 ms'\n\
                [[fault]]\ndead = '1->2'\nat = '1 ms'\n[[fault]]\nnode = 5\nat = '4 ms'\n";
    let machine = MachineSpec::from_toml(text).unwrap();
    let noise = machine.noise().unwrap();
    assert_eq!(
        noise.to_string(),
        "interval=1ms,length=50us,interval-distribution=exponential,length-distribution=exponential,first=2us,seed=7"
    );
    let faults = machine.faults().unwrap();
    let texts: Vec<String> = faults.list().iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["slow:0-1:0.5@2ms", "dead:1->2@1ms", "node:5@4ms"]);
    assert!(!faults.has_detours());
    let again = MachineSpec::from_toml(&machine.to_toml()).unwrap();
    assert_eq!((again.noise(), again.faults()), (machine.noise(), machine.faults()));
    assert!(!machine.undisturbed().is_disturbed());

    let refusal = |text: &str| {
        let text = format!("name = 'x'\ntopology = 'mesh:2x3'\n{text}");
        MachineSpec::from_toml(&text).unwrap_err().to_string()
    };
    for (text, part) in [
        ("[noise]\ninterval = '1 ms'", "machine file: noise has no length"),
        (
            "[[fault]]\nnode = 6\nat = '1 s'",
            "machine file: fault: node 6 does not exist: the nodes are 0 to 5",
        ),
        (
            "[[fault]]\nnode = 1\ndead = '0-1'\nat = '1 s'",
            "machine file: fault: a fault needs exactly one of the keys",
        ),
        ("[[fault]]\ndead = '0-4'\nat = '1 s'", "machine file: fault: mesh:2x3 has no link node 0 -> node 4"),
    ] {
        assert!(refusal(text).starts_with(part), "{}", refusal(text));
    }
}

#[test]
fn regimes_are_read_and_written() {
    let read = |regimes: &str| {
        let parameters = "[parameters]\nsend_overhead = '1 us'\nreceive_overhead = '2 us'\nlatency = '3 us'";
        MachineSpec::from_toml(&format!("name = 'x'\ntopology = 'mesh:2x3'\n{parameters}\n{regimes}"))
    };
    let regime = |from: &str, send: &str, receive: &str| {
        format!(
            "[[parameters.regimes]]\nfrom = {from}\nsend_overhead = {send}\nreceive_overhead = {receive}\n"
        )
    };
    let machine = read(&(regime("'4 KiB'", "'5 us'", "2e-6") + &regime("9999", "'5 us'", "'7 us'"))).unwrap();
    let start_up = |bytes| machine.parameters().start_up(bytes).as_picos() / 1_000_000;
    assert_eq!([0, 4095, 4096, 9998, 9999].map(start_up), [6, 6, 10, 10, 15]);
    let again = MachineSpec::from_toml(&machine.to_toml()).unwrap();
    assert_eq!(again.parameters(), machine.parameters());
    let same = again.parameters().to_builder().build().unwrap();
    assert_eq!(&same, machine.parameters());
    for (text, part) in [
        (
            regime("0", "1e-6", "2e-6"),
            "parameters.regimes.from_bytes = 0 is out of range; it must be above 0",
        ),
        (regime("8", "1e-6", "2e-6").repeat(2), "parameters.regimes.from_bytes = 8 is out of range"),
        (regime("8", "0", "2e-6"), "parameters.regimes.send_overhead = 0 is out of range"),
        (regime("8", "1e-6", "'1 us'"), "parameters.regimes.receive_overhead = 0.000001 is out of range"),
        (regime("'long'", "0", "0"), "parameters.regimes.from: `long`"),
    ] {
        let refusal = read(&text).unwrap_err().to_string();
        assert!(refusal.contains(part), "{refusal}");
    }
}

#[test]
fn rendezvous_is_read_and_written() {
    let read = |value: &str| {
        MachineSpec::from_toml(&format!("name = 'x'\ntopology = 'mesh:2x3'\nrendezvous = {value}\n"))
    };
    for (value, from_bytes) in [("8192", 8192), ("'8 KiB'", 8192), ("0", 0), ("'1000'", 1000)] {
        let machine = read(value).unwrap();
        assert_eq!(machine.rendezvous(), Some(from_bytes));
        assert_eq!(MachineSpec::from_toml(&machine.to_toml()).unwrap().rendezvous(), Some(from_bytes));
        // Plans are made for the machine with its rendezvous threshold.
        assert_eq!((machine.undisturbed().rendezvous(), machine.is_disturbed()), (Some(from_bytes), false));
    }
    assert!(read("'much'").unwrap_err().to_string().starts_with("machine file: rendezvous: `much`"));
    assert!(read("-1").unwrap_err().to_string().contains("a number of bytes, such as 8192"));
}
