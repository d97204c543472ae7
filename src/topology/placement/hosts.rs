//! Placements by the names of hosts: hostfiles and rankfiles of Open MPI, machinefiles of MPICH, host lists of Slurm.
//!
//! The hosts in the order of their names, `node2` before `node10`, are blocks of consecutive nodes of the machine. A host has as many nodes
//! as ranks. Its ranks take its nodes in the order of their slots, where a rankfile gives slots, and otherwise in the order of the ranks.

use std::collections::BTreeMap;

use crate::{rank::Rank, text::shown};

/// Maximum number of hosts or ranks of a host list, so that a short text cannot request much memory.
const MAX_LISTED: usize = 1 << 24;

/// The host of a rank, and the slot within the host; slots are compared by [`NameOrder`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    host: String,
    slot: String,
}

/// The order of names with numbers: digits are compared as numbers, `node2` before `node10`. An element is text, or the number of
/// digits without leading zeros and these digits.
type NameOrder = Vec<(String, usize, String)>;

fn name_order(name: &str) -> NameOrder {
    let mut order = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let (text, after) = rest.split_at(rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len()));
        let (digits, after) =
            after.split_at(after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len()));
        let digits = digits.trim_start_matches('0');
        order.push((text.to_owned(), digits.len(), digits.to_owned()));
        rest = after;
    }
    order
}

/// Returns the node of each rank.
pub(super) fn order(seats: &[Seat]) -> Vec<Rank> {
    let mut hosts: BTreeMap<(NameOrder, &str), Vec<(NameOrder, Rank)>> = BTreeMap::new();
    for (rank, seat) in seats.iter().enumerate() {
        let host = (name_order(&seat.host), seat.host.as_str());
        hosts.entry(host).or_default().push((name_order(&seat.slot), rank));
    }
    let mut nodes = vec![0; seats.len()];
    let mut next = 0;
    for ranks in hosts.values_mut() {
        ranks.sort();
        for &(_, rank) in ranks.iter() {
            nodes[rank] = next;
            next += 1;
        }
    }
    nodes
}

/// Returns whether a text is a hostfile or a rankfile, and not a list of node numbers: its first word is not a number.
pub(super) fn has_hosts(text: &str) -> bool {
    let first = lines(text).next();
    first.is_some_and(|(_, line)| {
        line.starts_with(|character: char| character.is_alphabetic() || character == '+')
    })
}

/// The lines with content, without comments.
fn lines<'t>(text: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    let content =
        |(number, line): (usize, &'t str)| (number, line.split('#').next().unwrap_or_default().trim());
    (1..).zip(text.lines()).map(content).filter(|(_, line)| !line.is_empty())
}

/// Reads a hostfile or a rankfile: the host of each rank.
pub(super) fn read(text: &str) -> Result<Vec<Seat>, String> {
    let is_rankfile =
        lines(text).next().is_some_and(|(_, line)| line.starts_with("rank ") && line.contains('='));
    if is_rankfile { read_ranks(text) } else { read_hosts(text) }
}

/// Splits a line into words; `=` is a word.
fn words(line: &str) -> Vec<String> {
    line.replace('=', " = ").split_whitespace().map(str::to_owned).collect()
}

/// Reads lines such as `node1 slots=4 max-slots=8`, `node1:4` and `node1`, which is one slot. Ranks fill the slots in the order of the file.
fn read_hosts(text: &str) -> Result<Vec<Seat>, String> {
    let mut seats = Vec::new();
    for (number, line) in lines(text) {
        let words = words(line);
        let (host, mut slots) = match words[0].split_once(':') {
            None => (words[0].as_str(), "1"),
            Some((host, slots)) => (host, slots),
        };
        for field in words[1..].chunks(3) {
            match field.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["slots" | "count" | "cpu", "=", given] => slots = given,
                ["max-slots" | "max_slots" | "slots-max" | "slots_max" | "cpu-max" | "cpu_max", "=", _] => {}
                _ => {
                    let given = shown(&field.concat());
                    return Err(format!(
                        "line {number} has `{given}`; a line of a hostfile is a host, optionally with slots=NUMBER and max-slots=NUMBER"
                    ));
                }
            }
        }
        let count = slots.parse().ok().filter(|slots| (1..=MAX_LISTED).contains(slots));
        let Some(count) = count else {
            return Err(format!(
                "line {number} gives {host} `{}` slots; allowed are whole numbers from 1",
                shown(slots)
            ));
        };
        push(&mut seats, host, count)?;
    }
    Ok(seats)
}

