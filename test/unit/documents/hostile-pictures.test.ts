import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";

import { extractDocument } from "../../../src/documents/extract-document.ts";
import PICTURES from "../../fixtures/pictures.json" with { type: "json" };
import { unitsOf } from "../../support/growth/growth.ts";
import { coded, flate, greyPage, scannedPdf, SIZE } from "../../support/scanned-pages.ts";
import type { PictureObject, ScannedPage } from "../../support/scanned-pages.ts";

const bytesOf = (name: keyof typeof PICTURES) =>
  new Uint8Array(Buffer.from(PICTURES[name], "base64"));

/** The bytes with some replaced, `at` places. */
function patched(bytes: Uint8Array, at: number, ...values: number[]): Uint8Array {
  const copy = bytes.slice();
  copy.set(values, at);
  return copy;
}
const numbers = (...values: number[]) =>
  values.flatMap((value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);

/** Where the dimensions of a JPEG lie: in its frame. */
const frameOf = (jpeg: Uint8Array) =>
  jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xc0);
const sizeOf = (jpx: Uint8Array) =>
  jpx.findIndex((byte, at) => byte === 0xff && jpx[at + 1] === 0x51);

const sized = (
  width: number,
  height: number,
  entries: string,
  data = new Uint8Array(9),
): PictureObject => ({
  data: deflateSync(data),
  entries: `/Subtype /Image /Width ${width} /Height ${height} /Filter /FlateDecode ${entries}`,
});
const GREY = "/ColorSpace /DeviceGray /BitsPerComponent 8";
const RGB = "/ColorSpace /DeviceRGB /BitsPerComponent 8";
const BITS = "/ColorSpace /DeviceGray /BitsPerComponent 1";
const INDEXED_BITS = "/ColorSpace [/Indexed /DeviceRGB 1 <FFFFFF102030>] /BitsPerComponent 1";
const ZEROS = new Uint8Array(8_000_000);

const segment = (number: number, type: number, data: number[]) => [
  ...numbers(number),
  type,
  0,
  1,
  ...numbers(data.length),
  ...data,
];
/** A JBIG2 page and its segments. */
const jbig2 = (page: [number, number], ...segments: number[][]) =>
  coded(
    Uint8Array.from([...segment(0, 48, [...numbers(...page, 0, 0), 0, 0, 0]), ...segments.flat()]),
    "/JBIG2Decode",
    BITS,
  );
const NOISE = Array.from({ length: 60 }, (_, at) => (at * 97) & 255);
const region = (width: number, height: number, flags: number) =>
  segment(1, 38, [
    ...numbers(width, height, 0, 0),
    0,
    flags,
    3,
    255,
    253,
    255,
    2,
    254,
    254,
    254,
    ...NOISE,
  ]);
const textRegion = (instances: number) =>
  segment(2, 6, [...numbers(48, 64, 0, 0), 0, 0, 0, ...numbers(instances), ...NOISE]);
const symbols = (count: number) =>
  segment(1, 0, [0, 0, 3, 255, 253, 255, 2, 254, 254, 254, ...numbers(count, count), ...NOISE]);
const patterns = (count: number) => segment(1, 16, [0, 255, 255, ...numbers(count), ...NOISE]);

const fax = (columns: number, rows: number, data = bytesOf("g4")) => ({
  data,
  entries: `/Subtype /Image /Width ${columns} /Height ${rows} /Filter /CCITTFaxDecode ${BITS} /DecodeParms << /K -1 /Columns ${columns} /Rows ${rows} >>`,
});
const jpx = (bytes: Uint8Array, size = SIZE) => ({
  data: bytes,
  entries: `/Subtype /Image /Width ${size.width} /Height ${size.height} /Filter /JPXDecode`,
});
const sizedJpx = (width: number, height: number) =>
  patched(bytesOf("jpxRgb"), sizeOf(bytesOf("jpxRgb")) + 6, ...numbers(width, height));
const sizedJpeg = (name: "rgb" | "cmyk", side: number) =>
  patched(bytesOf(name), frameOf(bytesOf(name)) + 5, side >> 8, side & 255, side >> 8, side & 255);

const page = (picture: PictureObject, more: Partial<ScannedPage> = {}) =>
  scannedPdf([{ pictures: [picture], ...more }]);
const repeated = (count: number, draw: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => draw(at)).join("\n");
const png = (width: number, height: number) =>
  patched(bytesOf("png"), 16, ...numbers(width, height));
const gif = (...bytes: number[]) =>
  Uint8Array.from([...Buffer.from("GIF89a"), 48, 0, 64, 0, 0x80, 0, 0, ...bytes]);
const webp = (kind: string, ...bytes: number[]) =>
  Uint8Array.from([...Buffer.from(`RIFF\0\0\0\0WEBP${kind}`), ...bytes]);

const LARGE = flate(new Uint8Array(4_000_000), GREY, { width: 2_000, height: 2_000 });

