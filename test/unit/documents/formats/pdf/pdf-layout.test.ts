import { describe, expect, it } from "vitest";

import { RunningHeads } from "../../../../../src/documents/formats/pdf/layout/running-heads.ts";
import type { Segment } from "../../../../../src/documents/formats/pdf/layout/segment.ts";
import { HELVETICA, lineOf, pageOf, pagesOf } from "../../../../support/pdf-of.ts";
import { readPdf } from "../../../../support/read-document.ts";

it.each([
  [
    "joins what a line's end divides",
    [
      "The well-known harbour has an infor-",
      "mation desk and a well-",
      "known crane; see pages 12-",
      "14 of the e-",
      "mail. Vor-",
      "und Nachteile der EU-",
      "Kommission are listed.",
    ],
    "The well-known harbour has an information desk and a well-known crane; see pages 12-14 of the e-mail. Vor- und Nachteile der EU-Kommission are listed.",
  ],
  [
    "keeps hyphens of addresses, options, names and compounds",
    [
      "It is at https://example.com/annual-",
      "report/index.html or https://example.com/a-",
      "1/b by ann-",
      "marie@example.com with --no-",
      "verify for ABC-",
      "defgh and COVID-",
      "19 in a state-",
      "of-the-art infor-",
      "mation desk; the value is -",
      "19 and the EU-",
      "und Landesrecht stays beside \\\\@foot-",
      "note.",
    ],
    "It is at https://example.com/annual-report/index.html or https://example.com/a-1/b by ann-marie@example.com with --no-verify for ABC-defgh and COVID-19 in a state-of-the-art information desk; the value is - 19 and the EU- und Landesrecht stays beside \\@footnote.",
  ],
])("%s", async (_what, lines, whole) => {
  const content = lines.map((text, at) => lineOf(700 - at * 12, `[(${text})]`)).join("");
  expect((await readPdf(pageOf(content))).markdown).toBe(whole);
});