fn push(seats: &mut Vec<Seat>, host: &str, count: usize) -> Result<(), String> {
    if seats.len() + count > MAX_LISTED {
        return Err(format!("there are more than {MAX_LISTED} ranks"));
    }
    seats.extend((0..count).map(|_| Seat { host: host.to_owned(), slot: String::new() }));
    Ok(())
}

/// Reads lines such as `rank 3=node1 slot=0:2`.
fn read_ranks(text: &str) -> Result<Vec<Seat>, String> {
    let mut seats: BTreeMap<Rank, Seat> = BTreeMap::new();
    for (number, line) in lines(text) {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (rank, host, slot) = match words[..] {
            ["rank", rank, "=", host] => (rank, host, ""),
            ["rank", rank, "=", host, "slot" | "slots", "=", slot] => (rank, host, slot),
            _ => {
                let given = shown(line);
                return Err(format!(
                    "line {number} is `{given}`; a line of a rankfile is `rank 3=HOST slot=0:2`"
                ));
            }
        };
        let Some(rank) = rank.parse().ok().filter(|&rank: &Rank| rank < MAX_LISTED) else {
            return Err(format!(
                "line {number} gives `{}` as a rank; allowed are whole numbers from 0",
                shown(rank)
            ));
        };
        let seat = Seat { host: host.to_owned(), slot: slot.to_owned() };
        if seats.insert(rank, seat).is_some() {
            return Err(format!("line {number} places rank {rank} a second time"));
        }
    }
    let is_relative = |seat: &&Seat| seat.host.starts_with("+n");
    if seats.values().any(|seat| is_relative(&seat)) && !seats.values().all(|seat| is_relative(&seat)) {
        return Err("some hosts are relative, such as +n0, and others have names: use one kind".to_owned());
    }
    match (0..).zip(seats.keys()).find(|(expected, rank)| expected != *rank) {
        Some((missing, _)) => Err(format!("the file does not place rank {missing}")),
        None => Ok(seats.into_values().collect()),
    }
}

/// Reads a host list of Slurm, `node[01-04],login`, and optionally the tasks of each host, `4(x3),2`, as in `SLURM_JOB_NODELIST` and
/// `SLURM_TASKS_PER_NODE`. Without tasks, hosts have equal numbers of the `nodes`.
pub(super) fn read_slurm(list: &str, tasks: Option<&str>, nodes: usize) -> Result<Vec<Seat>, String> {
    let hosts = expand(list)?;
    let counts = match tasks {
        Some(tasks) => task_counts(tasks)?,
        None if nodes.is_multiple_of(hosts.len()) => vec![nodes / hosts.len(); hosts.len()],
        None => {
            return Err(format!(
                "the number of nodes is not a multiple of the {} hosts: give tasks, such as `/4(x3),2`",
                hosts.len()
            ));
        }
    };
    if counts.len() != hosts.len() {
        return Err(format!("tasks are given for {} hosts, and the list has {}", counts.len(), hosts.len()));
    }
    let mut seats = Vec::new();
    for (host, &count) in hosts.iter().zip(&counts) {
        push(&mut seats, host, count)?;
    }
    Ok(seats)
}

/// Reads `4(x3),2`.
fn task_counts(tasks: &str) -> Result<Vec<usize>, String> {
    let mut counts = Vec::new();
    for item in tasks.split(',') {
        let (count, times) = match item.strip_suffix(')').and_then(|item| item.split_once("(x")) {
            None => (item, "1"),
            Some(pair) => pair,
        };
        let number = |text: &str| text.trim().parse().ok().filter(|number| (1..=MAX_LISTED).contains(number));
        let (Some(count), Some(times)) = (number(count), number(times)) else {
            return Err(format!(
                "`{}` is not a number of tasks; allowed are such as `4` and `4(x3)`",
                shown(item)
            ));
        };
        if counts.len() + times > MAX_LISTED {
            return Err(format!("there are more than {MAX_LISTED} hosts"));
        }
        counts.extend(std::iter::repeat_n(count, times));
    }
    Ok(counts)
}

