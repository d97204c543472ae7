// Goes through every lesson: all steps, then all choices of its question, or a number far off and then the one that is told.
await idle();
const found = [];
const check = async (form) => {
  const verdict = () => el("lesson-verdict");
  form.requestSubmit();
  await until(() => /^(Right|Not yet)\./.test(verdict().textContent) || verdict().className === "error", "a verdict");
  return verdict().textContent;
};
for (let nth = 0; nth < el("lesson-list").children.length; nth++) {
  el("lesson-list").children[nth].click();
  await wait(100);
  const lesson = { title: el("lesson").querySelector("h3").textContent, steps: 0, right: 0, wrong: 0, failures: [], verdicts: [] };
  for (const show of el("lesson").querySelectorAll("ol button")) {
    show.click();
    await idle();
    lesson.steps++;
    if (page.rows().length === 0 || !el("answer-error").hidden) lesson.failures.push([lesson.steps, el("answer-error").textContent]);
  }
  const form = el("lesson").querySelector("form");
  const judge = (text) => {
    lesson[text.startsWith("Right.") ? "right" : "wrong"]++;
    lesson.verdicts.push(text);
  };
  const choices = form.querySelectorAll("input[type=radio]");
  for (const choice of choices) {
    choice.checked = true;
    judge(await check(form));
  }
  if (choices.length === 0) {
    el("lesson-number").value = "123456789";
    judge(await check(form));
    const [, told] = lesson.verdicts[0].match(/([0-9.]+) times as long/) ?? lesson.verdicts[0].match(/([0-9][0-9.]*)/);
    el("lesson-number").value = told;
    judge(await check(form));
  }
  found.push(lesson);
}
return found;
