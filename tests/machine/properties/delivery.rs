//! Delivery: no byte is lost or doubled.

use super::*;

/// One message of a random program; its number in the list is its tag.
#[derive(Clone, Debug)]
struct Letter {
    from: usize,
    to: usize,
    len: usize,
    want: Want,
}

/// How its receiver asks for it. Those that accept anything are asked for after those that name a tag, so that none
/// takes what another one needs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Want {
    SourceAndTag,
    Tag,
    Anything,
}

/// How a receiver goes about it.
#[derive(Clone, Copy, Debug)]
enum Manner {
    Blocking,
    PostedThenWaitedInOrder,
    PostedThenWaitedBackwards,
    PostedThenWhateverComes,
    ProbedFirst,
}

fn content(tag: usize, letter: &Letter) -> Vec<u8> {
    (0..letter.len).map(|i| (tag * 31 + letter.from * 7 + letter.to * 3 + i) as u8).collect()
}

fn letters(nodes: usize) -> impl Strategy<Value = Vec<Letter>> {
    let want = prop_oneof![Just(Want::SourceAndTag), Just(Want::Tag), Just(Want::Anything)];
    let len = prop_oneof![Just(0_usize), 1..20_usize, 1000..5000_usize];
    let letter =
        (0..nodes, 0..nodes, len, want).prop_map(|(from, to, len, want)| Letter { from, to, len, want });
    prop::collection::vec(letter, 0..40)
}

fn post_office() -> impl Strategy<Value = ((usize, usize), Vec<Letter>, Vec<Manner>)> {
    let manner = prop_oneof![
        Just(Manner::Blocking),
        Just(Manner::PostedThenWaitedInOrder),
        Just(Manner::PostedThenWaitedBackwards),
        Just(Manner::PostedThenWhateverComes),
        Just(Manner::ProbedFirst),
    ];
    (1..4_usize, 1..4_usize).prop_flat_map(move |(rows, columns)| {
        let nodes = rows * columns;
        (Just((rows, columns)), letters(nodes), prop::collection::vec(manner.clone(), nodes))
    })
}

/// Sends its letters, then receives those for it; the tags and the data that came.
fn correspond(
    node: &Node<'_>,
    letters: &[Letter],
    manner: Manner,
) -> Result<Vec<(usize, usize, Vec<u8>)>, Failure> {
    let (world, rank) = (node.world(), node.rank());
    let mut sends = Vec::new();
    for (tag, letter) in letters.iter().enumerate().filter(|(_, letter)| letter.from == rank) {
        sends.push(world.isend((letter.to, Tag(tag as u32)), content(tag, letter))?);
    }
    let mine = || letters.iter().enumerate().filter(|(_, letter)| letter.to == rank);
    let (named, loose): (Vec<_>, Vec<_>) = mine().partition(|(_, letter)| letter.want != Want::Anything);
    let selects = named.into_iter().chain(loose).map(|(tag, letter)| match letter.want {
        Want::SourceAndTag => Select::from((letter.from, Tag(tag as u32))),
        Want::Tag => Select::from((ANY_SOURCE, Tag(tag as u32))),
        Want::Anything => Select::from(ANY_SOURCE),
    });
    let mut messages: Vec<Message> = Vec::new();
    match manner {
        Manner::Blocking => {
            for select in selects {
                messages.push(world.recv(select)?);
            }
        }
        Manner::ProbedFirst => {
            for select in selects {
                let status = world.probe(select)?;
                let message = world.recv((status.source, status.tag))?;
                assert_eq!(message.status(), status);
                messages.push(message);
            }
        }
        Manner::PostedThenWhateverComes => {
            let posted = selects.map(|select| world.irecv(select).map(Some));
            let mut posted = posted.collect::<Result<Vec<_>, _>>()?;
            for _ in 0..posted.len() {
                messages.push(Request::wait_any(&mut posted)?.1);
            }
        }
        Manner::PostedThenWaitedInOrder | Manner::PostedThenWaitedBackwards => {
            let mut posted = selects.map(|select| world.irecv(select)).collect::<Result<Vec<_>, _>>()?;
            if matches!(manner, Manner::PostedThenWaitedBackwards) {
                posted.reverse();
            }
            messages.extend(Request::wait_all(posted)?);
        }
    }
    Request::wait_all(sends)?;
    let unpack = |message: Message| Ok((message.source, message.tag.0 as usize, message.to_vec::<u8>()?));
    messages.into_iter().map(unpack).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every node starts all its sends, then receives what is for it in a random way: every byte of every message is
    /// received once, where it was sent to.
    #[test]
    fn every_byte_arrives_once(((rows, columns), letters, manners) in post_office()) {
        let machine = Machine::paragon(rows, columns).wall_limit(PATIENCE).build().unwrap();
        let run = machine.run(|node| correspond(node, &letters, manners[node.rank()])).unwrap();
        for (rank, mut got) in run.outputs.into_iter().enumerate() {
            got.sort_by_key(|&(_, tag, _)| tag);
            let sent: Vec<_> = letters
                .iter()
                .enumerate()
                .filter(|(_, letter)| letter.to == rank)
                .map(|(tag, letter)| (letter.from, tag, content(tag, letter)))
                .collect();
            prop_assert_eq!(got, sent, "at node {}", rank);
        }
        let bytes: usize = letters.iter().map(|letter| letter.len).sum();
        prop_assert_eq!(run.report.bytes, bytes as u64);
        prop_assert_eq!(run.report.messages, letters.len() as u64);
        prop_assert_eq!(run.report.nodes.iter().map(|node| node.bytes_received).sum::<u64>(), bytes as u64);
        prop_assert!(run.report.unreceived.is_empty());
    }
}
