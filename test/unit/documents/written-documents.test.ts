import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { extractDocument } from "../../../src/documents/extract-document.ts";
import { countsOf, oracleWords, ourWords, sharesOf } from "../../support/document-words.ts";

/** Written by pandoc, LibreOffice, Chromium and npm's writers: none shares code with our readers. */
const FOLDER = join(import.meta.dirname, "../../fixtures/documents");
const MIN_SHARE = 0.98;

const fixtureBytes = (name: string) => new Uint8Array(readFileSync(join(FOLDER, name)));
const extract = (name: string) =>
  extractDocument({ name, mimeType: null, bytes: fixtureBytes(name) });

const handbooks = readdirSync(FOLDER).filter((name) => /-handbook\./.test(name));
/** LibreOffice writes no headings, lists or table headers into its EPUB; OPML has but outlines. */
const structured = handbooks.filter((name) => !/^libre.*\.epub$|\.opml$/.test(name));

describe("the handbook in every format", () => {
  it.each(structured)("%s keeps its title, headings and table", async (name) => {
    const document = await extract(name);
    expect(document.title).toBe("Warehouse safety handbook");
    expect(document.markdown).toMatch(/^## Forklifts$/m);
    expect(document.markdown).toMatch(/^### Charging$/m);
    expect(document.markdown).toContain("| Atlas 35 | 3,500 | 6.0 | yes |");
    expect(document.markdown).toMatch(/^1\. Check the brakes before each shift\.$/m);
  });

  it.each(structured.filter((name) => !/\.(pdf|rtf)$/.test(name)))(
    "%s keeps nested lists and code",
    async (name) => {
      const { markdown } = await extract(name);
      expect(markdown).toMatch(
        /^- in the loading bay while a crane is moving;\n {3}- including visitors,$/m,
      );
      expect(markdown).toMatch(
        /^```(?:ini)?\n\[charger\]\nmax_current = 80\ncutoff_hours = 9\n```$/m,
      );
    },
  );

  it.each(handbooks.filter((name) => name.endsWith(".pdf")))("%s knows its pages", async (name) => {
    const { markdown, pages } = await extract(name);
    const pageOf = (phrase: string) =>
      pages.findLast(({ start }) => start <= markdown.indexOf(phrase))?.page;
    expect(pageOf("Everyone wears")).toBe(1);
    expect(pageOf("Каждый сотрудник")).toBe(2);
  });
});

describe("slides", () => {
  it.each(["pandoc-slides.pptx", "libreoffice-slides.pptx", "libreoffice-slides.odp"])(
    "%s: a heading and a page for each, with tables and notes",
    async (name) => {
      const { markdown, pages } = await extract(name);
      expect(markdown).toContain("# Open points");
      expect(markdown).toContain("| Roof repair | Jan Růžička | June |");
      expect(markdown).toContain(
        "> Remind everyone that the roof repair needs a permit from the city.",
      );
      expect(markdown.slice(pages[3]?.start)).toMatch(/^# Ausblick\n/);
    },
  );

  it("leaves hidden slides out and says so", async () => {
    const document = await extract("pptxgenjs-launch.pptx");
    expect(document.markdown).not.toContain("Hidden slide");
    expect(document.notes).toEqual(["1 hidden slide left out"]);
  });
});

describe("sheets", () => {
  it.each(["libreoffice-stock.ods", "libreoffice-stock.xlsx", "stock.csv"])(
    "%s is a table",
    async (name) => {
      const { markdown } = await extract(name);
      expect(markdown).toContain("| Article | Name | Price | Stock | Checked |\n| --- |");
      expect(markdown).toContain("| C-005 | Étiquette bleue | 0.35 | 15000 | 2025-04-01 |");
    },
  );

  it("shows values as the sheet does, and the names of the sheets", async () => {
    const document = await extract("xlsx-populate-prices.xlsx");
    expect(document.markdown).toContain("# Prices 2025\n\nPrice list\n\n| Article |");
    expect(document.markdown).toContain("| A-100 | 12.50 | 19% | 2025-03-14 | TRUE |");
    expect(document.markdown).not.toContain("hidden margin");
    expect(document.notes).toEqual(["1 hidden sheet left out"]);
    expect(document.markdown.slice(document.pages[1]?.start)).toMatch(/^# Überblick\n/);
    expect(document.pages[1]?.page).toBe(3);
  });
});

it("keeps a contract's numbering, notes, links and pages, and drops what is hidden", async () => {
  const { markdown, pages, notes } = await extract("docx-lease.docx");
  expect(markdown).toContain("412 square metres[^1] and lie");
  expect(markdown).toContain("[^1]: Measured according to DIN 277.");
  expect(markdown).toContain("[Floor plan](https://example.com/plan)");
  expect(markdown).toContain("1. First obligation\n2. Second obligation");
  expect(markdown).not.toContain("Hidden clause");
  expect(notes).toEqual(["1 hidden text run removed"]);
  expect(markdown.slice(pages[1]?.start)).toMatch(/^# Rent\n/);
});

it("reads columns of a page one after the other", async () => {
  const { markdown } = await extract("pdfkit-report.pdf");
  expect(markdown).toMatch(
    /no cracks\. Lubrication intervals should be shortened to six weeks\.\n\nThe right/,
  );
  expect(markdown).toContain("## Findings");
});

/** Texts of each document by independent readers, as `npm run bench -- extract` kept them. */
const expectedTexts = JSON.parse(
  readFileSync(join(FOLDER, "../expected-texts.json"), "utf8"),
) as Record<string, { oracle: string; text: string; names?: string }>;

/** Words that the other reader shows: hidden ones, and seconds where the cell shows none. */
const RIGHTLY_MISSING: Record<string, string[]> = {
  "docx-lease.docx": ["hidden", "clause"],
  "xlsx-populate-prices.xlsx": ["hidden", "margin"],
  "libreoffice-orders.ods": ["00"],
};

describe("words as an independent reader has them", () => {
  it("covers every document of the folder", () => {
    const fileNames = readdirSync(FOLDER).filter((name) => name !== "README.md");
    expect(Object.keys(expectedTexts).sort()).toEqual(fileNames.sort());
  });

  it.each(Object.entries(expectedTexts))("%s", async (name, { oracle, text, names = "" }) => {
    const ours = ourWords((await extract(name)).markdown, oracle);
    const theirs = oracleWords(text, oracle);
    const { recall, precision } = sharesOf(ours, theirs, oracleWords(names, oracle));
    expect(precision).toBeGreaterThanOrEqual(MIN_SHARE);
    const missing = RIGHTLY_MISSING[name];
    if (missing === undefined) expect(recall).toBeGreaterThanOrEqual(MIN_SHARE);
    else {
      const counts = countsOf(ours);
      const lacking = [...countsOf(theirs)].filter(([word, n]) => n > (counts.get(word) ?? 0));
      expect(lacking.map(([word]) => word)).toEqual(missing);
    }
  });
});

it("reads one column after the other of a page that Chromium set in two", async () => {
  const { markdown } = await extract("chromium-bulletin.pdf");
  const places = ["## Timetable", "### Rules on board", "## Notices", "## Works on the pier"];
  const positions = places.map((place) => markdown.indexOf(place));
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  expect(positions).not.toContain(-1);
});

describe("XML", () => {
  it.each(["dbk", "xml", "tei"])("%s keeps headings, lists, table and code", async (ending) => {
    const { markdown, title } = await extract(`pandoc-bulletin.${ending}`);
    expect(title).toBe("Harbour bulletin");
    expect(markdown).toMatch(/^# Harbour bulletin$/m);
    expect(markdown).toMatch(/^## Timetable\n\n\| Crossing \| Departs \|.*\n\| --- /m);
    expect(markdown).toContain("| Gull Rock – Northquay | 16:50 | 17:40 | 9.80 |");
    expect(markdown).toMatch(/^### Rules on board$/m);
    expect(markdown).toMatch(/^(2\.|-) Keep dogs on a lead:\n {3}(1\.|-) on the open deck,$/m);
    expect(markdown).toMatch(/^- found keys go to the purser,\n {3}- who writes them into/m);
    expect(markdown).toMatch(/^```(python)?\ndef departure\(tide, draught\):\n {4}return "go"/m);
    expect(markdown).not.toMatch(/harbour-bulletin|align|xlink/);
  });

  it("reads feeds entry by entry, and the HTML inside them", async () => {
    const news = await extract("python-notices.rss");
    expect(news).toMatchObject({ title: "Harbour office: notices & tides", language: "en-GB" });
    expect(news.markdown).toMatch(
      /^## Eastern pier closed until spring\n\n- creator: Ines Okoye$/m,
    );
    expect(news.markdown).toContain(
      "steel sheaths around the piles from a barge.\n\n- Keep 50 m away;\n- call channel 12",
    );
    expect(news.markdown).toContain("description: The horn on the western mole is silent until");
    expect(news.markdown).not.toMatch(/purl\.org|<p>|internal draft|items follow/);
    const lockbook = await extract("python-lockbook.atom");
    expect(lockbook).toMatchObject({ title: "Schleusenbuch Oberwasser", language: "de" });
    expect(lockbook.markdown).toContain("- level (gauge: Obertor, unit: cm): 412");
    expect(lockbook.markdown).toContain("das Obertor bleibt geschlossen.\n\n| Stunde | Pegel |");
  });
});

it.each(["odt", "rtf", "pdf"])(
  "minutes as %s keep headings and the notes' text",
  async (ending) => {
    const { markdown } = await extract(`libreoffice-minutes.${ending}`);
    expect(markdown).toMatch(/^# Orchard minutes$/m);
    expect(markdown).toMatch(/^## Any other business$/m);
    expect(markdown).toMatch(/(^\[\^1\]:|^1) Counted on the evening of 9 June\.$/m);
  },
);
