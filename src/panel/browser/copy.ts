const SHOWN_MS = 1_500;
/** With the text, or with the id of the element that holds it. */
const BUTTONS = "[data-copy], [data-copy-of]";

/** Shows the copy buttons, which need this script, and copies on a click; new ones included. */
export function addCopyButtons(): void {
  showCopyButtons(document);
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest(BUTTONS) : null;
    if (button instanceof HTMLElement) void copyFrom(button);
  });
}

export function showCopyButtons(root: ParentNode): void {
  // Without https a page may not write to the clipboard, except on the machine itself.
  if (!window.isSecureContext) return;
  for (const button of root.querySelectorAll<HTMLElement>(BUTTONS)) button.hidden = false;
}

async function copyFrom(button: HTMLElement): Promise<void> {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(textOf(button));
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => (button.textContent = before), SHOWN_MS);
}

function textOf({ dataset }: HTMLElement): string {
  const { copy, copyOf } = dataset;
  // With the line breaks and tabs of lists and tables.
  return copy ?? document.getElementById(copyOf ?? "")?.innerText ?? "";
}
