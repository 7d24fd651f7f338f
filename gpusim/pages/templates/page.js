"use strict";
function order(cell) {
  const text = cell.dataset.order;
  const number = Number(text);
  return text !== "" && !Number.isNaN(number) ? number : text;
}
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a.localeCompare(b);
}
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const column = heading.cellIndex;
    const wasDown = heading.getAttribute("aria-sort") === "descending";
    for (const other of heading.parentElement.cells) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", wasDown ? "ascending" : "descending");
    const body = heading.closest("table").tBodies[0];
    const rows = Array.from(body.rows);
    rows.sort((a, b) => (wasDown ? 1 : -1) * compare(order(a.cells[column]), order(b.cells[column])));
    body.append(...rows);
  });
}
window.addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
