// Goes through every lesson: all cases of all steps, then all choices of its question, or a number far off and then the one that is told.
await idle();
const found = [];
const said = () => el("lesson-verdict").textContent;
const judged = async () => {
  await until(() => /^(Right|Not yet|The answer)\b/.test(said()) || el("lesson-verdict").className === "error", "a verdict");
  return said();
};
for (let nth = 0; nth < el("lesson-list").children.length; nth++) {
  el("lesson-list").children[nth].click();
  await wait(100);
  const lesson = { title: el("lesson").querySelector("h3").textContent, steps: 0, right: 0, wrong: 0, failures: [], verdicts: [] };
  const form = el("lesson").querySelector("form");
  const expect = (is, what) => is || lesson.failures.push([lesson.steps, what]);
  for (; form.hidden; el("lesson-next").click()) {
    lesson.steps++;
    for (const show of el("lesson-cases").querySelectorAll("[aria-pressed]")) {
      show.click();
      await idle();
      expect(page.rows().length > 0 && el("answer-error").hidden, el("answer-error").textContent);
      expect(show.getAttribute("aria-pressed") === "true", `${show.textContent} is not shown`);
    }
    await until(() => el("lesson-told").textContent !== "Computing ..", "the numbers of a step");
    const told = el("lesson-told").textContent;
    expect(/\d/.test(told) && !/undefined|null|NaN/.test(told), told);
    const [text, answer] = [el("lesson-text"), el("chart")].map((part) => part.getBoundingClientRect());
    expect(answer.top - text.top < window.innerHeight, "text and picture are not on one screen");
  }
  const check = async () => {
    form.requestSubmit();
    const text = await judged();
    lesson[text.startsWith("Right.") ? "right" : "wrong"]++;
    lesson.verdicts.push(text);
    return text;
  };
  const choices = [...form.querySelectorAll("input[type=radio]")];
  el("lesson-solution").click();
  const solution = (await judged()).replace("The answer: ", "");
  expect(solution.length > 20, "no solution");
  if (choices.length > 0) {
    choices[0].click();
    choices[0].dispatchEvent(new Event("input", { bubbles: true }));
    expect(said() === "", "the verdict on another answer stays");
    for (const choice of choices) {
      choice.checked = true;
      await check();
    }
  } else {
    set("lesson-number", "123456789");
    expect(said() === "", "the verdict on another answer stays");
    await check();
    await check();
    const [, number] = solution.match(/([0-9.]+) times as long/) ?? solution.match(/([0-9][0-9.]*)/);
    set("lesson-number", number);
    await check();
  }
  const wrong = lesson.verdicts.filter((text) => text.startsWith("Not yet."));
  expect(!wrong[0].includes(solution) && !/\d us\b/.test(wrong[0]), "the first wrong answer is told the solution");
  expect(wrong.length < 2 || wrong[1].includes(solution), "the second wrong answer is not told the solution");
  found.push(lesson);
}
return found;
