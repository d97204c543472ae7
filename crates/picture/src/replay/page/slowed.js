// Who slowed whom: the messages that moved over the bottleneck of a message while it was slowed.

/** Whether the bytes of a message use a bottleneck: a link, the in-port of a node, or both ports of a node. */
function uses(model, nth, [place]) {
  const from = model.messages.from[nth], to = model.messages.to[nth];
  if (place.link !== undefined) return model.crosses(nth, place.link);
  return place["in-port"] !== undefined ? to === place["in-port"] : from === place.ports || to === place.ports;
}

/**
 * For each bottleneck at which a message was slowed: its index, and the other messages on it with the times for which
 * they shared it, the longest first. A message is slowed in the shares in which it moves fewer bytes than it would alone.
 */
function slowedBy(model, nth) {
  const { leaving, lost } = model.messages;
  const alone = leaving[nth] - lost[nth], entered = model.entered[nth];
  // Progress is stored in parts of 1e9.
  const rounding = 1 + (2 * alone) / PARTS;
  const others = model.moving(entered, model.left[nth]).filter((other) => other !== nth);
  const places = new Map();
  let [start, gone] = [0, 0];
  const shares = model.shares[nth] ?? [];
  for (let at = 0; at < shares.length; at += 3) {
    const [end, next, place] = shares.slice(at, at + 3);
    if (place >= 0 && end - start - (alone * (next - gone)) / PARTS > rounding) {
      if (!places.has(place)) {
        const rivals = others.filter((other) => uses(model, other, model.places[place]));
        places.set(place, new Map(rivals.map((other) => [other, 0])));
      }
      const times = places.get(place);
      for (const [other, time] of times) {
        const both = Math.min(model.left[other], entered + end) - Math.max(model.entered[other], entered + start);
        times.set(other, time + Math.max(0, both));
      }
    }
    [start, gone] = [end, next];
  }
  return [...places].map(([place, times]) => {
    const shared = [...times].filter(([, time]) => time > 0).sort((one, next) => next[1] - one[1] || one[0] - next[0]);
    return { place, shared };
  });
}

function tellSlowed(model, nth) {
  return slowedBy(model, nth).map(({ place, shared }) => {
    const names = shared.map(([other, time]) => `${model.nameOfMessage(other)} (for ${exact(time)})`);
    const reason = names.length > 0 ? `shared with ${listed(names)}` : "which no other message used meanwhile";
    return `slowed at ${model.places[place][1]}, ${reason}`;
  });
}

/** The messages with the largest delays, the largest first. */
function mostDelayed(model, most = 10) {
  const { lost } = model.messages;
  const delayed = lost.map((_, nth) => nth).filter((nth) => lost[nth] > 0);
  return delayed.sort((one, next) => lost[next] - lost[one] || one - next).slice(0, most);
}