const FILES: [name: string, bytes: Uint8Array][] = [
  ["a grey picture of 10 gigapixels.pdf", page(sized(100_000, 100_000, GREY))],
  ["a colour picture of 50 megapixels.pdf", page(sized(10_000, 5_000, RGB))],
  [
    "a stencil of 4 gigapixels.pdf",
    page(sized(65_000, 65_000, "/ImageMask true /BitsPerComponent 1")),
  ],
  ["a bilevel picture of 100 megapixels.pdf", page(sized(10_000, 10_000, BITS))],
  [
    "a picture of 16 bits and 30 megapixels.pdf",
    page(sized(6_000, 5_000, "/ColorSpace /DeviceRGB /BitsPerComponent 16")),
  ],
  ["a small picture of 150 megabytes.pdf", page(sized(48, 64, GREY, new Uint8Array(150 << 20)))],
  ["59 megapixels of indexed bits.pdf", page(sized(59_000, 1_000, INDEXED_BITS, ZEROS))],
  ["negative dimensions.pdf", page(sized(-5, 5, GREY))],
  ["no dimensions.pdf", page({ data: new Uint8Array(9), entries: "/Subtype /Image" })],
  [
    "dimensions that are no numbers.pdf",
    page({ data: new Uint8Array(9), entries: "/Subtype /Image /Width (a) /Height [1]" }),
  ],
  ["fewer bytes than pixels.pdf", page(sized(1_000, 1_000, RGB))],
  [
    "a colour space without end.pdf",
    page(sized(48, 64, `/ColorSpace ${"[/Indexed ".repeat(500)} /BitsPerComponent 8`)),
  ],
  [
    "a JPEG of 4 gigapixels.pdf",
    page(coded(sizedJpeg("rgb", 65_500), "/DCTDecode", RGB), {
      content: "q 0 -640 480 0 0 640 cm /I0 Do Q",
    }),
  ],
  [
    "a CMYK JPEG of 4 gigapixels.pdf",
    page(
      coded(sizedJpeg("cmyk", 65_500), "/DCTDecode", "/ColorSpace /DeviceCMYK /BitsPerComponent 8"),
    ),
  ],
  [
    "half a JPEG that is turned.pdf",
    page(coded(bytesOf("rgb").slice(0, 120), "/DCTDecode", RGB), {
      content: "q 0 -640 480 0 0 640 cm /I0 Do Q",
    }),
  ],
  ["a JPEG of zeros.pdf", page(coded(new Uint8Array(2_000), "/DCTDecode", RGB))],
  [
    "a packed bomb as JPEG.pdf",
    page(coded(deflateSync(new Uint8Array(60 << 20)), "[/FlateDecode /DCTDecode]", RGB)),
  ],
  [
    "a bomb within a bomb.pdf",
    page(coded(deflateSync(deflateSync(new Uint8Array(200 << 20))), "[/Fl /Fl]", GREY)),
  ],
  [
    "a bomb within LZW.pdf",
    page(
      coded(
        Uint8Array.from({ length: 400_000 }, (_, at) => at % 251),
        "[/LZW /Fl]",
        GREY,
      ),
    ),
  ],
  ["a JPX of 16 exapixels.pdf", page(jpx(sizedJpx(0xffffffff, 0xffffffff)))],
  ["a JPX of 60 megapixels.pdf", page(jpx(sizedJpx(10_000, 6_000)))],
  [
    "a JPX whose tiles are one pixel.pdf",
    page(jpx(patched(sizedJpx(3_000, 3_000), sizeOf(bytesOf("jpxRgb")) + 22, ...numbers(1, 1)))),
  ],
  ["half a JPX.pdf", page(jpx(bytesOf("jpxRgb").slice(0, 300)))],
  ["a JPX without a size.pdf", page(jpx(new Uint8Array(500)))],
  ["a JBIG2 page of 16 exapixels.pdf", page(jbig2([0xffffffff, 0xffffffff]))],
  ["a JBIG2 region of 4 gigapixels.pdf", page(jbig2([48, 64], region(65_000, 65_000, 0)))],
  ["a JBIG2 fax of 4 gigapixels.pdf", page(jbig2([48, 64], region(65_000, 65_000, 1)))],
  ["a JBIG2 region that predicts rows.pdf", page(jbig2([48, 64], region(1, 0x7fffffff, 8)))],
  ["JBIG2 with 4 billion symbols.pdf", page(jbig2([48, 64], symbols(0xfffffff0)))],
  ["JBIG2 with 4 billion patterns.pdf", page(jbig2([48, 64], patterns(0x00ffffff)))],
  [
    "JBIG2 text of 4 billion symbols.pdf",
    page(jbig2([48, 64], symbols(1), textRegion(0xfffffff0))),
  ],
  [
    "JBIG2 segments without end.pdf",
    page(jbig2([48, 64], ...Array.from({ length: 2_000 }, () => region(4_000, 4_000, 0)))),
  ],
  ["a fax of 4 billion columns.pdf", page(fax(0xffffffff, 1))],
  ["a fax of 60 million rows.pdf", page(fax(1, 60_000_000))],
  ["a fax of zeros.pdf", page(fax(20_000, 500, new Uint8Array(100_000)))],
  [
    "thousands of strips.pdf",
    page(greyPage(1), {
      content: repeated(5_000, (at) => `q 480 0 0 1 0 ${at % 640} cm /I0 Do Q`),
    }),
  ],
  [
    "hundreds of layers.pdf",
    page(greyPage(1), { content: repeated(900, () => "q 480 0 0 640 0 0 cm /I0 Do Q") }),
  ],
  [
    "hundreds of thousands of operators.pdf",
    page(greyPage(1), {
      content: `q 480 0 0 640 0 0 cm /I0 Do Q ${"0 0 m 1 1 l S ".repeat(210_000)}`,
    }),
  ],
  [
    "a fine picture beside a wide one.pdf",
    scannedPdf([
      {
        pictures: [greyPage(1), greyPage(2)],
        content:
          "q 480 0 0 640 0 0 cm /I0 Do Q q .001 0 0 .001 0 0 cm /I1 Do Q q 100 0 0 9e9 0 0 cm /I1 Do Q",
      },
    ]),
  ],
  [
    "a matrix without an area.pdf",
    page(greyPage(1), { content: "q 480 0 0 640 0 0 cm /I0 Do Q q 480 0 480 0 0 0 cm /I0 Do Q" }),
  ],
  [
    "numbers that are none.pdf",
    page(greyPage(1), {
      content: "q 480 0 0 640 0 0 cm /I0 Do Q q 1e999 0 0 1e999 0 0 cm /I0 Do Q",
    }),
  ],
  [
    "a hundred large pictures.pdf",
    scannedPdf([
      {
        pictures: Array.from({ length: 100 }, () => LARGE),
        content: repeated(100, (at) => `q 480 0 0 640 0 0 cm /I${at} Do Q`),
      },
    ]),
  ],
  ["a PNG of 10 gigapixels.png", png(100_000, 100_000)],
  ["a PNG without a size.png", png(0, 0)],
  ["half a PNG.png", bytesOf("png").slice(0, 20)],
  ["a photo of 4 gigapixels.jpg", sizedJpeg("rgb", 65_500)],
  ["a JPEG in arithmetic coding.jpg", patched(bytesOf("rgb"), frameOf(bytesOf("rgb")) + 1, 0xc9)],
  ["a JPEG without a height.jpg", patched(bytesOf("rgb"), frameOf(bytesOf("rgb")) + 5, 0, 0)],
  [
    "a JPEG of markers alone.jpg",
    Uint8Array.from([0xff, 0xd8, ...new Uint8Array(100_000).fill(0xff)]),
  ],
  ["an animation that ends nowhere.gif", gif(0x21, 0xf9, 4, 0, 0, 0, 0, 0)],
  [
    "an animation of extensions.gif",
    gif(...Array.from({ length: 20_000 }, () => [0x21, 0xfe, 1, 65, 0]).flat()),
  ],
  ["an animation of 60,000 colours.gif", gif(0x2c, 0, 0, 0, 0, 48, 0, 64, 0, 0x87)],
  [
    "a WebP of 256 terapixels.webp",
    webp("VP8X", ...new Uint8Array(8), 255, 255, 255, 255, 255, 255, 0, 0),
  ],
  ["a WebP of nothing.webp", webp("VP8 ")],
];

