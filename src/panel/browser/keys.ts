import { lookUp } from "./look.ts";

/** `/` search, `?` the list of keys, Ctrl or ⌘ K what is found by name, Escape leaves or closes. */
export function listenForKeys(): void {
  const finder = document.querySelector<HTMLDialogElement>("#find");
  if (finder !== null) addFinder(finder);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") return leave();
    if (isTyping(event.target)) return;
    if (event.key === "/") search();
    else if (event.key !== "?") return;
    else document.querySelector<HTMLDialogElement>("#keys:not([open])")?.showModal();
    event.preventDefault();
  });
  document.addEventListener("click", ({ target }) => {
    closeMenus(target instanceof Node ? target : null);
  });
}

/** Arrow keys lead from the field to its matches; the form opens the first one. */
function addFinder(finder: HTMLDialogElement): void {
  const page = finder.querySelector("form")?.action ?? "";
  const open = (event: Event) => {
    event.preventDefault();
    if (!finder.open) finder.showModal();
    void lookUp(page, "q", finder.querySelector<HTMLInputElement>("[name=q]")?.value);
  };
  for (const link of document.querySelectorAll(`a[href="${new URL(page).pathname}"]`)) {
    link.addEventListener("click", open);
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey)) open(event);
  });
  finder.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const all = [...finder.querySelectorAll<HTMLElement>("[name=q], li a")];
    all[all.findIndex((element) => element === document.activeElement) + step]?.focus();
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input, textarea, select, [contenteditable]");
}

/** Closes open menus, except the one that holds `kept`. */
function closeMenus(exception: Node | null): void {
  const menus = document.querySelectorAll<HTMLDetailsElement>(".more-places[open], .menu[open]");
  for (const menu of menus) if (!menu.contains(exception)) menu.open = false;
}

function leave(): void {
  document.activeElement?.closest(".menu")?.querySelector("summary")?.focus();
  closeMenus(null);
  if (document.activeElement instanceof HTMLElement && isTyping(document.activeElement)) {
    document.activeElement.blur();
  }
}

function search(): void {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (field === null) return location.assign("/panel/search");
  field.focus();
  field.select();
}

/** Arrow keys on a chart lead from value to value; a screen reader hears each. */
export function addChartKeys(): void {
  document.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    const chart = document.activeElement;
    if (step === 0 || chart === null || !chart.matches("svg.chart")) return;
    event.preventDefault();
    const points = [...chart.querySelectorAll("g")];
    const index = points.findIndex((point) => point.classList.contains("here"));
    const from = index === -1 ? points.length : index;
    const next = points[Math.min(points.length - 1, Math.max(0, from + step))];
    for (const point of points) point.classList.toggle("here", point === next);
    chart.setAttribute("aria-label", next?.textContent ?? "");
  });
}
