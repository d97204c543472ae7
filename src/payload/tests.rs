//! Tests of payloads: sharing and copying, types, phantoms, and arbitrary edits compared with a vector.

use std::iter;

use proptest::prelude::*;

use super::*;

fn data(payload: &Payload) -> Vec<*const u8> {
    payload.data().map(|bytes| bytes.as_ptr()).collect()
}

#[test]
fn a_vector_is_taken_not_copied() {
    let vector = vec![1u32, 2, 3];
    let address = vector.as_ptr().cast::<u8>();
    let payload = Payload::from(vector);
    assert_eq!(data(&payload), [address]);
    assert_eq!(payload.to_bytes().unwrap().as_ptr(), address);
}

#[test]
fn clones_chains_and_cuts_share_the_data() {
    let (a, b) = (Payload::from(vec![1u64, 2]), Payload::from(vec![3u64]));
    let addresses = [data(&a), data(&b)].concat();
    let mut chain = Payload::concat([a.clone(), b.clone()]);
    assert_eq!(data(&chain), addresses);
    assert_eq!(data(&chain.clone()), addresses);
    assert_eq!(data(&chain.slice(8..16).unwrap()), [addresses[0].wrapping_add(8)]);
    let tail = chain.split_off(16).unwrap();
    assert_eq!((data(&chain), data(&tail)), (data(&a), data(&b)));
}

#[test]
fn data_reads_as_the_type_it_was_made_from() {
    let payload = Payload::from(&[1.0f64, 2.0]);
    assert_eq!(payload.to_vec::<f64>().unwrap(), [1.0, 2.0]);
    assert_eq!(payload.to_vec::<u8>().unwrap().len(), 16);
    assert_eq!(payload.to_bytes().unwrap().len(), 16);
    let (sent, asked) = (ElementType::of::<f64>(), ElementType::of::<u32>());
    assert_eq!(payload.to_vec::<u32>(), Err(PayloadError::TypeMismatch { sent, asked }));
    let message = payload.to_vec::<u32>().unwrap_err().to_string();
    assert_eq!(message, "the data was sent as f64 but is read as u32: read it as f64 or as u8");
}

#[test]
fn plain_bytes_read_as_every_type_that_fits() {
    for payload in [
        Payload::from(vec![0u8; 8]),
        Payload::from(Bytes::from(vec![0; 8])),
        "\0".repeat(8).as_str().into(),
        "\0".repeat(8).into(),
    ] {
        assert_eq!(payload.element(), None);
        assert_eq!(payload.to_vec::<u64>().unwrap(), [0]);
        assert_eq!(payload.to_vec::<[u16; 2]>().unwrap(), [[0; 2]; 2]);
        let error = PayloadError::PartialElement { len: 8, element: ElementType::of::<[u8; 3]>() };
        assert_eq!(payload.to_vec::<[u8; 3]>(), Err(error));
    }
}

#[test]
fn unaligned_and_scattered_data_reads_right() {
    let words = Payload::from(vec![0x0101_0101u32, 0x0202_0202, 0x0303_0303]);
    let middle = words.slice(1..9).unwrap();
    assert_eq!(middle.element(), None);
    let expected = [[1, 1, 1, 2], [2, 2, 2, 3]].map(u32::from_ne_bytes);
    assert_eq!(middle.to_vec::<u32>().unwrap(), expected);
    let scattered = Payload::concat([words.slice(1..2).unwrap(), words.slice(4..7).unwrap()]);
    assert_eq!(scattered.to_vec::<u32>().unwrap(), [u32::from_ne_bytes([1, 2, 2, 2])]);
}

