// Runs before every script of the tests of the page.
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const el = (id) => document.getElementById(id);
const until = async (is, what) => {
  const begin = performance.now();
  while (!is()) {
    if (performance.now() - begin > 120000) throw new Error(`waiting for ${what}: ${document.body.innerText.slice(0, 2000)}`);
    await wait(5);
  }
};
/** Waits until the page has its answer. */
const idle = async () => {
  await wait(40);
  await until(() => window.page && !page.busy, "the answer");
  await wait(20);
  await until(() => !page.busy, "the answer");
};
/** Sets a field as a person does. */
const set = (id, value) => {
  const field = typeof id === "string" ? el(id) : id;
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
};
const click = (name) => document.querySelector(`#network [data-name="${name}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
