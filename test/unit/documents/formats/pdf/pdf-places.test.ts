import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import { runToEnd } from "../../../../../src/core/work/cooperative.ts";
import { partsOf } from "../../../../../src/documents/formats/pdf/layout/page-blocks.ts";
import { HELVETICA, pageOf, pagesOf, pdfOf, pdfStream } from "../../../../support/pdf-of.ts";
import { readPdf } from "../../../../support/read-document.ts";

type Text = [text: string, x: number, y: number];

const UPRIGHT = "1 0 0 1";
const ESCAPED = /[()\\]/g;

const drawn = (texts: Text[], turn = UPRIGHT, size = 10) =>
  texts
    .map(([text, x, y]) => {
      const literal = text.replace(ESCAPED, "\\$&");
      return `BT /F1 ${size} Tf ${turn} ${x} ${y} Tm (${literal}) Tj ET\n`;
    })
    .join("");

const markdownOf = async (...pages: string[]) => (await readPdf(pagesOf(pages))).markdown;

/** Cells of rows by the columns' places, 18 points apart. */
const cellsOf = (rows: string[][], places: number[], top = 700): Text[][] =>
  rows.map((row, line) =>
    row.flatMap((text, at): Text[] =>
      text === "" ? [] : [[text, places[at] ?? 0, top - line * 18]],
    ),
  );

