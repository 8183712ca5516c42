import { wordsOf } from "../../../text/words.ts";
import { decoded } from "./page-url.ts";
import { parseHtml } from "./parse-html.ts";

/** Words of a site's answer to an address that cannot exist; null: it answers as it should. */
export type NotFoundWords = string[] | null;

const SAYS_NOT_FOUND =
  /\b404\b|not (?:be )?found|no longer (?:available|exists?)|(?:does|did)(?: not|n.t) exist|could ?n.t find|nothing here|nicht gefunden|existiert nicht|introuvable|n.existe (?:pas|plus)|no encontrad|no existe|non trovat|niet gevonden|n[ãa]o encontrad|nie znaleziono|не найден|見つかりません|未找到|不存在/iu;

const LIKENESS = 0.85;
const SILENT = new Set(["script", "style", "noscript", "template"]);

/** What the probe's page tells, or null when it does not say that something was not found. */
export function notFoundWords(html: string, url: URL): NotFoundWords {
  const text = textOf(html);
  return SAYS_NOT_FOUND.test(text) ? [...distinctWords(text, url)] : null;
}

/** Whether a page that claims to be there is what the site shows for addresses that are not. */
export function isSoftNotFound(probe: NotFoundWords, html: string, url: URL): boolean {
  if (probe === null) return false;
  const words = distinctWords(textOf(html), url);
  const own = wordsOfUrl(url);
  const expected = probe.filter((word) => !own.has(word));
  const shared = expected.filter((word) => words.has(word)).length;
  const all = expected.length + words.size - shared;
  return all > 0 && shared / all >= LIKENESS;
}

/** Without numbers and without the address itself, which such pages like to repeat. */
function distinctWords(text: string, url: URL): Set<string> {
  const own = wordsOfUrl(url);
  return new Set(wordsOf(text).filter((word) => !own.has(word) && !/\d/.test(word)));
}

function wordsOfUrl(url: URL): Set<string> {
  return new Set(wordsOf(decoded(url.href)));
}

function textOf(html: string): string {
  const parts: string[] = [];
  let silent = 0;
  parseHtml(html, {
    onopentag(name) {
      if (SILENT.has(name)) silent += 1;
      parts.push(" ");
    },
    ontext(text) {
      if (silent === 0) parts.push(text);
    },
    onclosetag(name) {
      if (SILENT.has(name)) silent -= 1;
    },
  });
  return parts.join("");
}
