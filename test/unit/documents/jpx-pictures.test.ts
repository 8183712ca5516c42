import { expect, test } from "vitest";

import PICTURES from "../../fixtures/pictures.json" with { type: "json" };
import { coded, scannedPdf } from "../../support/scanned-pages.ts";
import { pagesShown, picturesOf } from "../../support/sent-pictures.ts";

/** Which page the pictures of the fixtures show; they were made with OpenJPEG. */
const PAGE = 77;
const bytesOf = (name: keyof typeof PICTURES) =>
  new Uint8Array(Buffer.from(PICTURES[name], "base64"));
const number = (value: number) => [
  value >>> 24,
  (value >> 16) & 255,
  (value >> 8) & 255,
  value & 255,
];

const box = (type: string, data: ArrayLike<number>) => [
  ...number(8 + data.length),
  ...Buffer.from(type),
  ...Array.from(data),
];
/** A picture of one bit, whose values stand for colours: https://www.itu.int/rec/T-REC-T.800, I.5.3. */
function palettedJpx(): Uint8Array {
  const grey = bytesOf("jpxGrey");
  const codes = grey.subarray(
    grey.findIndex((byte, at) => byte === 0x4f && grey[at + 2] === 0x51) - 1,
  );
  const colours = [0, 2, 3, 7, 7, 7, 60, 20, 0, 250, 240, 255];
  const mapped = [0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2];
  const head = [...box("pclr", colours), ...box("cmap", mapped)];
  return Uint8Array.from([
    ...box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]),
    ...box("jp2h", head),
    ...box("jp2c", codes),
  ]);
}

const GREY = "/ColorSpace /DeviceGray /BitsPerComponent 8";
const RGB = "/ColorSpace /DeviceRGB /BitsPerComponent 8";

const sentOf = async (bytes: Uint8Array, entries: string) => {
  const page = { pictures: [coded(bytes, "/JPXDecode", entries)] };
  return (await picturesOf("scan.pdf", scannedPdf([page]))).pictures;
};

test.each([
  ["of two colours", bytesOf("jpxGrey"), ""],
  ["of an empty layer", bytesOf("jpxLayers"), GREY],
  ["with a palette", palettedJpx(), RGB],
  ["with a palette, without a colour space", palettedJpx(), ""],
])("a JPX picture %s is sent as it looks", async (_kind, bytes, entries) => {
  expect(await pagesShown(await sentOf(bytes, entries))).toEqual([PAGE]);
});

test.each([
  ["in two layers and tiles of odd sides", "jpxTiles"],
  ["with bits that are written as they are", "jpxPlain"],
  ["whose blocks are coded in all ways at once", "jpxModes"],
] as const)("a JPX picture %s is the same to the last bit", async (_kind, name) => {
  const [plain] = await sentOf(bytesOf("jpxRgb"), RGB);
  const [picture] = await sentOf(bytesOf(name), RGB);
  expect(await pagesShown(plain ? [plain] : [])).toEqual([PAGE]);
  expect(picture?.bytes).toEqual(plain?.bytes);
});
