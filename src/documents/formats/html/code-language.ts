import { ownEntryOf } from "../archive/own-entry.ts";
import { isCodeLanguage } from "../code/languages.ts";
import type { Attributes } from "./html-roles.ts";

/** Classes of highlighters: `language-rust`, `highlight-python3`, `brush: php`, `sourceCode r`. */
const PREFIXED = /(?:^|\s)(?:language|lang|highlight-source|highlight|src)-([\w+#]+)/;
const BRUSH = /(?:^|\s)brush:\s*([\w+#]+)/;
const NO_LANGUAGE = new Set("default none text plain plaintext notranslate txt output".split(" "));
const OTHER_NAMES: Record<string, string> = { python3: "python", ipython3: "python", py: "python" };

export function codeLanguageOf(name: string, attributes: Attributes): string {
  const classes = (attributes["class"] ?? "").toLowerCase();
  const language = PREFIXED.exec(classes)?.[1] ?? BRUSH.exec(classes)?.[1];
  const label = language ?? attributes["data-lang"] ?? attributes["data-language"];
  if (label !== undefined) return languageOfName(label);
  if (name === "div" || name === "figure") return "";
  const bare = [...classes.split(/\s+/), (attributes["lang"] ?? "").toLowerCase()];
  return languageOfName(bare.find(isCodeLanguage) ?? "");
}

/** The language that a word names, as code fences have it; empty for none. */
export function languageOfName(word: string): string {
  const name = word.trim().toLowerCase();
  if (NO_LANGUAGE.has(name) || !/^[\w+#-]{1,30}$/.test(name)) return "";
  return ownEntryOf(OTHER_NAMES, name) ?? name;
}
