/** Simple selectors (`.a`, `#b`, tag names) behind the property that hides: `display .a`. */
export type HiddenSelectors = Set<string>;

const HIDING_STYLE =
  /(^|[;\s])(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|font-size\s*:\s*0(\.0+)?(px|pt|em|rem|%)?\s*(;|!|$)|opacity\s*:\s*0(\.0+)?\s*(;|!|$)|color\s*:\s*transparent)/i;
const PROPERTIES = ["display", "visibility", "font-size", "opacity", "color"];
/** Pages hide these until they are loaded, or against framing by other sites: readers see them. */
const WHOLE_PAGE = new Set(["html", "body"]);
const SIMPLE_SELECTOR = /^[.#]?[a-z_][\w-]*$/i;
const MAX_SHEET_CHARACTERS = 500_000;

/** Whether a `style` attribute makes its element invisible. */
function hidesContent(style: string): boolean {
  return HIDING_STYLE.test(style);
}

/** Adds the simple selectors that this sheet hides on screen; rules inside `@media` are skipped. */
export function collectHiddenSelectors(sheet: string, into: HiddenSelectors): void {
  const plain = withoutComments(sheet.slice(0, MAX_SHEET_CHARACTERS));
  for (const { selectors, body } of outermostRules(plain)) {
    const declared = declaredIn(body);
    if (declared.length === 0) continue;
    for (const selector of selectors.split(",")) {
      const simple = selector.trim().toLowerCase();
      if (SIMPLE_SELECTOR.test(simple) && !WHOLE_PAGE.has(simple)) apply(declared, simple, into);
    }
  }
}

type Declared = { property: string; isHiding: boolean; isImportant: boolean };

function declaredIn(body: string): Declared[] {
  const declared = body.split(";").map((each) => {
    const property = each
      .slice(0, Math.max(0, each.indexOf(":")))
      .trim()
      .toLowerCase();
    return {
      property,
      isHiding: hidesContent(each.trim()),
      isImportant: /!\s*important/i.test(each),
    };
  });
  return declared.filter(({ property }) => PROPERTIES.includes(property));
}

/** A later rule for the same selector overrides an earlier one (CSS Cascade 4, §6.1). */
function apply(declared: Declared[], selector: string, into: HiddenSelectors): void {
  for (const { property, isHiding, isImportant } of declared) {
    const [key, important] = [`${property} ${selector}`, `${property}! ${selector}`];
    if (isImportant) into.delete(important);
    if (isHiding) into.add(isImportant ? important : key);
    else into.delete(key);
  }
}

const isHiddenBy = (selector: string, hidden: HiddenSelectors) =>
  PROPERTIES.some(
    (each) => hidden.has(`${each} ${selector}`) || hidden.has(`${each}! ${selector}`),
  );

/** A comment that is never closed hides the rest (CSS Syntax 3, §4.3.2). */
function withoutComments(sheet: string): string {
  let kept = "";
  let at = 0;
  for (let start = sheet.indexOf("/*"); start >= 0; start = sheet.indexOf("/*", at)) {
    kept += sheet.slice(at, start);
    const end = sheet.indexOf("*/", start + 2);
    if (end < 0) return kept;
    at = end + 2;
  }
  return kept + sheet.slice(at);
}

function* outermostRules(sheet: string): Generator<{ selectors: string; body: string }> {
  let at = 0;
  for (let open = sheet.indexOf("{"); open >= 0; open = sheet.indexOf("{", at)) {
    // At-rules without a block end in a semicolon; a stray closing brace is not part of a
    // selector.
    const before = sheet.slice(at, open);
    const last = Math.max(before.lastIndexOf(";"), before.lastIndexOf("}"));
    const selectors = before.slice(last + 1).trim();
    const close = blockEnd(sheet, open);
    if (close < 0) return;
    const [body = ""] = sheet.slice(open + 1, close).split("{", 1);
    if (!selectors.startsWith("@")) yield { selectors, body };
    at = close + 1;
  }
}

/** Where the brace that opens at `open` closes; -1 when it never does. */
function blockEnd(sheet: string, open: number): number {
  let depth = 0;
  for (let at = open; at < sheet.length; at++) {
    if (sheet[at] === "{") depth++;
    else if (sheet[at] === "}" && --depth === 0) return at;
  }
  return -1;
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
  if (isHiddenBy(name, hidden)) return true;
  const { id } = attributes;
  if (id !== undefined && isHiddenBy(`#${id.toLowerCase()}`, hidden)) return true;
  const classes = (attributes["class"] ?? "").toLowerCase().split(/\s+/);
  return classes.some((each) => each !== "" && isHiddenBy(`.${each}`, hidden));
}
