/** What a style sheet hides, as far as simple selectors say it: `.a`, `#b` and plain tag names. */
export type HiddenSelectors = Set<string>;

const HIDING_STYLE =
  /(^|[;\s])(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|font-size\s*:\s*0(\.0+)?(px|pt|em|rem|%)?\s*(;|!|$)|opacity\s*:\s*0(\.0+)?\s*(;|!|$)|color\s*:\s*transparent)/i;
const RULE = /([^{}]{1,2000})\{([^{}]{0,5000})\}/g;
const SIMPLE_SELECTOR = /^[.#]?[a-z_][\w-]*$/i;
const MAX_SHEET_CHARACTERS = 500_000;

/** Whether a `style` attribute makes its element invisible. */
function hidesContent(style: string): boolean {
  return HIDING_STYLE.test(style);
}

/** Adds the simple selectors that this sheet hides on screen; rules inside `@media` are skipped. */
export function collectHiddenSelectors(sheet: string, into: HiddenSelectors): void {
  const plain = sheet.slice(0, MAX_SHEET_CHARACTERS).replace(/\/\*[^]*?\*\//g, "");
  const outsideMedia = plain.replace(/@[a-z-]+[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/gi, "");
  for (const [, selectors = "", body = ""] of outsideMedia.matchAll(RULE)) {
    if (!hidesContent(body)) continue;
    for (const selector of selectors.split(",")) {
      const simple = selector.trim();
      if (SIMPLE_SELECTOR.test(simple)) into.add(simple.toLowerCase());
    }
  }
}

/** Whether an element is hidden by its attributes or by one of the sheet's simple selectors. */
export function isHidden(
  name: string,
  attributes: Record<string, string>,
  hidden: HiddenSelectors,
): boolean {
  const state = attributes["hidden"];
  if (state !== undefined && state !== "until-found") return true;
  const { style } = attributes;
  if (style !== undefined && hidesContent(style)) return true;
  if (hidden.size === 0) return false;
  if (hidden.has(name)) return true;
  const { id } = attributes;
  if (id !== undefined && hidden.has(`#${id.toLowerCase()}`)) return true;
  const classes = (attributes["class"] ?? "").toLowerCase().split(/\s+/);
  return classes.some((each) => each !== "" && hidden.has(`.${each}`));
}
