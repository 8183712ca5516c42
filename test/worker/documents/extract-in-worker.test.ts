import { expect, it } from "vitest";

import { extractDocument } from "../../../src/documents/extract-document.ts";

type Glob = (pattern: string, options: { query: string; import: string; eager: true }) => unknown;

/** Every fixture as `data:…;base64,…`, put here by Vite. */
const fixtures = (import.meta as unknown as { glob: Glob }).glob(
  "../../fixtures/documents/*.{docx,pptx,xlsx,odt,ods,odp,epub,rtf,pdf,eml,mbox}",
  { query: "?inline", import: "default", eager: true },
) as Record<string, string>;

/** A phrase of each document, by the last part of its name. */
const PHRASES: Record<string, string> = {
  handbook: "Größere Lücken im Regal sind dem Schichtführer zu melden.",
  slides: "- Revenue rose by 12 % to 4.2 million euros",
  stock: "| B-310 | Palette “Euro” | 18 | 1200 | 2025-03-17 |",
  lease: "| 2026 | 4,250 EUR |",
  launch: "| Tooling | 80,000 |",
  report: "## Findings",
  bulletin: "日本語:乗船券は窓口で購入してください。",
  ledger: "| Q-2 |  | A ship's bell without a name; found in the narrows. |  |",
  minutes: "Income from juice rose by a fifth",
  orders: "株式会社青空",
  briefing: "| Press 2 | 830 | spindle worn |",
  notice: "月曜日から出航時刻が変わります。",
  forward: "#### Aufträge.tsv",
  letters: "паром отходит в девять часов утра.",
  prices: "| B-310 | 1180.25 | 7% | 2025-12-01 | FALSE |",
};

const bytesOf = (dataUrl: string) =>
  Uint8Array.from(atob(dataUrl.slice(dataUrl.indexOf(",") + 1)), (letter) => letter.charCodeAt(0));

it.each(Object.entries(fixtures))("reads %s inside the Worker's runtime", async (path, dataUrl) => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const subject = /-(\w+)\.\w+$/.exec(name)?.[1] ?? "";
  const document = await extractDocument({ name, mimeType: null, bytes: bytesOf(dataUrl) });
  expect(document.markdown).toContain(PHRASES[subject]);
});

it("decodes legacy encodings with the runtime's own decoder", async () => {
  const bytes = Uint8Array.of(
    0x93,
    0xfa,
    0x96,
    0x7b,
    0x8c,
    0xea,
    0x82,
    0xcc,
    0x83,
    0x65,
    0x83,
    0x4c,
  );
  const document = await extractDocument({ name: "a.txt", mimeType: null, bytes });
  expect(document.markdown).toBe("日本語のテキ");
});
