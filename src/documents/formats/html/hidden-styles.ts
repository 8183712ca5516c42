/** Simple selectors (`.a`, `#b`, tag names) behind the property that hides: `display .a`. */
export type HiddenSelectors = Set<string>;

const HIDING_STYLE =
  /(^|[;\s])(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|font-size\s*:\s*0(\.0+)?(px|pt|em|rem|%)?\s*(;|!|$)|opacity\s*:\s*0(\.0+)?\s*(;|!|$)|color\s*:\s*transparent)/i;
const PROPERTIES = ["display", "visibility", "font-size", "opacity", "color"];
/** Pages hide these until they are loaded, or against framing by other sites: readers see them. */
const WHOLE_PAGE = new Set(["html", "body"]);
const SIMPLE_SELECTOR = /^[.#]?[a-z_][\w-]*$/i;
const MAX_SHEET_CHARACTERS = 500_000;

/** Adds the simple selectors that this sheet hides on screen; rules inside `@media` are skipped. */
export function collectHiddenSelectors(sheet: string, into: HiddenSelectors): void {
  const plain = sheet.slice(0, MAX_SHEET_CHARACTERS).replace(COMMENTS, "");
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
    const property = /^([^:]*):/.exec(each)?.[1]?.trim().toLowerCase() ?? "";
    const isImportant = /!\s*important/i.test(each);
    return { property, isHiding: HIDING_STYLE.test(each.trim()), isImportant };
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
const COMMENTS = /\/\*[^]*?(?:\*\/|$)/g;

/** Rules outside of blocks, with their declarations up to the first block inside. */
function* outermostRules(sheet: string): Generator<{ selectors: string; body: string }> {
  let depth = 0;
  let [from, open] = [0, 0];
  for (const { 0: mark, index } of sheet.matchAll(/[{};]/g)) {
    if (mark === "{" && depth++ === 0) open = index;
    else if (mark === "}" && depth > 0 && --depth === 0) {
      const selectors = sheet.slice(from, open).trim();
      const [body = ""] = sheet.slice(open + 1, index).split("{", 1);
      if (!selectors.startsWith("@")) yield { selectors, body };
    }
    // At-rules without a block end in a semicolon; a stray closing brace is not part of a selector.
    if (mark !== "{" && depth === 0) from = index + 1;
  }
}

export function isHidden(
  name: string,
  attributes: Record<string, string>,
  hidden: HiddenSelectors,
): boolean {
  const state = attributes["hidden"];
  if (state !== undefined && state !== "until-found") return true;
  const { style } = attributes;
  if (style !== undefined && HIDING_STYLE.test(style)) return true;
  if (hidden.size === 0) return false;
  if (isHiddenBy(name, hidden)) return true;
  const { id } = attributes;
  if (id !== undefined && isHiddenBy(`#${id.toLowerCase()}`, hidden)) return true;
  const classes = (attributes["class"] ?? "").toLowerCase().split(/\s+/);
  return classes.some((each) => each !== "" && isHiddenBy(`.${each}`, hidden));
}
