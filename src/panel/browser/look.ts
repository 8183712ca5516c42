import { refreshFrom } from "./refresh.ts";

/** How long somebody pauses before the page is fetched. */
const PAUSE_MS = 250;

let waiting = 0;

/**
 * Lists are searched, and paths looked up, while somebody types: the page is fetched with what the
 * field holds, and its `data-live` parts are replaced.
 */
export function searchWhileTyping(): void {
  document.addEventListener("input", ({ target }) => {
    const isField = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
    if (!isField || target.form === null) return;
    const { look } = target.dataset;
    const isFilter = target.form.matches(".filters[role=search]");
    if (!isFilter && look === undefined) return;
    const { value, form } = target;
    const page = form.method === "get" ? form.action : location.href;
    const work = () => (isFilter ? filter(form) : lookUp(page, look, value));
    clearTimeout(waiting);
    waiting = setTimeout(() => void work(), PAUSE_MS);
  });
}

/** The address becomes that of the filtered list. */
async function filter(form: HTMLFormElement): Promise<void> {
  const address = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && value !== "") address.searchParams.set(name, value);
  }
  const { sort } = Object.fromEntries(new URLSearchParams(location.search));
  if (sort !== undefined) address.searchParams.set("sort", sort);
  history.replaceState(null, "", address);
  await refreshFrom(address.href);
}

export async function lookUp(page: string, name = "", value = ""): Promise<void> {
  const address = new URL(page);
  address.searchParams.set(name, value);
  await refreshFrom(address.href);
}
