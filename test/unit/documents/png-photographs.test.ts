import { crc32, deflateSync } from "node:zlib";
import { expect, test } from "vitest";

import { isDarkAt } from "../../doubles/openai-compatible/seeing-server.ts";
import PICTURES from "../../fixtures/pictures.json" with { type: "json" };
import { withOrientation } from "../../support/scanned-pages.ts";
import { pagesShown, picturesOf } from "../../support/sent-pictures.ts";

const PAGE = 77;
const SHOWN = { width: 48, height: 64 };
const isDark = isDarkAt(PAGE, SHOWN);

const number = (value: number) => [
  value >>> 24,
  (value >> 16) & 255,
  (value >> 8) & 255,
  value & 255,
];
const letters = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));
function chunk(name: string, data: number[] | Uint8Array): number[] {
  const bytes = [...letters(name), ...data];
  return [...number(data.length), ...bytes, ...number(crc32(Uint8Array.from(bytes)))];
}

/** https://www.w3.org/TR/png-3/#9Filters: what each filter takes away from a byte. */
const FILTERS = [
  () => 0,
  (before: number) => before,
  (_left: number, up: number) => up,
  (before: number, up: number) => Math.floor((before + up) / 2),
  (before: number, up: number, corner: number) => {
    const estimate = before + up - corner;
    return [before, up, corner].toSorted(
      (a, b) => Math.abs(estimate - a) - Math.abs(estimate - b),
    )[0] as number;
  },
];

type Size = { width: number; height: number };
type Form = {
  type: number;
  channels: number;
  exif: number[];
  isExifLast?: boolean;
  interlace?: number;
};

/** A PNG whose rows take each filter in turn. */
function png(size: Size, form: Form, pixel: (x: number, y: number) => number[]): Uint8Array {
  const { width, height } = size;
  const rows = Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (__, x) => pixel(x, y)).flat(),
  );
  const filtered = rows.flatMap((row, y) => {
    const filter = y % FILTERS.length;
    const at = (cells: number[] | undefined, place: number) => cells?.[place] ?? 0;
    const bytes = row.map((value, place) => {
      const before = place - form.channels;
      const prediction = FILTERS[filter]?.(
        at(row, before),
        at(rows[y - 1], place),
        at(rows[y - 1], before),
      );
      return (value - (prediction ?? 0)) & 255;
    });
    return [filter].concat(bytes);
  });
  const header = [...number(width), ...number(height), 8, form.type, 0, 0, form.interlace ?? 0];
  const packed = deflateSync(Uint8Array.from(filtered));
  const half = packed.length >> 1;
  const exif = chunk("eXIf", form.exif);
  return Uint8Array.from([
    0x89,
    ...letters("PNG\r\n\x1a\n"),
    ...chunk("IHDR", header),
    ...(form.isExifLast === true ? [] : exif),
    ...chunk("IDAT", packed.subarray(0, half)),
    ...chunk("IDAT", packed.subarray(half)),
    ...(form.isExifLast === true ? exif : []),
    ...chunk("IEND", []),
  ]);
}

const exifOf = (orientation: number) => [
  ...letters("MM\0*\0\0\0\b\0\x01\x01\x12\0\x03\0\0\0\x01\0"),
  orientation,
  ...Array.from({ length: 6 }, () => 0),
];

/** For each orientation from 2: where a pixel that is seen at x and y is stored. */
const { width, height } = SHOWN;
const STORED: [orientation: number, size: Size, isDarkAt: (x: number, y: number) => boolean][] = [
  [2, SHOWN, (x, y) => isDark(width - 1 - x, y)],
  [3, SHOWN, (x, y) => isDark(width - 1 - x, height - 1 - y)],
  [4, SHOWN, (x, y) => isDark(x, height - 1 - y)],
  [5, { width: height, height: width }, (x, y) => isDark(y, x)],
  [6, { width: height, height: width }, (x, y) => isDark(width - 1 - y, x)],
  [7, { width: height, height: width }, (x, y) => isDark(width - 1 - y, height - 1 - x)],
  [8, { width: height, height: width }, (x, y) => isDark(y, height - 1 - x)],
];

test.each(STORED)(
  "a PNG of orientation %i is sent upright",
  async (orientation, size, isStoredDark) => {
    const form = { type: 2, channels: 3, exif: exifOf(orientation) };
    const file = png(size, form, (x, y) => (isStoredDark(x, y) ? [9, x, y] : [250, 240, 255 - y]));
    const { pictures } = await picturesOf("photo.png", file);
    expect(pictures.map(({ mediaType }) => mediaType)).toEqual(["image/png"]);
    expect(await pagesShown(pictures)).toEqual([PAGE]);
  },
);

test.each([
  ["grey", 0, (isInk: boolean) => [isInk ? 3 : 200]],
  ["grey with opacity", 4, (isInk: boolean) => [3, isInk ? 255 : 0]],
  ["RGB with opacity", 6, (isInk: boolean) => [3, 4, 5, isInk ? 250 : 10]],
])("a turned PNG of %s, told after its pixels, is sent upright", async (_what, type, pixel) => {
  const [orientation, size, isStoredDark] = STORED[4] ?? [0, SHOWN, isDark];
  const form = { type, channels: pixel(true).length, exif: exifOf(orientation), isExifLast: true };
  const file = png(size, form, (x, y) => pixel(isStoredDark(x, y)));
  const { pictures } = await picturesOf("photo.png", file);
  expect(await pagesShown(pictures)).toEqual([PAGE]);
});

const RGB = { type: 2, channels: 3, exif: exifOf(6) };

test.each([
  ["upright", png(SHOWN, { ...RGB, exif: exifOf(1) }, () => [1, 2, 3])],
  ["interlaced", png(SHOWN, { ...RGB, interlace: 1 }, () => [1, 2, 3])],
  ["of a palette", png(SHOWN, { ...RGB, type: 3, channels: 1 }, () => [0])],
  [
    "whose EXIF block points elsewhere",
    png(SHOWN, { ...RGB, exif: [...letters("MM\0*\x7f\xff\xff\xff")] }, () => [1, 2, 3]),
  ],
])("a PNG that is %s is sent as it is", async (_what, file) => {
  const { pictures } = await picturesOf("photo.png", file);
  expect(pictures).toEqual([{ bytes: file, mediaType: "image/png" }]);
});

test("a JPEG whose EXIF block points elsewhere is sent as it is", async () => {
  const file = withOrientation(new Uint8Array(Buffer.from(PICTURES.turned, "base64")), 6);
  const offset = Buffer.from(file).indexOf("MM\0*") + 4;
  const { pictures } = await picturesOf("photo.jpg", file.fill(0x7f, offset, offset + 4));
  expect(pictures).toEqual([{ bytes: file, mediaType: "image/jpeg" }]);
});

test("a turned PNG that is damaged is left out with its reason", async () => {
  const file = png(SHOWN, RGB, () => [1, 2, 3]);
  const data = Buffer.from(file).indexOf("IDAT");
  await expect(picturesOf("photo.png", file.fill(0xff, data + 4, data + 12))).rejects.toThrow(
    "a picture of 48 × 64 pixels is damaged or too large",
  );
});
