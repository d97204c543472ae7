// What is lit: from the target that is pointed at, what belongs to it in the pictures of each run.
//
// A target is `{ kind, nth }`: a message, a link, a node (or, from the number of nodes on, a switch), or a band of the diagram.

const DARK = { messages: [], links: [], nodes: [] };

/** What belongs to a target of one run in the pictures of a run: the same one, or one beside it. */
function lightOf({ kind, nth }, model, shown) {
  if (kind === "message") {
    const same = shown === model ? nth : model.twin(nth, shown);
    return same < 0 ? DARK : { messages: [same], links: shown.routeOf(same), nodes: [] };
  }
  if (kind === "node") return nth < shown.network.places.length / 2 ? { ...DARK, nodes: [nth] } : DARK;
  if (kind !== "link" || shown.network !== model.network) return DARK;
  const messages = [...shown.entered.keys()].filter((other) => shown.crosses(other, nth));
  return { messages, links: [nth], nodes: [] };
}

