const BOX = "input[type=checkbox][form=selected]";

const boxes = () => [...document.querySelectorAll<HTMLInputElement>(BOX)];

/** One box ticks all of the page, and the bar of actions shows how many are ticked. */
export function addSelection(): void {
  document.documentElement.classList.add("selects");
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if ("selectAll" in target.dataset) for (const box of boxes()) box.checked = target.checked;
    show();
  });
  show();
}

function show(): void {
  const all = boxes();
  const ticked = all.filter(({ checked }) => checked).length;
  const bar = document.querySelector<HTMLElement>("#selected");
  const words = bar?.querySelector("[data-selected]");
  // The list may have been empty when the page came.
  bar?.removeAttribute("hidden");
  bar?.classList.toggle("empty-selection", ticked === 0);
  if (words != null) words.textContent = `${ticked} selected`;
  const head = document.querySelector<HTMLInputElement>("[data-select-all]");
  if (head === null) return;
  head.checked = ticked > 0 && ticked === all.length;
  head.indeterminate = ticked > 0 && ticked < all.length;
}