describe("what pages repeat at their edges", () => {
  const readPages = async (head: (page: number) => string) => {
    const content = (_unused: unknown, at: number) =>
      lineOf(800, `[(${head(at + 1)})]`) +
      [0, 1, 2, 3, 4]
        .map((line) =>
          lineOf(700 - line * 60, `[(Body ${"abcdefghijkl"[at]} number ${line} of it)]`),
        )
        .join("") +
      lineOf(30, `[(${at + 5})]`);
    const { markdown } = await readPdf(pagesOf(Array.from({ length: 12 }, content)));
    return markdown;
  };

  it("goes with its page number, but for the first page", async () => {
    const markdown = await readPages((page) => `Rules of 2024, page ${page}`);
    expect(markdown.match(/Rules of 2024/g)).toHaveLength(1);
    expect(markdown.match(/^\d+$/gm)).toEqual(["5"]);
  });

  it("stays where its numbers tell the pages apart", async () => {
    const markdown = await readPages((page) => `Invoice ${(page * 37) % 101} of 2024`);
    expect(markdown.match(/Invoice \d+ of 2024/g)).toHaveLength(12);
  });

  /** The pages' lines at the top that are kept. */
  const keptHeads = (pages: Segment[][], marks: string[]) => {
    const sample = new Map(pages.map((page, at) => [at + 1, page]));
    const bookmarks = new Map(marks.map((mark) => [mark, 1]));
    const heads = new RunningHeads(sample, { bodySize: 10, bookmarks });
    const remainder = pages.flatMap((page, at) => heads.removeFrom(page, at + 1));
    return remainder.filter(({ y }) => y < 100).map(({ text }) => text);
  };
  const segment = (text: string, y: number, size = 10): Segment => {
    return { text, x0: 50, x1: 200, y, size, font: "f", order: y };
  };

  it.each([
    [16, [], 8],
    [10, ["lesson2", "lesson3"], 3],
    [10, [], 1],
  ])("stays where it is a heading that counts along: size %s, %j", (size, marks, count) => {
    const pages = Array.from({ length: 8 }, (_unused, at) => [
      segment(`Lesson ${at + 1}`, 40, size),
      ...[200, 300, 400, 500].map((y) => segment(`Text ${at} at ${y}`, y)),
    ]);
    expect(keptHeads(pages, marks)).toHaveLength(count);
  });

  /** Ten pages of rows from the top of the page; cells by where they begin. */
  const readRows = async (rows: (page: number) => [number, string][][]) => {
    const content = (_unused: unknown, at: number) =>
      rows(at + 1)
        .flatMap((row, line) =>
          row.map(([x, text]) => `BT /F1 10 Tf ${x} ${780 - line * 20} Td (${text}) Tj ET\n`),
        )
        .join("");
    const { markdown } = await readPdf(pagesOf(Array.from({ length: 10 }, content)));
    return markdown;
  };
  const goods = ["rope", "tar", "oakum", "canvas", "pitch", "chain"];

  it("stays where it is a table's figures or a sum, though the page number goes", async () => {
    const table = await readRows((page) => [
      ...goods.map((name, row): [number, string][] => [
        [50, `${name} of lot ${"abcdefghij"[page - 1]}`],
        [250, `${1000 + page * 37 + row}`],
        [350, `${(page + row) * 77}`],
      ]),
      [[290, `${page}`]],
    ]);
    expect(table).toContain("| rope of lot b | 1074 | 154 |");
    expect(table.match(/ \| \d+ \| \d+ \|/g)).toHaveLength(60);
    expect(table.match(/^\d+$/gm)).toEqual(["1"]);
    const figures = await readRows((page) =>
      goods.map((_name, row) => [50, 150, 250].map((x) => [x, `${x * 10 + row * 100 + page}`])),
    );
    expect(figures.match(/\d+ \| \d+ \| \d+/g)).toHaveLength(60);
    const units = await readRows((page) =>
      goods.map((name, row) => [
        [50, `${name} ${"abcdefghij"[page - 1]}`],
        [150, `${(page + row) * 77} by ${"jihgfedcba"[page - 1]}${row}`],
        [250, "hundredweight"],
      ]),
    );
    expect(new Set(units.match(/by .. \| hundredweight/g)).size).toBe(60);
    const sums = await readRows((page) => [
      ...goods.map((name): [number, string][] => [[50, `${name} as of day ${page * page}`]]),
      [
        [50, "Sum"],
        [250, `${page * 11 + 5},00`],
      ],
      [[290, `${page},50`]],
    ]);
    expect(sums.match(/Sum[ |]+\d+,00/g)).toHaveLength(10);
    expect(sums.match(/\b\d+,50/g)).toHaveLength(10);
  });

  it.each([
    ["12", ["3"]],
    ["- 12 -", ["3"]],
    ["12 / 21", ["3", "21"]],
  ])("goes as a page number such as %s", async (form, onFirst) => {
    const formOn = (page: number) => form.replace("12", `${page + 2}`);
    const markdown = await readRows((page) => [
      [
        [50, "The harbour's rules"],
        [500, formOn(page)],
      ],
      ...goods.map((name): [number, string][] => [
        [50, `${name} of lot ${"abcdefghij"[page - 1]}`],
      ]),
    ]);
    expect(markdown.match(/The harbour's rules/g)).toHaveLength(1);
    expect(markdown.match(/\d+/g)).toEqual(onFirst);
  });

  it("goes as a page number beside a title that changes, which stays with its section", async () => {
    const section = (page: number) => Math.ceil(page / 3);
    const markdown = await readRows((page) => [
      [
        [50, `${section(page)}`],
        [70, `Rules of ${goods[section(page)]}`],
        [500, `${page + 20}`],
      ],
      ...goods.map((name): [number, string][] => [[50, `${name} is in store`]]),
    ]);
    expect(markdown.match(/\d[ |]+Rules of \w+/g)).toHaveLength(10);
    expect(markdown.match(/\b2\d\b/g)).toEqual(["21"]);
  });

  it.each([
    ["goes where it names the chapter, and a heading of that name stays", true, 3],
    ["stays where it is the only title, as on slides", false, 12],
  ])("%s", (_what, hasHeadings, count) => {
    const titles = ["Berths", "Cranes and winches", "Tolls"];
    const pages = Array.from({ length: 12 }, (_unused, page) => {
      const chapter = Math.floor(page / 4);
      const head = segment(`CHAPTER ${chapter + 1}. ${titles[chapter]?.toUpperCase()}`, 40);
      const heading = segment(`${chapter + 1} ${titles[chapter]}`, 90);
      const isFirst = hasHeadings && page % 4 === 0;
      const body = [120, 200, 300, 400].map((y) => segment(`Text ${page} at ${y}`, y));
      return [isFirst ? heading : head, ...body];
    });
    expect(keptHeads(pages, ["1berths", "2cranesandwinches", "3tolls"])).toHaveLength(count);
  });
});

it("keeps an entry of a table of contents without the dots that lead to its page", async () => {
  const entry = (y: number, name: string, page: number) =>
    lineOf(y, `[(${name} . . . . . . . . . . . . . . . . . . . . ${page})]`);
  const content =
    entry(700, "Berths", 4) + entry(670, "Cranes", 12) + lineOf(600, "[(Wait .... here)]");
  expect((await readPdf(pageOf(content))).markdown).toBe(
    "Berths … 4\n\nCranes … 12\n\nWait .... here",
  );
});

describe("lines of letters that are all as wide as each other", () => {
  const COURIER = HELVETICA.replace("/Helvetica", "/Courier");
  const listing = [
    ["def open_gate(level):", 0],
    ["if level > 3:", 4],
    ["raise Flood(level)", 8],
    ["return True", 4],
  ] as const;
  const pageWith = (prose: string[], isNumbered = false) => {
    const typed = listing.map(
      ([text, indent], at) =>
        `BT /F2 10 Tf ${60 + indent * 6} ${600 - (at > 2 ? at + 1 : at) * 12} Td (${text}) Tj ET\n`,
    );
    if (isNumbered) {
      for (const [at, code] of typed.entries()) {
        const y = 600 - (at > 2 ? at + 1 : at) * 12;
        typed[at] = `BT /F1 6 Tf 40 ${y} Td (${at + 1}) Tj ET\n${code}`;
      }
    }
    const text = prose.map((each, at) => lineOf(700 - at * 12, `[(${each})]`));
    return pageOf([...text, ...typed].join(""), HELVETICA, COURIER);
  };

  const prose = [
    "The gate is opened by this function, which the keeper calls",
    "whenever a boat waits below and the level of the river allows.",
  ];

  it("are a listing with its indentation", async () => {
    expect((await readPdf(pageWith(prose))).markdown).toBe(
      `${prose.join(" ")}\n\n\`\`\`\n${[
        "def open_gate(level):",
        "    if level > 3:",
        "        raise Flood(level)",
        "",
        "    return True",
      ].join("\n")}\n\`\`\``,
    );
  });

  it("may be numbered in another font", async () => {
    const { markdown } = await readPdf(pageWith(prose, true));
    expect(markdown).toMatch(/```\n1 +def open_gate\(level\):\n2 {5,}if level > 3:\n/);
  });

  it("are paragraphs where all of a document is typed so", async () => {
    expect((await readPdf(pageWith(["Note"]))).markdown).not.toContain("```");
  });
});

it("reads figures with others below them, cell by cell, as one row of a table", async () => {
  const row = (cells: string[][], y: number) =>
    cells.flatMap((lines, at) =>
      lines.map((text, line) => `BT /F1 10 Tf ${50 + at * 90} ${y - line * 12} Td (${text}) Tj ET`),
    );
  const rows = [["Salt"], ["Tar"], ["Oil"]].map((name) => [name, ["5", "3%"], ["7", "4%"]]);
  const plain = ["Fish", "Wool", "Hemp", "Rope"].map((name) => [[name], ["6"], ["8"]]);
  const drawn = [[["Good"], ["May"], ["June"]], ...rows, ...plain].flatMap((cells, at) =>
    row(cells, 700 - at * 30),
  );
  const { markdown } = await readPdf(pageOf(drawn.join("\n")));
  expect(markdown).toContain("| Salt | 5 3% | 7 4% |");
});
