// Put behind the program of a page of `--replay` with two runs, this points, zooms and uses keys as a reader does, compares what is
// lit with the data of the page, and says on the console what it found.
(async () => {
  const found = { wrong: [], width: window.innerWidth };
  const element = (id) => document.getElementById(id);
  const data = JSON.parse(element("data").textContent);
  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const frames = async () => {
    for (let nth = 0; nth < 3; nth++) await new Promise(requestAnimationFrame);
  };
  const holds = (what, is) => {
    if (!is) found.wrong.push(what);
  };
  const same = (what, one, other) => holds(`${what}: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`, JSON.stringify(one) === JSON.stringify(other));
  const near = (what, one, other, most) => holds(`${what}: ${one} is not ${other}`, Math.abs(one - other) <= most);
  const shown = () => [...document.querySelectorAll(".panel")].map((panel, nth) => ({
    run: data.runs[nth],
    network: panel.querySelector(".network"),
    diagram: panel.querySelector(".diagram"),
    delayed: panel.querySelector(".delayed"),
  }));
  const pointer = (target, kind, x, y, more = {}) => {
    const { left, top } = target.getBoundingClientRect();
    target.dispatchEvent(new PointerEvent(kind, { clientX: left + x, clientY: top + y, bubbles: true, ...more }));
  };
  const press = (target, key, more = {}) =>
    target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const lit = () => replay.state().lit;
  const isDark = () => lit().every((light) => light.messages.length + light.links.length + light.nodes.length === 0);

  const style = getComputedStyle(document.documentElement);
  const rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  /** A copy of a picture that can be read often. */
  const copyOf = (canvas) => {
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    copy.getContext("2d", { willReadFrequently: true }).drawImage(canvas, 0, 0);
    return copy;
  };
  /** Counts the pixels of a colour, in all of a copy or around a position; the edges of lines differ from the colour. */
  const count = (copy, name, [x, y, size] = [], most = 0) => {
    const ratio = Math.min(2, window.devicePixelRatio);
    const area = size ? [x - size / 2, y - size / 2, size, size].map((length) => Math.round(length * ratio)) : [0, 0, copy.width, copy.height];
    const { data } = copy.getContext("2d").getImageData(...area);
    const colour = [...rgb(style.getPropertyValue(`--${name}`).trim()), 255];
    let found = 0;
    for (let at = 0; at < data.length; at += 4) if (colour.every((value, nth) => Math.abs(data[at + nth] - value) <= most)) found++;
    return found;
  };
  const pixels = (canvas, name) => count(copyOf(canvas), name);

  // What belongs together, from the data of the page.
  const routeOf = ({ routes, messages }, nth) => routes[messages.route[nth]];
  const likeIt = ({ messages }, from, to) => [...messages.from.keys()].filter((nth) => messages.from[nth] === from && messages.to[nth] === to);
  const twin = (run, nth, other) => {
    const [from, to] = [run.messages.from[nth], run.messages.to[nth]];
    return likeIt(other, from, to)[likeIt(run, from, to).indexOf(nth)];
  };
  const times = (run) => {
    let entered = 0;
    return run.messages.entered.map((step, nth) => {
      const left = (entered += step) + run.messages.leaving[nth];
      return { entered, left, arrived: left + run.messages.flying[nth] };
    });
  };
  const expectMessage = (what, side, nth) => {
    const runs = shown().map((panel) => panel.run);
    runs.forEach((run, other) => {
      const message = other === side ? nth : twin(runs[side], nth, run);
      same(`${what}, its message on side ${other}`, lit()[other].messages, message === undefined ? [] : [message]);
      same(`${what}, its route on side ${other}`, lit()[other].links, message === undefined ? [] : routeOf(run, message));
    });
  };
  /** Counts the lit pixels of every picture. */
  const litPixels = async () => {
    await frames();
    return shown().map(({ network, diagram }) => [network, diagram].map((canvas) => pixels(canvas, "lit")));
  };

  try {
    const [one, two] = shown();
    const room = one.diagram.clientWidth - 56;
    const end = replay.state().end;
    replay.seek(0);
    same("nothing is lit in the beginning", await litPixels(), [[0, 0], [0, 0]]);

    // A message of the diagram by a mouse, one that the other run has too.
    let nth = -1, place;
    for (let x = 60; x < one.diagram.clientWidth && nth < 0; x += 3) {
      for (let y = 60; y < one.diagram.clientHeight - 25 && nth < 0; y += 3) {
        pointer(one.diagram, "pointermove", x, y);
        if (lit()[0].messages.length === 1 && lit()[1].messages.length === 1) [nth, place] = [lit()[0].messages[0], [x, y]];
      }
    }
    holds("a line is found", nth >= 0);
    expectMessage("a line under the mouse", 0, nth);
    holds("a line has a tooltip", element("tip").textContent.startsWith(`${one.run.messages.from[nth]} to ${one.run.messages.to[nth]}: `));
    (await litPixels()).flat().forEach((count, at) => holds(`picture ${at} is lit: ${count}`, count > 10));
    pointer(one.diagram, "pointerleave", 0, 0);
    same("nothing stays lit by a mouse", await litPixels(), [[0, 0], [0, 0]]);

    // By a finger it stays, until another place is touched.
    pointer(one.diagram, "pointermove", ...place, { pointerType: "touch" });
    pointer(one.diagram, "pointerleave", ...place, { pointerType: "touch" });
    const [touched] = lit()[0].messages;
    holds("a line under a finger", touched !== undefined);
    expectMessage("a line under a finger", 0, touched);
    pointer(document.body, "pointerdown", 0, 0, { pointerType: "touch" });
    holds("another place is dark", isDark());

    // A row, and a node of the network.
    const row = one.diagram.clientHeight - 25;
    pointer(one.diagram, "pointermove", 10, row);
    const last = one.run.rows.at(-1);
    same("a row", lit().map((light) => light.nodes), [[last], [last]]);
    (await litPixels()).flat().forEach((count, at) => holds(`picture ${at} has its node lit: ${count}`, count > 10));
    pointer(one.diagram, "pointerleave", 0, 0);

    // The links of the network, the messages that used them, and the critical path.
    const path = new Set();
    for (let at = 0; at < one.run.path.length; at += 4) {
      const [from, begin, to, stop] = one.run.path.slice(at, at + 4);
      const all = times(one.run);
      const message = likeIt(one.run, from, to).find((nth) => all[nth].entered <= begin && all[nth].arrived >= stop);
      holds(`stretch ${at} of the path has its message`, from === to || message !== undefined);
      if (from !== to) routeOf(one.run, message).forEach((link) => path.add(link));
    }
    holds("the path moves over links", path.size > 0);
    await frames();
    const edges = new Map(), picture = copyOf(one.network);
    for (let x = 0; x < one.network.clientWidth; x += 5) {
      for (let y = 0; y < one.network.clientHeight; y += 5) {
        pointer(one.network, "pointermove", x, y);
        const { links, messages } = lit()[0];
        if (links.length !== 1 || !element("tip").textContent.includes("in total")) continue;
        const used = [...one.run.messages.from.keys()].filter((nth) => one.run.messages.leaving[nth] > 0 && routeOf(one.run, nth).includes(links[0]));
        if (!edges.has(links[0])) same(`link ${links[0]}`, messages, used);
        const around = count(picture, "path", [x, y, 16], 80);
        edges.set(links[0], [...(edges.get(links[0]) ?? []), around]);
      }
    }
    pointer(one.network, "pointerleave", 0, 0);
    found.links = edges.size;
    for (const link of path) if (edges.has(link)) holds(`link ${link} of the critical path`, Math.max(...edges.get(link)) > 3);
    holds("links beside the critical path", [...edges].some(([link, edge]) => !path.has(link) && edge.includes(0)));

    // Every message, also one of several between two nodes, by the interface for scripts.
    shown().forEach(({ run }, side) => run.messages.from.forEach((_, nth) => {
      replay.light(side, "message", nth);
      expectMessage(`message ${nth} of side ${side}`, side, nth);
    }));

    // The dots of the messages of a link are lit where they are.
    const far = [...one.run.messages.from.keys()].find((nth) => routeOf(one.run, nth).length > 1 && one.run.messages.leaving[nth] > 0);
    replay.light(0, "link", routeOf(one.run, far)[0]);
    const [[alone]] = await litPixels();
    replay.seek(times(one.run)[far].left - one.run.messages.leaving[far] / 20);
    const [[withDot]] = await litPixels();
    holds(`a dot is lit: ${alone}, ${withDot}`, withDot > alone + 20);
    replay.light();

    // By keys.
    for (const [side, { network, diagram, run }] of shown().entries()) {
      diagram.focus();
      holds("the focus is seen", getComputedStyle(diagram).outlineStyle === "solid" && parseFloat(getComputedStyle(diagram).outlineWidth) >= 2);
      press(diagram, "m");
      const first = lit()[side].messages[0];
      expectMessage("a message by keys", side, first);
      press(diagram, "m");
      press(diagram, "M", { shiftKey: true });
      expectMessage("a message forth and back by keys", side, first);
      holds("it is told", element("told").textContent.startsWith(`${run.messages.from[first]} to ${run.messages.to[first]}: `));
      holds("its tooltip is seen", !element("tip").hidden);
      press(diagram, "Enter");
      same("the time of a message", replay.state().time, times(run)[first].entered);
      press(diagram, "Escape");
      holds("Escape leaves it", isDark() && element("tip").hidden);
      replay.seek(end * 0.1);
      const entries = times(run);
      network.focus();
      press(network, "m");
      for (const nth of lit()[side].messages) {
        holds("a message in transit", entries[nth].entered <= end * 0.1 && entries[nth].arrived > end * 0.1);
      }
      press(network, "n");
      same("a node by keys", lit()[side].nodes, [0]);
      press(network, "l");
      same("a link by keys", lit()[side].links, [run.links[0][0]]);
      network.blur();
      holds("without focus it is dark", isDark());
    }

    // The range of time: both diagrams have the same.
    const state = () => replay.state();
    const at = (x) => state().from + ((x - 48) / room) * (state().to - state().from);
    const wheel = (target, x, more) => target.dispatchEvent(
      new WheelEvent("wheel", { clientX: target.getBoundingClientRect().left + x, bubbles: true, cancelable: true, ...more }));
    replay.seek(end / 2);
    wheel(one.diagram, 200, { deltaY: -100 });
    same("the wheel scrolls the page", [state().from, state().to], [0, end]);
    const before = at(200);
    wheel(one.diagram, 200, { deltaY: -300, ctrlKey: true });
    holds("the wheel zooms", state().to - state().from < end / 3);
    near("at the pointer", at(200), before, end / 1e5);
    pointer(two.diagram, "pointerdown", 48 + room * 0.25, 100);
    near("in the other diagram too", state().time, at(48 + room * 0.25), end / 1e5);
    pointer(two.diagram, "pointerup", 48 + room * 0.25, 100);
    const { from, to } = state();
    wheel(one.diagram, 200, { deltaY: 50, shiftKey: true });
    holds("Shift and the wheel move", state().from > from && Math.abs(state().to - state().from - (to - from)) < 2);
    await wait(500);
    holds(`the range is in the address: ${location.hash}`, location.hash.includes(`&from=${state().from}&to=${state().to}`));
    element("whole").click();
    same("the whole run", [state().from, state().to], [0, end]);
    await wait(500);
    holds("the whole run is not in the address", !location.hash.includes("from"));
    location.hash = `#t=${Math.round(end / 2)}&from=${Math.round(end * 0.4)}&to=${Math.round(end * 0.6)}&links=total&runs=0,1`;
    await wait(200);
    same("the range of an address", [state().from, state().to], [Math.round(end * 0.4), Math.round(end * 0.6)]);
    same("the links of an address", element("total").getAttribute("aria-pressed"), "true");
    replay.seek(end);
    holds("the range follows the time", state().to >= end && state().from > end * 0.5);
    replay.zoom();
    replay.seek(end / 2);
    one.diagram.focus();
    press(one.diagram, "z");
    near("Z zooms in", state().to - state().from, end / 2, 2);
    press(one.diagram, ".");
    near("a full stop moves", state().from, end * 0.375, 2);
    press(one.diagram, ",");
    near("a comma moves back", state().from, end * 0.25, 2);
    replay.seek(end * 0.4);
    for (let nth = 0; nth < 9; nth++) press(one.diagram, ".");
    await frames();
    same("the cursor may be outside of the range", [state().to, state().time < state().from], [end, true]);
    for (let nth = 0; nth < 9; nth++) press(one.diagram, ",");
    replay.seek(end / 2);
    replay.zoom(end / 4, (end * 3) / 4);
    press(one.diagram, "Z", { shiftKey: true });
    same("Shift and Z zoom out", [state().from, state().to], [0, end]);
    element("nearer").click();
    element("later").click();
    near("buttons", state().from, end * 0.375, 2);
    element("earlier").click();
    element("farther").click();
    same("buttons back", [state().from, state().to], [0, end]);
    press(one.diagram, "z");
    press(one.diagram, "0");
    same("0 is the whole run", [state().from, state().to], [0, end]);
    // Two fingers from the middle half of the diagram to all of it, then a drag with Shift by a quarter.
    const finger = (kind, pointerId, part, more) =>
      pointer(one.diagram, kind, 48 + room * part, 100, { pointerId, buttons: 1, pointerType: "touch", ...more });
    [
      ["pointerdown", 1, 0.1], ["pointermove", 1, 0.25], ["pointerdown", 2, 0.75], ["pointermove", 1, 0], ["pointermove", 2, 1],
      ["pointerup", 1, 0], ["pointerup", 2, 1],
    ].forEach((event) => finger(...event));
    near("two fingers zoom, from", state().from, end * 0.25, end / 100);
    near("two fingers zoom, to", state().to, end * 0.75, end / 100);
    const mouse = { shiftKey: true, pointerType: "mouse" };
    [["pointerdown", 3, 0.5, mouse], ["pointermove", 3, 0.25, mouse], ["pointerup", 3, 0.25, mouse]].forEach((event) => finger(...event));
    near("a drag with Shift", state().from, end * 0.375, end / 100);
    replay.zoom();

    // The load of links.
    const visible = (what) => [...document.querySelectorAll(`#legend .${what}`)].filter((item) => item.offsetHeight > 0).length;
    element("total").click();
    replay.seek(0);
    await frames();
    const loads = shown().map(({ run }) => Math.max(...run.links.map((link) => link[3] / run.end)));
    near("the scale of the load", parseFloat(element("heaviest").textContent) / 100, Math.max(...loads), 0.001);
    const heaviest = loads.indexOf(Math.max(...loads));
    holds("the heaviest link has the last colour of the scale", pixels(shown()[heaviest].network, "heavy") > 3);
    same("its legend", [visible("total") > 0, visible("now")], [true, 0]);
    await wait(500);
    holds("the load is in the address", location.hash.includes("&links=total"));
    element("now").click();
    await frames();
    same("links as they are now", [pixels(shown()[heaviest].network, "heavy"), visible("total"), visible("now") > 0], [0, 0, true]);

    // The most delayed messages.
    found.slowed = [];
    for (const [side, { run, delayed }] of shown().entries()) {
      const all = [...run.messages.lost.keys()].filter((nth) => run.messages.lost[nth] > 0);
      const most = all.sort((one, next) => run.messages.lost[next] - run.messages.lost[one] || one - next).slice(0, 10);
      const buttons = [...delayed.querySelectorAll("button")];
      same("the number of delayed messages", buttons.length, most.length);
      buttons.forEach((button, nth) => {
        button.focus();
        expectMessage("a delayed message with the focus", side, most[nth]);
        button.blur();
        holds("a delayed message without the focus", isDark());
        button.click();
        expectMessage("a delayed message", side, most[nth]);
        same("its time", replay.state().time, times(run)[most[nth]].entered);
        const told = button.parentElement.querySelector("p").textContent;
        const by = replay.slowed(side, most[nth]);
        by.forEach(({ place, shared }) => shared.slice(0, 6).forEach(([other]) =>
          holds(`${told} names ${other}`, told.includes(place) && told.includes(`${run.messages.from[other]} to ${run.messages.to[other]} (for `))));
      });
      document.activeElement.blur();
      found.slowed.push(all.map((nth) => [nth, replay.slowed(side, nth).flatMap(({ shared }) => shared.map(([other]) => other))]));
    }

    // The contrasts of both displays, by the variables of the style sheet.
    const luminance = (colour) => {
      const [red, green, blue] = colour.map((value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
      const [low, high] = [luminance(one), luminance(other)].sort((one, next) => one - next);
      return (high + 0.05) / (low + 0.05);
    };
    const variables = (rule) => Object.fromEntries([...rule.style].filter((name) => name.startsWith("--")).map((name) => [name.slice(2), rule.style.getPropertyValue(name).trim()]));
    const rules = [...document.styleSheets[0].cssRules];
    const media = (text) => rules.filter((rule) => rule.media?.mediaText.includes(text)).flatMap((rule) => [...rule.cssRules]);
    const light = variables(rules.find((rule) => rule.selectorText === ":root"));
    const dark = { ...light, ...variables(media("dark").find((rule) => rule.selectorText === ":root")) };
    same("all colours have one for the dark", Object.keys(variables(media("dark")[0])).sort(), Object.keys(light).sort());
    for (const [display, colours] of Object.entries({ light, dark })) {
      const ground = rgb(colours.ground);
      const over = (colour) => {
        const opacity = colour.length > 7 ? parseInt(colour.slice(7), 16) / 255 : 1;
        return rgb(colour).map((value, nth) => value * opacity + ground[nth] * (1 - opacity));
      };
      for (const [name, colour] of Object.entries(colours)) {
        if (["ground", "none"].includes(name)) continue;
        const least = ["ink", "faint"].includes(name) ? 4.5 : 3;
        const is = contrast(over(colour), ground);
        holds(`${name} on a ${display} display has a contrast of ${is}`, is >= least);
      }
      // Names of steps are on bands of the colour of lines, which are not opaque.
      const band = rgb(colours.line).map((value, nth) => value * 0.6 + ground[nth] * 0.4);
      holds(`names of steps on a ${display} display`, contrast(rgb(colours.ink), band) >= 4.5);
    }
    holds("controls are not printed", media("print").some((rule) => rule.selectorText?.includes("#controls") && rule.style.display === "none"));

    // By keys alone: everything that can be used has the focus, a name and a size.
    for (const part of document.querySelectorAll("button, select, input, canvas")) {
      if (part.offsetHeight === 0) continue;
      const name = part.getAttribute("aria-label") || part.textContent || part.labels?.[0]?.textContent;
      holds(`${part.outerHTML} can be used`, part.tabIndex >= 0 && name.trim() !== "" && part.offsetHeight >= 24 && part.offsetWidth >= 24);
    }
    holds("keys are described", [...document.querySelectorAll("canvas")].every((canvas) => element(canvas.getAttribute("aria-describedby")).textContent.includes("Shift")));
    holds("the page is not wider than the window", document.documentElement.scrollWidth <= window.innerWidth);

    // With less motion playback is a picture every second.
    const usual = window.matchMedia;
    window.matchMedia = (query) => (query.includes("reduced-motion: reduce") ? { matches: true } : usual.call(window, query));
    replay.speed(0.5);
    replay.seek(0);
    replay.play();
    let pictures = 0;
    for (let now = 0, nth = 0; nth < 60; nth++) {
      await wait(40);
      if (replay.state().time !== now) [now, pictures] = [replay.state().time, pictures + 1];
    }
    holds(`${pictures} pictures with less motion`, pictures >= 1 && pictures <= 3);
    replay.pause();
    window.matchMedia = usual;
  } catch (error) {
    found.error = `${error} ${error.stack}`;
  }
  console.log(`REPORT ${JSON.stringify(found)}`);
})();
