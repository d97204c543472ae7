// The list of the most delayed messages of a run: each is a button that goes to the message and lights it.

function listDelayed(panel) {
  const model = models[panel.shown];
  const all = mostDelayed(model);
  panel.delayed.replaceChildren();
  make("h2", { textContent: "Most delayed messages" }, panel.delayed);
  if (all.length === 0) make("p", { textContent: "No message was delayed in the network." }, panel.delayed);
  const list = make("ol", {}, panel.delayed);
  for (const nth of all) {
    const item = make("li", {}, list);
    const text = `${model.nameOfMessage(nth)} at ${exact(model.entered[nth])}: delayed by ${exact(model.messages.lost[nth])}`;
    const button = make("button", { type: "button", textContent: text }, item);
    make("p", { className: "small", textContent: tellSlowed(model, nth).join("; ") }, item);
    const lights = () => hold({ panel, target: { kind: "message", nth } });
    const rests = () => document.activeElement !== button && hold(null);
    button.addEventListener("focus", lights);
    button.addEventListener("pointerenter", lights);
    button.addEventListener("pointerleave", rests);
    button.addEventListener("blur", rests);
    button.addEventListener("click", () => {
      // Not every browser focuses a button that is clicked.
      button.focus();
      lights();
      replay.seek(model.entered[nth]);
    });
  }
}

