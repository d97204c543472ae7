// Put behind the program of a page of `--replay`, this uses it as a reader does, and says on the console what it found.
(async () => {
  const loaded = performance.now();
  const found = { loaded, opened: window.replay.state(), address: location.hash };
  const element = (id) => document.getElementById(id);
  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const all = () => window.replay.state().runs.map((run) => run.all);
  try {
    found.hasStatus = element("status").textContent;
    replay.seek(0);
    found.first = { all: all(), status: element("status").textContent };

    // From event to event: nothing is forgotten, and back again is where it was.
    let [steps, before, falls] = [0, all(), 0];
    const limit = replay.state().events;
    while (replay.state().time < replay.state().end && steps <= limit) {
      const at = replay.state().time;
      replay.step(1);
      if (replay.state().time <= at) falls++;
      const now = all();
      if (now.some((informed, nth) => informed < before[nth])) falls++;
      before = now;
      steps++;
    }
    found.steps = { steps, limit, falls, end: replay.state() };
    replay.step(-1);
    found.back = replay.state().time;
    replay.step(1);
    found.again = replay.state().time;

    const scrub = element("scrub");
    scrub.value = 50000;
    scrub.dispatchEvent(new Event("input"));
    found.scrubbed = replay.state().time / replay.state().end;

    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    press("ArrowRight");
    found.right = replay.state().time / replay.state().end;
    press("ArrowLeft");
    press("ArrowLeft");
    found.left = replay.state().time / replay.state().end;

    const canvas = document.querySelector("canvas.diagram");
    const box = canvas.getBoundingClientRect();
    const point = (target, kind, x, y) => {
      const place = target.getBoundingClientRect();
      target.dispatchEvent(new PointerEvent(kind, { clientX: place.left + x, clientY: place.top + y, bubbles: true }));
    };
    point(canvas, "pointerdown", 48 + (box.width - 56) * 0.25, box.height - 40);
    found.clicked = replay.state().time / replay.state().end;
    found.tips = [element("tip").textContent];
    const network = document.querySelector("canvas.network");
    const tips = new Set();
    for (let x = 0; x < network.clientWidth; x += 7) {
      for (let y = 0; y < network.clientHeight; y += 7) {
        point(network, "pointermove", x, y);
        if (!element("tip").hidden) tips.add(element("tip").textContent);
      }
    }
    const one = (pattern) => [...tips].find((text) => pattern.test(text)) ?? "";
    found.tips.push(one(/^node \d+: /), one(/^(node|switch) \d+ to (node|switch) \d+: /), one(/^\d+ to \d+: /));

    replay.seek(1000);
    await wait(500);
    found.kept = location.hash;
    location.hash = location.hash.replace("t=1000", "t=2000").replace(/speed=[^&]*/, "speed=0.5");
    await wait(100);
    found.recalled = { ...replay.state(), speed: element("speed").value };

    // One run alone, and back.
    const shown = replay.state().runs.length;
    replay.show(0);
    const canvases = [...document.querySelectorAll("canvas")];
    found.alone = [replay.state().runs.length, canvases.filter((canvas) => canvas.offsetHeight > 0).length];
    replay.show(0, shown - 2 < 0 ? -1 : 1);

    // All of it in three seconds, and then it stands.
    replay.speed(4);
    replay.seek(0);
    press(" ");
    found.playing = replay.state().playing;
    await wait(1500);
    found.fps = replay.fps;
    found.halfway = replay.state().time / replay.state().end;
    for (let nth = 0; nth < 100 && replay.state().playing; nth++) await wait(100);
    await wait(500);
    found.last = { ...replay.state(), status: element("status").textContent, address: location.hash };

    const names = [...document.querySelectorAll("canvas, select, input, button")].map((part) =>
      part.getAttribute("aria-label") || part.textContent || part.labels?.[0]?.textContent || "");
    found.unnamed = names.filter((name) => name.trim() === "").length;
    found.wide = document.documentElement.scrollWidth > window.innerWidth;
    const nodes = document.querySelectorAll("script, link, img, iframe");
    found.foreign = [...nodes].filter((node) => /^(https?:)?\/\//.test(node.getAttribute("src") ?? node.getAttribute("href") ?? ""))
      .length;
    found.panels = [...document.querySelectorAll(".panel")].filter((panel) => panel.querySelector("canvas").offsetHeight > 0).length;
  } catch (error) {
    found.error = `${error} ${error.stack}`;
  }
  console.log(`REPORT ${JSON.stringify(found)}`);
})();