/** Processor time, as for other hostile files. */
const LIMIT_UNITS = 4_000;
const SENTENCE = /^(?:a picture|page 1) was left out: [a-z][^\n]{5,120}$/;

it.each(FILES)("%s ends in a sentence, and soon", async (name, bytes) => {
  const before = process.memoryUsage().arrayBuffers;
  const readPicture = async () => ({ text: "It was read.", by: "local/eye" });
  let reading: Promise<unknown> = Promise.resolve();
  const extract = () =>
    (reading = extractDocument(
      { name, mimeType: null, bytes: new Uint8Array(bytes) },
      { readPicture },
    ).then(
      ({ markdown }) => markdown,
      (error: Error) => error.message,
    ));
  const units = await unitsOf(extract);
  expect(await reading).toMatch(
    /compressed data expands too much|no text found|^It was read\.$|was left out/,
  );
  if (!/no text|expands|It was read/.test(String(await reading)))
    expect(await reading).toMatch(SENTENCE);
  expect(units).toBeLessThan(LIMIT_UNITS);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 << 20);
});

it("blames no page for what ends the work for it", async () => {
  let isDecoding = false;
  const extraction = extractDocument(
    { name: "scan.pdf", mimeType: null, bytes: scannedPdf([{ pictures: [greyPage(1)] }]) },
    {
      readPicture: async () => ({ text: "The gates open at six.", by: "local/eye" }),
      pageMemory: (_page, make) => ((isDecoding = true), make()),
      yieldToOthers: async () => {
        if (isDecoding) throw new Error("the lease is lost");
      },
    },
  );
  await expect(extraction).rejects.toThrow("the lease is lost");
});
