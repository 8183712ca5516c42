import { Progress } from "../../../core/stretches.ts";
import type { Stretches } from "../../../core/stretches.ts";
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
export function* flattenNesting(html: string): Stretches<{ html: string; flattened: boolean }> {
  if (!(yield* isDeep(html))) return { html, flattened: false };
  const progress = new Progress();
  const kept: string[] = [];
  let from = 0;
  let depth = 0;
  for (const { 0: tag, 1: slash, 2: name = "", index } of html.matchAll(TAG)) {
    const stretch = progress.stretchTo(index);
    if (stretch > 0) yield stretch;
    if (SHALLOW.has(name.toLowerCase())) continue;
    const isTooDeep = slash === "" ? ++depth > MAX_DEPTH : depth-- > MAX_DEPTH;
    if (!isTooDeep) continue;
    kept.push(html.slice(from, index));
    from = index + tag.length;
  }
  return { html: [...kept, html.slice(from)].join(" "), flattened: true };
}

function* isDeep(html: string): Stretches<boolean> {
  const progress = new Progress();
  let depth = 0;
  for (const { 1: slash, 2: name = "", index } of html.matchAll(TAG)) {
    const stretch = progress.stretchTo(index);
    if (stretch > 0) yield stretch;
    if (SHALLOW.has(name.toLowerCase())) continue;
    depth = slash === "" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
