import { describe, expect, it } from "vitest";

import { HELVETICA, pageOf } from "../../../../support/pdf-of.ts";
import { readPdf } from "../../../../support/read-document.ts";

type Line = [x: number, y: number, text: string, font?: string];

const BOLD = HELVETICA.replace("Helvetica", "Helvetica-Bold");

const readLines = async (lines: Line[]) => {
  const drawn = lines.map(
    ([x, y, text, font = "F1"]) => `BT /${font} 10 Tf ${x} ${y} Td (${text}) Tj ET\n`,
  );
  return (await readPdf(pageOf(drawn.join(""), HELVETICA, BOLD))).markdown;
};

const rowOf = (y: number, xs: number[], cells: string[]): Line[] =>
  cells.flatMap((cell, at) => (cell === "" ? [] : [[xs[at] ?? 0, y, cell]]));

const tableOf = (rows: string[], xs: number[]): Line[] =>
  rows.flatMap((row, at) => rowOf(700 - at * 14, xs, row.split("|")));

const PROSE = [
  "The harbour office keeps a list of the boats that",
  "lie at the quay, and each of the skippers signs it",
  "on the evening of arrival. Whoever stays for more",
  "than a week pays half of the fee for the days that",
  "follow, and nothing at all when a storm keeps the",
  "boat at the quay. Salt and wool are weighed in the",
  "hall, under the eyes of the master of the harbour,",
  "and the fee for it is paid to the office at noon.",
];
const OTHER = PROSE.toReversed().map((line) => line.replace("harbour", "lagoon"));
const column = (x: number, top: number, texts: string[]) =>
  texts.map((text, at): Line => [x, top - at * 12, text]);

describe("beside a table, the words of a chart", () => {
  const table = tableOf(
    ["Port|Boats", "Brake|1.783", "Varel|1.726", "Elsfleth|1.451", "Nordenham|1.241", "Jade|732"],
    [60, 200],
  );
  const words = ["Boats by port", "Brake", "Varel", "Elsfleth", "Nordenham", "Jade", "0 to 2.000"];
  const chart = words.map((text, at): Line => [330, 706 - at * 12.3, text]);
  const markdown =
    "| Port | Boats |\n| --- | --- |\n| Brake | 1.783 |\n| Varel | 1.726 |\n| Elsfleth | 1.451 |\n| Nordenham | 1.241 |\n| Jade | 732 |";

  it("leave the table whole", async () => {
    expect(await readLines([...table, ...chart])).toContain(markdown);
  });

  it("leave it whole below a title that was drawn first", async () => {
    const whole = await readLines([[330, 740, "Ports"], ...table, ...chart]);
    expect(whole).toMatch(/^Ports\n\nBoats by port\n\n\| Port/);
    expect(whole).toContain(markdown);
  });
});

describe("two columns of prose are read one after the other", () => {
  const whole = (lines: string[]) => lines.join(" ");

  it("beside a figure that stands above the second", async () => {
    const figure = ["Quay", "Hall", "Gate"].map((text, at): Line => [340 + at * 70, 690, text]);
    const markdown = await readLines([
      ...column(50, 700, [...PROSE, ...OTHER]),
      ...figure,
      ...column(320, 640, [...PROSE, ...PROSE.slice(0, 7)]),
      // A page's foot is drawn last, and its number beyond the column.
      [50, 60, "Harbour rules"],
      [580, 60, "95"],
    ]);
    expect(markdown).toContain(whole([...PROSE, ...OTHER]));
    expect(markdown).toContain(whole([...PROSE, ...PROSE.slice(0, 7)]));
  });

  it("where headings and sizes keep their lines from standing level", async () => {
    const short = OTHER.map((line) => line.split(" ").slice(0, 5).join(" "));
    const markdown = await readLines([
      ...column(50, 700, short),
      ...short.map((text, at): Line => [200, 697.5 - at * 11, text.replace("lagoon", "bay")]),
      ...PROSE.map((text, at): Line => [340, 699 - at * 13, text.replace("harbour", "strait")]),
    ]);
    expect(markdown).toContain(whole(short));
    expect(markdown).toContain(whole(PROSE).replaceAll("harbour", "strait"));
  });

  it("below a wide listing with columns of its own", async () => {
    const listing = Array.from({ length: 20 }, (_, at): Line[] => [
      [50, 780 - at * 12, `step ${at}`],
      [160, 780 - at * 12, `${"the fee of the evening ".repeat(1 + (at % 7) / 3)}${at}`],
    ]).flat();
    const markdown = await readLines([
      ...listing,
      ...column(50, 500, [...PROSE, ...PROSE]),
      ...column(320, 500, [...OTHER, ...OTHER]),
    ]);
    expect(markdown).toContain(whole([...PROSE, ...PROSE]));
    expect(markdown).toContain(whole([...OTHER, ...OTHER]));
  });
});

it("keeps an address apart from the table beside it", async () => {
  const address = [
    "To: Orange Ltd.",
    "23 Main Street",
    "12123 Marineville",
    "Central Coast",
    "USA",
  ];
  const facts = [
    "Customer|Bayside Wholesale",
    "Invoice Number|INV-46",
    "Due Date|Jun 3",
    "Amount|273.13",
  ];
  const table = facts.flatMap((row, at) => rowOf(697 - at * 17, [330, 430], row.split("|")));
  expect(await readLines([...column(60, 700, address), ...table])).toContain(
    "| Customer | Bayside Wholesale |\n| --- | --- |\n| Invoice Number | INV-46 |\n| Due Date | Jun 3 |\n| Amount | 273.13 |",
  );
});