const tableOf = ([header = [], ...rows]: string[][]) =>
  [header, header.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

const LABORATORY = [
  ["Test", "Method", "Flag", "Result", "Reference"],
  ["Leukocytes", "cytometry", "low", "3.9", "4.0-10.0"],
  ["Neutrophils", "cytometry", "", "2.33", "1.8-6.3"],
  ["Lymphocytes", "cytometry", "", "1.16", "1.1-3.2"],
  ["Monocytes", "cytometry", "", "0.25", "0.1-0.6"],
  ["Platelets", "cytometry", "high", "401", "125-350"],
];
const PLACES = [50, 180, 260, 310, 440];
const PARAGRAPH = [
  "The harbour office keeps a list of the boats that lie",
  "at its quay. Each skipper signs it on arrival and again",
  "before departure, and pays for all nights between them",
  "at the window beside the weigh house until noon. Who",
  "stays longer than a week pays half for the days after.",
];

describe("tables whose cells are drawn in another order than they are read", () => {
  it.each<[string, (rows: Text[][]) => Text[]]>([
    [
      "the name of each row last",
      (rows) => rows.flatMap(([name, ...more]) => (name ? [...more, name] : [])),
    ],
    [
      "column by column",
      (rows) => PLACES.flatMap((place) => rows.flat().filter(([, x]) => x === place)),
    ],
    ["from the bottom", (rows) => rows.toReversed().flat()],
    ["from the right", (rows) => rows.flatMap((row) => row.toReversed())],
  ])("%s", async (_what, order) => {
    const texts = order(cellsOf(LABORATORY, PLACES));
    expect(await markdownOf(drawn(texts))).toBe(tableOf(LABORATORY));
  });
});

it("reads the columns of a table of right-to-left text from the right", () => {
  const rows = [
    ["ספינה", "נמל", "12"],
    ["סירה", "רציף", "7"],
    ["מעבורת", "מזח", "30"],
  ];
  const segments = rows.flatMap((row, line) =>
    row.map((text, at) => {
      const x1 = 500 - at * 150;
      return {
        text,
        x0: x1 - 40,
        x1,
        y: 100 + line * 18,
        size: 10,
        font: "f",
        order: line * 3 + at,
      };
    }),
  );
  const [table] = runToEnd(partsOf(segments.toReversed()));
  expect(table).toMatchObject({ kind: "table", rows });
});

describe("prose that is drawn in another order than it is read", () => {
  const lines = (x: number, top = 700) =>
    PARAGRAPH.map((text, at): Text => [text, x, top - at * 12]);

  it("lines from the bottom", async () => {
    expect(await markdownOf(drawn(lines(50).toReversed()))).toBe(PARAGRAPH.join(" "));
  });

  it("the lines of two columns in turn", async () => {
    const [leftLines, rightLines] = [lines(30), lines(320)];
    const texts = leftLines.flatMap((line, at) => [line, rightLines[at] ?? line]);
    const title = "The rules of the harbour, with an annex on fees for visiting boats of all sizes";
    const markdown = await markdownOf(drawn([...texts, [title, 100, 740]]));
    expect(markdown).toBe([title, PARAGRAPH.join(" "), PARAGRAPH.join(" ")].join("\n\n"));
  });

  it("line numbers before the lines, or with each of them", async () => {
    const spaced = PARAGRAPH.map((text, at): Text => [text, 100, 700 - at * 24]);
    const numbers = spaced.map(([, , y], at): Text => [`${at + 1}`, 40, y]);
    const inTurn = numbers.flatMap((number, at) => [number, spaced[at] ?? number]);
    for (const texts of [[...numbers, ...spaced], inTurn]) {
      expect(await markdownOf(drawn(texts))).toMatch(
        /^1\s+2\s+3\s+4\s+5\s+The harbour.* lie\s+at its quay.* again\s+before/s,
      );
    }
  });
});

it("joins the lines of cells that others are centred beside", async () => {
  const rows: [string, string, string, string][] = [
    ["Lignocaine", "Inj. Lidocaine HCL", "0.01 (1%) 30 ml", "30 ml"],
    ["Adrenaline", "Inj. Epinephrine", "1 mg in 1 ml", "1 ml"],
    ["Atropine", "Inj. Atropine sulphate", "0.6 mg in 1 ml", "10 ml"],
  ];
  const header = ["Drug name", "Specification", "Packing"];
  const texts = rows.flatMap(([name, first, second, packing], at): Text[] => {
    const y = 664 - at * 40;
    return [
      [name, 50, y],
      [first, 200, y + 6],
      [second, 200, y - 6],
      [packing, 400, y],
    ];
  });
  const cells = rows.map(([name, first, second, packing]) => [name, `${first} ${second}`, packing]);
  const markdown = await markdownOf(drawn([...cellsOf([header], [50, 200, 400]).flat(), ...texts]));
  expect(markdown).toBe(tableOf([header, ...cells]));
});

it("keeps two rows apart where a cell begins between them", async () => {
  const cells = (row: string) => row.split("|");
  const rows = ["OK|Yes|No|No", "OR|Yes|Unsure|No", "PA|Yes|No|Yes"].map(cells);
  const texts = cellsOf(rows, PLACES)
    .flat()
    .flatMap(([text, x, y]): Text[] =>
      text === "Unsure"
        ? [
            ["Nobody", x, y + 6],
            ["knows", x, y - 6],
          ]
        : [[text, x, y]],
    );
  expect(await markdownOf(drawn(texts))).toBe(tableOf(rows).replace("Unsure", "Nobody knows"));
  const shares = ["Name|Level|May|June", "|Low|5%|8%", "|High|15%|20%"].map((row) =>
    row.split("|"),
  );
  const lines = shares.flatMap((row, at) => cellsOf([row], PLACES, 700 - at * 14).flat());
  expect(await markdownOf(drawn([...lines, ["Fuel", 50, 679]]))).toMatch(/8% \|\n.*High \| 15%/);
});

it("divides cells that nearly touch where other rows have their columns", async () => {
  const rows = [
    ["Last name", "First name", "Address", "City"],
    ["Lidstad", "Dick", "62 River Blvd", "Saint Paul"],
    ["Strom", "Pam", "1229 Hague Ave", "Saint Paul"],
    ["Schumacher", "Douglas L. / Patricia", "948 County Rd.", "Saint Paul"],
    ["Abrams", "Marjorie", "238 8th St", "Saint Paul"],
  ];
  const texts = cellsOf(rows, [50, 130, 226, 330]).flat();
  expect(await markdownOf(drawn(texts))).toBe(tableOf(rows));
});

describe("text that is turned", () => {
  const TURNS = { upwards: "0 1 -1 0", downwards: "0 -1 1 0", "upside down": "-1 0 0 -1" };
  it.each(Object.entries(TURNS))("%s, as a table", async (_what, turn) => {
    const [cos = 0, sin = 0] = turn.split(" ").map(Number);
    const texts = cellsOf(LABORATORY, PLACES, 0)
      .flat()
      .map(([text, x, y]): Text => [
        text,
        300 + (x - 250) * cos - y * sin,
        400 + (x - 250) * sin + y * cos,
      ]);
    expect(await markdownOf(drawn(texts, turn))).toBe(tableOf(LABORATORY));
    const below: Text[] = PARAGRAPH.map((line, at) => [line, 50, 780 - at * 12]);
    const both = drawn([...below, ...below.map(([line, x, y]): Text => [line, x, y - 700])]);
    expect(await markdownOf(both + drawn(texts, turn))).toContain(tableOf(LABORATORY));
  });

  it("in the margin is no heading, stands within no sentence and is shown once", async () => {
    const stamp = drawn([["arXiv:2004.04906v3 [cs.CL] 30 Sep 2020", 40, 250]], "0 1 -1 0", 20);
    const text = PARAGRAPH.map((line, at): Text => [line, 100, 700 - at * 12]);
    const [first, second] = [drawn(text.slice(0, 3)), drawn(text.slice(3))];
    const title = drawn([["Rules of the harbour", 100, 740]], UPRIGHT, 16);
    const document = await readPdf(pagesOf([title + first + stamp, stamp + second]));
    expect(document.title).toBe("Rules of the harbour");
    expect(document.markdown).toBe(
      `arXiv:2004.04906v3 [cs.CL] 30 Sep 2020\n\n# Rules of the harbour\n\n${PARAGRAPH.slice(0, 3).join(" ")}\n\n${PARAGRAPH.slice(3).join(" ")}`,
    );
  });
});

describe("the header of a table", () => {
  const header = ["Name", "City", "Amount"];
  const names = ["Abrams", "Illia", "Berry", "Willow", "Crouse", "Mill", "Lidstad", "Reese"];
  const rows = (from: number) =>
    Array.from({ length: 6 }, (_unused, at) => [
      names[(from + at) % 8] ?? "",
      "Saint Paul",
      `${from + at}5.00`,
    ]);
  const page = (cells: string[][]) => drawn(cellsOf(cells, [50, 200, 350], 760).flat());

  it("is that of the page before where the table goes on", async () => {
    const markdown = await markdownOf(page([header, ...rows(1)]), page(rows(7)));
    expect(markdown).toBe(`${tableOf([header, ...rows(1)])}\n\n${tableOf([header, ...rows(7)])}`);
  });

  it("is its own where it has one", async () => {
    const otherHeader = ["Boat", "Berth", "Tons"];
    const markdown = await markdownOf(page([header, ...rows(1)]), page([otherHeader, ...rows(7)]));
    expect(markdown).toContain(tableOf([otherHeader, ...rows(7)]));
  });

  it("is empty where the first row has figures", async () => {
    expect(
      await markdownOf(page(rows(1).map(([name = "", , sum = ""]) => [name, sum, sum]))),
    ).toMatch(/^\| {2}\| {2}\| {2}\|\n\| --- \| --- \| --- \|\n\| Illia \| 15\.00 \| 15\.00 \|\n/);
  });
});

it("reads letters once that are drawn twice, one by one, to look bold", async () => {
  const letters = [..."BOLD TEXT"].map((letter, at): Text => [letter, 50 + at * 9, 700]);
  const twice = letters.flatMap(([letter, x, y]): Text[] =>
    letter === " "
      ? []
      : [
          [letter, x, y],
          [letter, x + 0.4, y],
        ],
  );
  const body = drawn([["The harbour office keeps a list of all boats.", 50, 740]], UPRIGHT, 12);
  expect(await markdownOf(body + drawn(twice, UPRIGHT, 12))).toMatch(/\n\nBOLD TEXT$/);
});

it("counts arrays of characters in a font's map as what they are", async () => {
  const map = (array: string) =>
    `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <41> <43> [${array}] endbfrange endcmap end`;
  const font = HELVETICA.replace(">>", "/ToUnicode 6 0 R >>");
  const textWith = async (array: string) =>
    (await readPdf(pageOf("BT /F1 10 Tf 50 700 Td (ABC) Tj ET", font, pdfStream(map(array)))))
      .markdown;
  expect(await textWith("<006600660069> <0062> <00660069>")).toBe("ffibfi");
  expect(await textWith("<0020> <00660066006900660069> <0063>")).toBe("ffifi c".slice(0, 5) + "c");
});

const BOMB = deflateSync(new Uint8Array(60 << 20));
const PIXEL = "/Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray";
const STATES = "q ".repeat(2_500);

it.each([
  ["a picture", "x", `/Subtype /Image ${PIXEL} /Filter [/FlateDecode /RunLengthDecode]`],
  ["a large JPEG", BOMB, `/Subtype /Image ${PIXEL} /Filter [/FlateDecode /DCTDecode]`],
  ["a thumbnail", "x", `${PIXEL} /Filter [/LZWDecode /FlateDecode]`],
  ["an attachment", "x", "/Type /EmbeddedFile /Filter [/FlateDecode /FlateDecode]"],
  [
    "a picture with its colours",
    STATES,
    `/Subtype /Image ${PIXEL} /Alt <${"20".repeat(1_000)}> /Filter /CCITTFaxDecode`,
  ],
])("%s in a file does not keep its text from being read", async (_what, data, entries) => {
  const bytes = pageOf(drawn([["Seen", 50, 700]]), HELVETICA, pdfStream(data, entries));
  expect((await readPdf(bytes)).markdown).toBe("Seen");
});

it("shows the choice that a form shows, not its code", async () => {
  const field = (options: string, value: string) =>
    `<< /Type /Annot /Subtype /Widget /F 4 /P 3 0 R /Rect [200 695 400 715] /DA (/F1 10 Tf 0 g) /FT /Ch /T (b) /V ${value} /Opt [${options}] /Ff 131072 >>`;
  const textWith = async (options: string, value: string) => {
    const bytes = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>",
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [6 0 R] >>",
      pdfStream(drawn([["Port:", 50, 700]])),
      HELVETICA,
      field(options, value),
    ]);
    return (await readPdf(bytes)).markdown.replace(/[|\s-]+/g, " ").trim();
  };
  expect(await textWith("[(SLT) (Saltholm)] [(OTH) (Other)]", "(SLT)")).toBe("Port: Saltholm");
  expect(await textWith("[(SLT) (Saltholm)] [(OTH) (Other)]", "[(SLT) (OTH)]")).toBe(
    "Port: Saltholm, Other",
  );
  expect(await textWith("(Saltholm) (Other)", "(Other)")).toBe("Port: Other");
});
