// The words that all lessons use.

export const WORDS = [
  ["node", "a processor with its own memory, joined to others by links of a network"],
  ["ms, us, ns", "a thousandth, a millionth and a billionth of a second"],
  ["KiB, MiB", "1024 bytes, and 1024 times as much"],
  ["start-up, alpha", "the fixed part of the time of a message, however short the message is"],
  ["o_s, o_r", "the parts of alpha in which the sender and the receiver are busy"],
  ["beta", "the time per byte of a message"],
  ["port", "where a node sends into the network or receives from it, one message at a time on most machines"],
  ["lower bound", "a time that no algorithm can beat; the page tells what its proof counts"],
  ["vector", "a list of numbers, here of 8 bytes each"],
  ["crossover", "the length from which on another algorithm is the fastest: a circle on the chart"],
  [
    "words behind a bar",
    "the variant of the algorithm that was the fastest; overlapped: a node starts its next message while earlier ones are under way, " +
      "in turn: one after the other",
  ],
];
