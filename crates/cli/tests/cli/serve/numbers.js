// Shows a question, and returns columns of its table.
const asked = QUESTION;
page.set({ ...asked, algorithm: asked.algorithm.split(",") });
await idle();
el("table-part").open = true;
await wait(100);
const cell = (row, column) => row.querySelector(`td[data-column="${column}"]`).textContent;
return [...document.querySelectorAll("#table tbody tr")].map((row) => COLUMNS.map((column) => cell(row, column)));