#[test]
fn a_chain_keeps_its_type_only_if_all_parts_share_it() {
    let f64s = || Payload::from([1.0f64, 2.0]);
    let element = Some(ElementType::of::<f64>());
    assert_eq!(Payload::concat([f64s(), Payload::empty(), f64s()]).element(), element);
    assert_eq!(Payload::concat([Payload::from([0u32; 0]), f64s()]).element(), element);
    assert_eq!(Payload::concat([f64s(), Payload::from([1u64])]).element(), None);
    assert_eq!(Payload::concat([f64s(), Payload::from("text")]).element(), None);

    let mut whole = f64s();
    let tail = whole.split_off(8).unwrap();
    assert_eq!((whole.element(), tail.element()), (element, element));
    let rest = whole.split_off(3).unwrap();
    assert_eq!((whole.element(), rest.element()), (None, None));
}

#[test]
fn an_empty_payload_has_no_type_and_no_segment() {
    let mut split = Payload::from([1.0f64]);
    let all = split.split_off(0).unwrap();
    assert_eq!(all.element(), Some(ElementType::of::<f64>()));
    for empty in [split, Payload::empty(), Payload::from(Vec::<f64>::new()), "".into(), Payload::phantom(0)] {
        assert!(empty.is_empty() && empty.segments().is_empty() && !empty.is_phantom());
        assert_eq!(empty.element(), None);
        assert!(empty.to_vec::<u32>().unwrap().is_empty());
        assert!(empty.to_bytes().unwrap().is_empty());
    }
}

#[test]
fn elements_without_size_make_an_empty_payload() {
    let payload = Payload::from(vec![(); 3]);
    assert!(payload.is_empty());
    assert!(payload.to_vec::<()>().unwrap().is_empty());
    assert!(Payload::from([1u8]).to_vec::<()>().is_err());
}

#[test]
fn phantom_data_has_a_length_and_nothing_else() {
    let mut payload = Payload::concat([Payload::phantom(1 << 40), Payload::phantom(1), Payload::from([7u8])]);
    assert_eq!(payload.segments().len(), 2);
    assert!(payload.is_phantom());
    let error = PayloadError::Phantom { phantom: (1 << 40) + 1, len: (1 << 40) + 2 };
    assert_eq!(payload.to_bytes(), Err(error.clone()));
    assert_eq!(payload.to_vec::<u8>(), Err(error));
    assert_eq!(payload.split_off((1 << 40) + 1).unwrap().to_vec::<u8>().unwrap(), [7]);
}

#[test]
fn lengths_saturate() {
    let mut payload = Payload::from("head");
    payload.append(Payload::phantom(u64::MAX));
    payload.append(Payload::phantom(1));
    assert_eq!(payload.len(), u64::MAX);
    assert_eq!(payload.split_off(4).unwrap().len(), u64::MAX - 4);
    assert_eq!(payload.to_bytes().unwrap(), "head");
}

#[test]
fn cuts_outside_are_errors() {
    let mut payload = Payload::from("abc");
    let past = PayloadError::OutOfRange { start: 4, end: 4, len: 3 };
    assert_eq!(payload.split_off(4).unwrap_err(), past);
    assert_eq!(payload.slice(4..).unwrap_err(), past);
    assert!(payload.slice(..=3).is_err());
    assert!(payload.slice(..=u64::MAX).is_err());
    assert!(payload.slice((Bound::Included(2), Bound::Excluded(1))).is_err());
    assert_eq!(payload.len(), 3);
}

#[test]
fn debug_shows_lengths_not_data() {
    let payload = Payload::concat(["secret".into(), Payload::phantom(9)]);
    let shown = format!("{payload:?}");
    assert_eq!(shown, "Payload { len: 15, element: None, segments: [Data(6), Phantom(9)] }");
}

/// Returns the bytes of a payload one by one, `None` for phantom bytes.
fn spelled_out(payload: &Payload) -> Vec<Option<u8>> {
    let spell = |segment: &Segment| match segment {
        Segment::Data(bytes) => bytes.iter().copied().map(Some).collect(),
        Segment::Phantom(len) => vec![None; *len as usize],
    };
    payload.segments().iter().flat_map(spell).collect()
}

