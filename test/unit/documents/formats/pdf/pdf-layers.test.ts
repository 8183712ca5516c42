import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";

import { HELVETICA, pdfOf, pdfStream } from "../../../../support/pdf-of.ts";
import { greyPage, textLine } from "../../../../support/scanned-pages.ts";
import { pagesShown, picturesOf } from "../../../../support/sent-pictures.ts";

const TEXT = "Gates open at six";
const DRAFT = "Secret draft of the harbour plan";
const SCAN = "q 480 0 0 640 0 0 cm /I0 Do Q";
const within = (layer: string, content: string) => `/OC /${layer} BDC ${content} EMC\n`;

/** A page whose layer `Off` is off by default; `/I0` and `/I1` show pages 1 and 2. */
function layered(content: string) {
  const [first, second] = [greyPage(1), greyPage(2)];
  const form = "/Type /XObject /Subtype /Form /BBox [0 0 480 640] /OC 5 0 R";
  const fonts = "/Font << /F1 3 0 R >>";
  return new Uint8Array(
    pdfOf([
      "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [4 0 R 5 0 R] /D << /ON [4 0 R] /OFF [5 0 R] >> >> >>",
      "<< /Type /Pages /Count 1 /Kids [6 0 R] >>",
      HELVETICA,
      "<< /Type /OCG /Name (On) >>",
      "<< /Type /OCG /Name (Off) >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 480 640] /Contents 7 0 R /Resources << ${fonts} /XObject << /I0 8 0 R /I1 9 0 R /I2 12 0 R /Fm 10 0 R >> /Properties << /On 4 0 R /Off 5 0 R /Any 11 0 R >> >> >>`,
      pdfStream(content),
      pdfStream(first.data, first.entries),
      pdfStream(second.data, second.entries),
      pdfStream(
        deflateSync(textLine(DRAFT)),
        `${form} /Resources << ${fonts} >> /Filter /FlateDecode`,
      ),
      "<< /Type /OCMD /OCGs [5 0 R] /P /AnyOn >>",
      pdfStream(second.data, `${second.entries} /OC 5 0 R`),
    ]),
  );
}

const NOTE = ["1 hidden layer left out"];
const visibleLine = textLine(TEXT);
const draft = textLine(DRAFT).replace("600", "500");

it.each<[what: string, content: string, expected: string, notes: string[]]>([
  ["text of a layer that is on", within("On", visibleLine), TEXT, []],
  ["no text of a hidden layer", within("Off", draft) + visibleLine, TEXT, NOTE],
  ["no text within", within("Off", `/P BMC ${draft} EMC ${draft}`) + visibleLine, TEXT, NOTE],
  ["no text of a hidden membership", within("Any", draft) + visibleLine, TEXT, NOTE],
  ["no text of a hidden form", `/Fm Do ${visibleLine}`, TEXT, NOTE],
  ["text behind a damaged layer", within("None", visibleLine), TEXT, []],
])("a page gives %s", async (_what, content, expected, notes) => {
  const { document } = await picturesOf("layers.pdf", layered(content));
  expect(document).toMatchObject({ markdown: expected, notes });
});

it.each<[what: string, content: string]>([
  ["a picture over the page", SCAN + within("Off", SCAN.replace("I0", "I1"))],
  ["a picture that names its layer", `${SCAN} ${SCAN.replace("I0", "I2")}`],
  ["hidden text over a scan", SCAN + within("Off", draft)],
])("of a page with a hidden layer, only what it shows is sent: %s", async (_what, content) => {
  const { pictures, document } = await picturesOf("layers.pdf", layered(content));
  expect(await pagesShown(pictures)).toEqual([1]);
  expect(document.notes).toContain("1 hidden layer left out");
});
