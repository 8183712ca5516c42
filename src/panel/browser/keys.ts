/** `/` search, `?` the list of keys, Escape leaves a field or closes. */
export function listenForKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") return leave();
    if (isTyping(event.target)) return;
    if (act(event.key)) event.preventDefault();
  });
  document.addEventListener("click", ({ target }) => {
    closeMenus(target instanceof Node ? target : null);
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input, textarea, select, [contenteditable]");
}

/** Closes open menus, except the one that holds `kept`. */
function closeMenus(kept: Node | null): void {
  const menus = document.querySelectorAll<HTMLDetailsElement>(".more-places[open], .menu[open]");
  for (const menu of menus) if (!menu.contains(kept)) menu.open = false;
}

function leave(): void {
  document.activeElement?.closest(".menu")?.querySelector("summary")?.focus();
  closeMenus(null);
  if (document.activeElement instanceof HTMLElement && isTyping(document.activeElement)) {
    document.activeElement.blur();
  }
}

/** Whether the key means something here. */
function act(key: string): boolean {
  if (key === "/") search();
  else if (key === "?") showKeys();
  else return false;
  return true;
}

function search(): void {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (field === null) return location.assign("/panel/search");
  field.focus();
  field.select();
}

function showKeys(): void {
  const dialog = document.querySelector<HTMLDialogElement>("#keys");
  if (dialog?.open === false) dialog.showModal();
}