#[derive(Clone, Debug)]
enum Edit {
    Append(Vec<u8>),
    AppendPhantom(u8),
    /// Cuts at this many 255ths of the length and swaps the two parts.
    Rotate(u8),
    Keep(u8, u8),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(Edit::Append),
        (0u8..20).prop_map(Edit::AppendPhantom),
        any::<u8>().prop_map(Edit::Rotate),
        (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Edit::Keep(a.min(b), a.max(b))),
    ];
    proptest::collection::vec(edit, 0..30)
}

proptest! {
    /// Any sequence of edits has the same effect on a payload as on a vector of bytes.
    #[test]
    fn edits_are_those_of_a_vector(edits in edits()) {
        let mut payload = Payload::empty();
        let mut model: Vec<Option<u8>> = Vec::new();
        for edit in edits {
            let place = |fraction: u8| model.len() * usize::from(fraction) / 255;
            match edit {
                Edit::Append(bytes) => {
                    model.extend(bytes.iter().copied().map(Some));
                    payload.append(Payload::from(bytes));
                }
                Edit::AppendPhantom(len) => {
                    model.extend(iter::repeat_n(None, len.into()));
                    payload.append(Payload::phantom(len.into()));
                }
                Edit::Rotate(at) => {
                    let at = place(at);
                    model.rotate_left(at);
                    let mut tail = payload.split_off(at as u64).unwrap();
                    tail.append(payload);
                    payload = tail;
                }
                Edit::Keep(start, end) => {
                    let range = place(start)..place(end);
                    payload = payload.slice(range.start as u64..range.end as u64).unwrap();
                    model = model[range].to_vec();
                }
            }
            prop_assert_eq!(spelled_out(&payload), model.clone());
            prop_assert_eq!(payload.len(), model.len() as u64);
            prop_assert_eq!(payload.is_phantom(), model.contains(&None));
            prop_assert!(payload.segments().iter().all(|segment| !segment.is_empty()));
            let real: Option<Vec<u8>> = model.iter().copied().collect();
            prop_assert_eq!(payload.to_vec::<u8>().ok(), real.clone());
            prop_assert_eq!(payload.to_bytes().ok().map(|bytes| bytes.to_vec()), real);
        }
    }
}

#[test]
fn truth_values_are_sent_as_such_and_checked_where_they_come_from_bytes() {
    let answers = [true, false, true];
    let payload = Payload::from(answers);
    assert_eq!((payload.len(), payload.element()), (3, Some(ElementType::of::<bool>())));
    assert_eq!(payload.to_vec::<bool>().unwrap(), answers);
    assert_eq!(payload.elements::<bool>().unwrap(), &answers[..]);
    assert_eq!(payload.to_vec::<u8>().unwrap(), [1, 0, 1]);

    let bytes = Payload::concat([Payload::from(vec![0_u8, 1]), Payload::from(vec![1_u8, 2, 1])]);
    let expected = PayloadError::Invalid { at: 3, bytes: vec![2], element: ElementType::of::<bool>() };
    assert_eq!(bytes.to_vec::<bool>(), Err(expected.clone()));
    assert_eq!(bytes.elements::<bool>(), Err(expected.clone()));
    assert_eq!(bytes.copy_to(&mut [true; 5]), Err(expected.clone()));
    assert_eq!(expected.to_string(), "element 3 is not a valid bool: its bytes are [2]");
    assert_eq!(bytes.slice(..3).unwrap().to_vec::<bool>().unwrap(), [false, true, true]);
}

