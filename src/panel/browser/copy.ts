const SHOWN_MS = 1_500;

/** Shows the copy buttons, which need this script, and copies on a click; new ones included. */
export function addCopyButtons(): void {
  showCopyButtons(document);
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
    if (button instanceof HTMLElement) void copyFrom(button);
  });
}

export function showCopyButtons(root: ParentNode): void {
  // Without https a page may not write to the clipboard, except on the machine itself.
  if (!window.isSecureContext) return;
  for (const button of root.querySelectorAll<HTMLElement>("[data-copy]")) button.hidden = false;
}

async function copyFrom(button: HTMLElement): Promise<void> {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset["copy"] ?? "");
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => (button.textContent = before), SHOWN_MS);
}