/// Expands a host list: commas outside of brackets separate items; brackets hold numbers and ranges with leading zeros.
fn expand(list: &str) -> Result<Vec<String>, String> {
    let mut depth = 0_usize;
    let items = list.split(|character: char| {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    });
    let mut hosts = Vec::new();
    for item in items {
        let mut names = vec![String::new()];
        let mut rest = item.trim();
        if rest.is_empty() {
            return Err("an item of the host list is empty; write such as `node[01-04]`".to_owned());
        }
        while let Some((text, after)) = rest.split_once('[') {
            let wrong = || format!("`{}` is not a host list such as `node[01-04,7]`", shown(item));
            let (ranges, after) = after.split_once(']').ok_or_else(wrong)?;
            let mut numbers = Vec::new();
            for range in ranges.split(',') {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let number =
                    |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
                let (from, to): (usize, usize) = number(first).zip(number(last)).ok_or_else(wrong)?;
                if from > to || (to - from + numbers.len()).saturating_mul(names.len()) >= MAX_LISTED {
                    return Err(wrong());
                }
                numbers.extend((from..=to).map(|number| format!("{number:0width$}", width = first.len())));
            }
            names = names
                .iter()
                .flat_map(|name| numbers.iter().map(move |number| format!("{name}{text}{number}")))
                .collect();
            rest = after;
        }
        names.iter_mut().for_each(|name| name.push_str(rest));
        hosts.extend(names);
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(text: &str) -> Result<Vec<Rank>, String> {
        assert!(has_hosts(text), "{text}");
        read(text).map(|seats| order(&seats))
    }

    #[test]
    fn hostfiles_fill_slots_in_their_order() {
        // node10 is the last host, and has nodes 3 and 4.
        let text = "# hosts\nnode10 slots=2 max_slots=4\nnode2 slots = 1\n\nnode1:2\n";
        assert_eq!(placed(text), Ok(vec![3, 4, 2, 0, 1]));
        assert_eq!(placed("b\na\nb\na\n"), Ok(vec![2, 0, 3, 1]), "a rank each line");
        assert!(!has_hosts("0 1 2"));
        assert_eq!(
            placed("a\nb slots=x\n"),
            Err("line 2 gives b `x` slots; allowed are whole numbers from 1".to_owned())
        );
        assert_eq!(
            placed("a user=me\n"),
            Err("line 1 has `user=me`; a line of a hostfile is a host, optionally with slots=NUMBER and max-slots=NUMBER".to_owned())
        );
    }

    #[test]
    fn rankfiles_place_each_rank() {
        let text = "rank 1=b slot=0:1\nrank 0=a slot=1\nrank 3=a slot=0\nrank 2=b slot=0:0\n";
        assert_eq!(placed(text), Ok(vec![1, 3, 2, 0]));
        assert_eq!(placed("rank 0=+n1 slot=0\nrank 1=+n0\n"), Ok(vec![1, 0]));
        for (text, why) in [
            ("rank 0=a\nrank 2=b\n", "the file does not place rank 1"),
            ("rank 0=a\nrank 0=b\n", "line 2 places rank 0 a second time"),
            (
                "rank 0=a\nb slots=2\n",
                "line 2 is `b slots=2`; a line of a rankfile is `rank 3=HOST slot=0:2`",
            ),
            (
                "rank 0=a\nrank 1=+n1\n",
                "some hosts are relative, such as +n0, and others have names: use one kind",
            ),
        ] {
            assert_eq!(placed(text), Err(why.to_owned()));
        }
    }

    #[test]
    fn slurm_lists_hosts() {
        assert_eq!(
            expand("n[08-10],m[1,3]x[0-1]").unwrap(),
            ["n08", "n09", "n10", "m1x0", "m1x1", "m3x0", "m3x1"]
        );
        let placed = |list, tasks, nodes| read_slurm(list, tasks, nodes).map(|seats| order(&seats));
        assert_eq!(placed("b,a", None, 4), Ok(vec![2, 3, 0, 1]));
        assert_eq!(placed("c,[1-2]", Some("1,2(x2)"), 5), Ok(vec![4, 0, 1, 2, 3]));
        for (list, tasks, why) in [
            (
                "a,b,c",
                None,
                "the number of nodes is not a multiple of the 3 hosts: give tasks, such as `/4(x3),2`",
            ),
            ("a,b", Some("4"), "tasks are given for 1 hosts, and the list has 2"),
            ("a,b", Some("4(3)"), "`4(3)` is not a number of tasks; allowed are such as `4` and `4(x3)`"),
            ("a[1", None, "`a[1` is not a host list such as `node[01-04,7]`"),
            ("a[2-1]", None, "`a[2-1]` is not a host list such as `node[01-04,7]`"),
            ("a,,b", None, "an item of the host list is empty; write such as `node[01-04]`"),
        ] {
            assert_eq!(placed(list, tasks, 4), Err(why.to_owned()));
        }
    }
}
