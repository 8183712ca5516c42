const MAX_DEPTH = 1_000;
const TAG =
  /<(\/?)([a-zA-Z][a-zA-Z0-9-]*)(?![a-zA-Z0-9-])(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^<>"'])*>/g;
/** Never closed, or closed by what follows: they do not deepen the tree by being many. */
const SHALLOW = new Set(
  "area base br col embed hr img input link meta param source track wbr p li td tr th dt dd option optgroup thead tbody tfoot colgroup rp rt html head body".split(
    " ",
  ),
);

/**
 * Takes out tags that nest deeper than any document does, so that the parser's work stays linear
 * in the input. Text is never touched.
 */
export function flattenNesting(html: string): { html: string; flattened: boolean } {
  if (!isDeep(html)) return { html, flattened: false };
  let depth = 0;
  const flat = html.replace(TAG, (tag, slash: string, name: string) => {
    if (SHALLOW.has(name.toLowerCase())) return tag;
    if (slash === "") return ++depth > MAX_DEPTH ? " " : tag;
    return depth-- > MAX_DEPTH ? " " : tag;
  });
  return { html: flat, flattened: true };
}

function isDeep(html: string): boolean {
  let depth = 0;
  for (const [, slash, name = ""] of html.matchAll(TAG)) {
    if (SHALLOW.has(name.toLowerCase())) continue;
    depth = slash === "" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