it("reads three level columns of short lines, drawn from the right, one by one", async () => {
  const texts = ["boats", "ferries", "barges"].map((word) => [
    `${word} are to pay at`,
    "the office of the harbour",
    "before noon. Whoever",
    "comes later",
    "pays on the day that",
    "follows, and half more",
  ]);
  const columns = texts.map((text, at) => column(50 + at * 170, 700, text));
  const markdown = await readLines([[50, 740, "1"], ...columns.toReversed().flat()]);
  expect(markdown).toContain(texts.map((text) => text.join(" ")).join("\n\n"));
});

it("keeps a table whole whose columns repeat a few words", async () => {
  const names = ["Abel of Saltholm, Norma", "Albrieu Edmundo, Oscar", "Alonso Varel, Lucia"];
  const rows = [...names, ...names, ...names].flatMap((name, at): Line[] => [
    [200, 700 - at * 16, "Front of the harbour"],
    [440, 700 - at * 16, "Affirmative"],
    [50, 700 - at * 16, name],
    [330, 699.2 - at * 16, at % 2 === 0 ? "Rio Negro" : "Buenos Aires"],
  ]);
  expect(await readLines(rows)).toContain(
    "| Alonso Varel, Lucia | Front of the harbour | Rio Negro | Affirmative |",
  );
});

it("joins lines of cells that stand at the bottom of their row to that row", async () => {
  const xs = [50, 120, 300];
  const rows: Line[] = [
    ...rowOf(700, xs, ["No", "Address", "Town"]),
    ...rowOf(686, xs, ["12", "7100 Terminal Drive at the gate", "Brake"]),
    [50, 662, "13"],
    ...column(120, 674, ["7777 East Apache Drive by the", "quay"]),
    [300, 662, "Varel"],
    ...rowOf(648, xs, ["14", "810 Hague Avenue", "Jade"]),
  ];
  expect(await readLines(rows)).toBe(
    "| No | Address | Town |\n| --- | --- | --- |\n| 12 | 7100 Terminal Drive at the gate | Brake |\n| 13 | 7777 East Apache Drive by the quay | Varel |\n| 14 | 810 Hague Avenue | Jade |",
  );
});

describe("tables side by side", () => {
  const XS = [50, 130, 220, 300, 390, 470];

  it("are one where it was folded to fit the page", async () => {
    const rows = [
      "Age|Boats|Age|Boats",
      "1 year|12|4 years|9",
      "2 years|31|5 years|",
      "3 years|7||",
    ];
    expect(await readLines(tableOf(rows, XS))).toBe(
      "| Age | Boats |\n| --- | --- |\n| 1 year | 12 |\n| 2 years | 31 |\n| 3 years | 7 |\n| 4 years | 9 |\n| 5 years |  |",
    );
  });

  it("are several where each has a name of its own", async () => {
    const rows = [
      "Salt|Boats|Wool|Boats|Oil|Boats",
      "Brake|12|Varel|9|Jade|4",
      "Jade|3|Jade|2|Brake|1",
    ];
    expect(await readLines(tableOf(rows, XS))).toBe(
      ["Salt|Brake|12|Jade|3", "Wool|Varel|9|Jade|2", "Oil|Jade|4|Brake|1"]
        .map((table) => {
          const [name, ...cells] = table.split("|");
          return `| ${name} | Boats |\n| --- | --- |\n| ${cells[0]} | ${cells[1]} |\n| ${cells[2]} | ${cells[3]} |`;
        })
        .join("\n\n"),
    );
  });

  it("stay one where the columns that differ are labelled the same", async () => {
    const rows = ["Name|Smith|Name|Smith", "Born|1961|Born|1964", "Port|Brake|Port|Jade"];
    expect(await readLines(tableOf(rows, XS))).toContain("| Born | 1961 | Born | 1964 |");
  });

  it("stay one where each row says who belongs together", async () => {
    const rows = ["Team|Goals|Team|Goals", "Jade|3|Varel|1", "Brake|0|Salt|2", "Tide|2|Kai|2"];
    expect(await readLines(tableOf(rows, XS))).toContain("| Brake | 0 | Salt | 2 |");
  });
});

it("joins the lines of a cell beside which a figure is centred", async () => {
  const rows: Line[] = [
    ...rowOf(700, [60, 330], ["Topic", "Calls"]),
    ...column(60, 686, [
      "Other policies, among them those of",
      "trade, of the lagoon and of the",
      "islands, their ferries and lights",
      "and the dikes",
    ]),
    [330, 668, "4.330"],
    ...rowOf(636, [60, 330], ["Dredging", "119"]),
    ...rowOf(622, [60, 330], ["Pilots", "2.003"]),
  ];
  expect(await readLines(rows)).toMatch(
    /4\.330 \|\n(\|.*\n)*\| Dredging \| 119 \|\n\| Pilots \| 2\.003 \|$/,
  );
});

describe("a short line in a font of its own", () => {
  it("is the heading of the text that follows at the same distance", async () => {
    const lines = [[50, 700, "3.3 Fees", "F2"] satisfies Line, ...column(50, 688, PROSE)];
    expect(await readLines(lines)).toMatch(/^#+ 3\.3 Fees\n\nThe harbour office/);
  });

  it("is none where its sentence goes on", async () => {
    const lines = [
      [50, 700, "Fees are paid by", "F2"] satisfies Line,
      ...column(50, 688, PROSE.slice(1)),
    ];
    expect(await readLines(lines)).toMatch(/^Fees are paid by lie at/);
  });
});