#[test]
fn a_slice_of_another_length_is_told_and_the_way_out() {
    let payload = Payload::from(vec![1.5_f64; 10]);
    let error = payload.copy_to(&mut [0.0_f64; 8]).unwrap_err();
    let element = ElementType::of::<f64>();
    assert_eq!(error, PayloadError::OtherLength { len: 80, room: 64, element });
    let text = "the data has 10 elements of f64, the slice 8 elements of f64: give a longer slice, or take the first \
                elements by `copy_prefix_to`";
    assert_eq!(error.to_string(), text);
    let error = payload.copy_to(&mut [0.0_f64; 11]).unwrap_err();
    assert!(error.to_string().contains("the slice 11 elements of f64: give a shorter slice"), "{error}");
    let mut part = [0.0; 8];
    assert_eq!(payload.copy_prefix_to(&mut part), Ok(8));
    assert_eq!(part, [1.5; 8]);
    let mut longer = [0.0; 11];
    assert_eq!(payload.copy_prefix_to(&mut longer), Ok(10));
    assert_eq!(longer[8..], [1.5, 1.5, 0.0]);
    assert_eq!(payload.copy_into(&mut part), Err(PayloadError::TooLong { len: 80, room: 64, element }));
    assert_eq!(payload.copy_into(&mut longer), Ok(10));
    assert!(matches!(payload.copy_into(&mut [0_u8; 2]), Err(PayloadError::TooLong { .. })), "of any type");
    assert!(matches!(payload.copy_into(&mut [0_u32; 2]), Err(PayloadError::TypeMismatch { .. })));
    assert_eq!(Payload::empty().copy_prefix_to(&mut part), Ok(0));
}

#[test]
fn a_value_is_a_payload_of_one_element() {
    assert_eq!(Payload::from(7_u16).to_vec::<u16>().unwrap(), [7]);
    assert_eq!(Payload::from('A').to_value::<char>(), Ok('A'));
    assert_eq!(Payload::from([[1.5, 2.5]]).to_value::<[f64; 2]>(), Ok([1.5, 2.5]));
    let element = ElementType::of::<u32>();
    let error = Payload::from(vec![1_u32, 2]).to_value::<u32>().unwrap_err();
    assert_eq!(error, PayloadError::NotOne { len: 8, element });
    assert_eq!(error.to_string(), "message has 8 bytes, one u32 has 4: use `to_vec` to take any number");
    assert_eq!(Payload::empty().to_value::<u32>(), Err(PayloadError::NotOne { len: 0, element }));
}

#[test]
fn a_pair_has_no_gap_and_compares_as_a_tuple() {
    let pairs = [Pair::new(1_u8, 2.5_f64), Pair::new(1, -1.0)];
    let payload = Payload::from(pairs);
    assert_eq!(payload.len(), 18);
    assert_eq!(payload.to_vec::<Pair<u8, f64>>().unwrap(), pairs);
    assert_eq!(pairs.map(<(u8, f64)>::from), [(1, 2.5), (1, -1.0)]);
    assert!(pairs[1] < pairs[0]);
    assert_eq!(Payload::from(Pair::from((3_i64, 'a' as u32))).to_value(), Ok(Pair::new(3_i64, 97_u32)));
}

#[test]
fn elements_read_the_same_at_any_address_and_across_segments() {
    let numbers: Vec<u32> = (0..20).map(|number| number * 0x0102_0304).collect();
    let mut bytes = vec![0_u8];
    bytes.extend(numbers.iter().flat_map(|number| number.to_ne_bytes()));
    let odd = Payload::from(bytes).slice(1..).unwrap();
    assert_eq!(odd.to_vec::<u32>().unwrap(), numbers, "not where a u32 may lie");
    let mut there = [0; 20];
    odd.copy_to(&mut there).unwrap();
    assert_eq!(there[..], numbers);
    for at in 0..odd.len() {
        let (head, tail) = (odd.slice(..at).unwrap(), odd.slice(at..).unwrap());
        // The tail is copied to separate memory, so that the parts are not contiguous.
        let tail = Payload::from(tail.to_vec::<u8>().unwrap());
        let cut = Payload::concat([head, tail]);
        assert_eq!(cut.to_vec::<u32>().unwrap(), numbers, "cut at {at}");
        let mut there = [0; 20];
        cut.copy_to(&mut there).unwrap();
        assert_eq!(there[..], numbers, "cut at {at}");
    }
    let letters = Payload::from(vec!['A', 'ß', '\u{10ffff}']);
    assert_eq!(letters.to_vec::<char>().unwrap(), ['A', 'ß', '\u{10ffff}']);
    assert!(matches!(Payload::from(vec![0xff_u8; 4]).to_vec::<char>(), Err(PayloadError::Invalid { .. })));
}
