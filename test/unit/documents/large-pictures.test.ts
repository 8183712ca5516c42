import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";

import { isDarkAt } from "../../doubles/openai-compatible/seeing-server.ts";
import { pdfStream } from "../../support/pdf-of.ts";
import { flate, scannedPdf, type PictureObject } from "../../support/scanned-pages.ts";
import { pagesShown, picturesOf } from "../../support/sent-pictures.ts";

const PAGE = 77;
/** More than twelve million pixels. */
const SIZE = { width: 3_004, height: 4_112 };
/** A4 at 600 dots an inch. */
const A4 = { width: 4_960, height: 7_016 };
const STRIPS = 16;

/** The rows of the page: many are equal. */
function rowsOf(
  size: typeof SIZE,
  [dark, light]: [number[], number[]],
  isDark = isDarkAt(PAGE, size),
) {
  const rows = new Map<string, Buffer>();
  return Array.from({ length: size.height }, (_, y) => {
    const cells = [0, 1, 2].map((cell) => isDark(Math.ceil((cell * size.width) / 3), y));
    const row =
      rows.get(String(cells)) ??
      Buffer.from(
        Array.from({ length: size.width }, (_each, x) => (isDark(x, y) ? dark : light)).flat(),
      );
    rows.set(String(cells), row);
    return row;
  });
}

const packed = (rows: Buffer[]) => deflateSync(Buffer.concat(rows), { level: 1 });

const large = (
  values: [number[], number[]],
  entries: string,
  { size = SIZE, bits = 8 } = {},
): PictureObject => ({
  ...flate(new Uint8Array(), `/BitsPerComponent ${bits} ${entries}`, size),
  data: packed(rowsOf(size, values)),
});

/** The picture with PNG's filter that stores each byte as the difference from the one above. */
function predicted(): PictureObject {
  const rows = rowsOf(SIZE, [[0], [255]]);
  const lines = rows.map((row, y) => {
    const above = rows[y - 1];
    const isSame = above === row;
    const bytes = isSame
      ? Buffer.alloc(row.length)
      : row.map((byte: number, x: number) => byte - (above?.[x] ?? 0));
    return Buffer.concat([Buffer.from([2]), bytes]);
  });
  const parameters = `/DecodeParms << /Predictor 15 /Columns ${SIZE.width} >>`;
  return { ...large([[0], [255]], `${GREY} ${parameters}`), data: packed(lines) };
}

/** Dark or light as the bits of an index. */
function indexedBits(): PictureObject {
  const rows = rowsOf(SIZE, [[1], [0]]).map((row) => {
    const bits = Buffer.alloc(Math.ceil(SIZE.width / 8));
    for (const [x, bit] of row.entries())
      bits[x >> 3] = (bits[x >> 3] ?? 0) | (bit << (7 - (x & 7)));
    return bits;
  });
  const entries = "/ColorSpace [/Indexed /DeviceRGB 1 <FFFFFF102030>] /BitsPerComponent 1";
  return { ...flate(new Uint8Array(), entries, SIZE), data: packed(rows) };
}

const GREY = "/ColorSpace /DeviceGray";
const BLACK_ON_WHITE: [number[], number[]] = [[0], [255]];
const scanOf = (picture: PictureObject) => scannedPdf([{ pictures: [picture] }]);

function strips() {
  const height = SIZE.height / STRIPS;
  const rows = rowsOf(SIZE, BLACK_ON_WHITE);
  const pictures = Array.from({ length: STRIPS }, (_, at) => ({
    ...flate(new Uint8Array(), `${GREY} /BitsPerComponent 8`, { width: SIZE.width, height }),
    data: packed(rows.slice(at * height, (at + 1) * height)),
  }));
  const drawn = pictures.map((_, at) => `q 480 0 0 40 0 ${640 - 40 * (at + 1)} cm /I${at} Do Q`);
  return scannedPdf([{ pictures, content: drawn.join("\n") }]);
}

const KINDS: [kind: string, make: () => Uint8Array<ArrayBuffer>][] = [
  ["grey at 600 dots an inch", () => scanOf(large(BLACK_ON_WHITE, GREY, { size: A4 }))],
  ["grey with a predictor", () => scanOf(predicted())],
  ["inverted grey", () => scanOf(large([[255], [0]], `${GREY} /Decode [1 0]`))],
  [
    "RGB",
    () =>
      scanOf(
        large(
          [
            [9, 0, 0],
            [255, 250, 250],
          ],
          "/ColorSpace /DeviceRGB",
        ),
      ),
  ],
  [
    "CMYK",
    () =>
      scanOf(
        large(
          [
            [0, 0, 0, 255],
            [0, 0, 0, 0],
          ],
          "/ColorSpace /DeviceCMYK",
        ),
      ),
  ],
  [
    "indexed",
    () => scanOf(large([[1], [0]], "/ColorSpace [/Indexed /DeviceRGB 1 <FFFFFF102030>]")),
  ],
  ["indexed bits", () => scanOf(indexedBits())],
  [
    "16 bits",
    () =>
      scanOf(
        large(
          [
            [0, 0],
            [255, 255],
          ],
          GREY,
          { bits: 16 },
        ),
      ),
  ],
  [
    "a mask of its own size",
    () => {
      const mask = large([[255], [0]], GREY);
      const dark = large([[0], [0]], `${GREY} /SMask 7 0 R`);
      return scannedPdf([{ pictures: [dark] }], [pdfStream(mask.data, mask.entries)]);
    },
  ],
  ["strips", strips],
];

it.each(KINDS)(
  "a page of more than twelve million pixels is sent upright: %s",
  async (_kind, make) => {
    const { pictures, document } = await picturesOf("scan.pdf", make());
    expect(document.notes).toEqual(["page 1 was read from its image by local/eye"]);
    expect(await pagesShown(pictures)).toEqual([PAGE]);
    const [width = 0, height = 0] = pictures.flatMap(({ bytes }) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      return [view.getUint32(16), view.getUint32(20)];
    });
    expect(width * height).toBeGreaterThan(3e6);
    expect(width * height).toBeLessThan(6.1e6);
  },
);

it("a page whose letters are a mask on a coarse colour is sent as fine as the mask", async () => {
  const colour = { width: 512, height: 512 };
  const grey = "/ColorSpace /DeviceGray /BitsPerComponent 8";
  const mask = flate(new Uint8Array(1_024 * 600), grey, { width: 1_024, height: 600 });
  const dark = flate(new Uint8Array(512 * 512), `${grey} /SMask 7 0 R`, colour);
  const page = scannedPdf([{ pictures: [dark] }], [pdfStream(mask.data, mask.entries)]);
  const [picture] = (await picturesOf("scan.pdf", page)).pictures;
  expect(new DataView(picture?.bytes.buffer ?? new ArrayBuffer(20)).getUint32(16)).toBe(1_024);
});
