import { expect, test, vi } from "vitest";

import { isDarkAt } from "../../doubles/openai-compatible/seeing-server.ts";
import { coded, scannedPdf, withOrientation } from "../../support/scanned-pages.ts";
import { pagesShown, picturesOf } from "../../support/sent-pictures.ts";

const PAGE = 77;
const BLOCK = 8;
const [DC, AC] = [0, 0x10];

const word = (value: number) => [value >> 8, value & 255];
const marker = (code: number, data: number[]) => [0xff, code, ...word(data.length + 2), ...data];
const bits = (value: number, length: number) => value.toString(2).padStart(length, "0");

/** Codes "0", "10", … for the symbols. https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.4.2 */
const table = (kind: number, symbols: number[]) =>
  marker(0xc4, [
    kind,
    ...Array.from({ length: 16 }, (_, at) => Number(at < symbols.length)),
    ...symbols,
  ]);

function packed(text: string): number[] {
  const bytes = text.match(/.{1,8}/g) ?? [];
  return bytes.flatMap((byte) => {
    const value = Number.parseInt(byte.padEnd(8, "1"), 2);
    return value === 255 ? [255, 0] : [value];
  });
}

type Size = { width: number; height: number };

/** A grey JPEG of the frame's kind and the scans. */
function jpeg(frame: number, { width, height }: Size, symbols: number[], scans: number[][]) {
  const steps = [0, ...Array.from({ length: 64 }, () => 16)];
  return Uint8Array.from([
    0xff,
    0xd8,
    ...marker(0xdb, steps),
    ...marker(frame, [8, ...word(height), ...word(width), 1, 1, 0x11, 0]),
    ...table(DC, [0, 7]),
    ...table(AC, symbols),
    ...scans.flat(),
    0xff,
    0xd9,
  ]);
}
const scan = (from: number, end: number, text: string) => [
  ...marker(0xda, [1, 1, 0, from, end, 0]),
  ...packed(text),
];

/** Blocks that are black or grey throughout: each tells by how much it differs from the one before. */
function photograph(size: Size, isDark: (x: number, y: number) => boolean): Uint8Array {
  const [same, darker, lighter] = ["0", `10${bits(63, 7)}`, `10${bits(64, 7)}`];
  let [wasDark, text] = [false, ""];
  for (let y = 0; y < size.height; y += BLOCK)
    for (let x = 0; x < size.width; x += BLOCK) {
      const isNow = isDark(x, y);
      text += `${isNow === wasDark ? same : isNow ? darker : lighter}0`;
      wasDark = isNow;
    }
  return jpeg(0xc0, size, [0], [scan(0, 63, text)]);
}

/** Size of the picture that a phone of 12 megapixels writes when it is held upright. */
const STORED = { width: 4_032, height: 3_024 };
const SHOWN = { width: STORED.height, height: STORED.width };

test("a photograph of a phone is turned upright, with turns for others meanwhile", async () => {
  const isDark = isDarkAt(PAGE, SHOWN);
  const picture = photograph(STORED, (x, y) => isDark(STORED.height - 1 - y, x));
  const pauses = vi.spyOn(globalThis, "setTimeout");
  const { pictures } = await picturesOf("photo.jpg", withOrientation(picture, 6));
  expect(pauses.mock.calls.length).toBeGreaterThan(50);
  expect(await pagesShown(pictures)).toEqual([PAGE]);
});

test("photographs that are read at once are decoded one after another", async () => {
  const ends: string[] = [];
  const readPhotograph = async (name: string, size: Size) => {
    await picturesOf(
      "photo.jpg",
      withOrientation(
        photograph(size, () => true),
        6,
      ),
    );
    ends.push(name);
  };
  const large = readPhotograph("large", { width: 1_600, height: 1_600 });
  await Promise.all([large, readPhotograph("small", { width: 8, height: 8 })]);
  expect(ends).toEqual(["large", "small"]);
});

test("a photograph of many tables gives turns, and its damage is not logged", async () => {
  const logs = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const pauses = vi.spyOn(globalThis, "setTimeout");
  const tables = marker(
    0xc4,
    Array.from({ length: 17 * 3_000 }, () => 0),
  );
  const pixels = photograph({ width: 8, height: 8 }, () => true).subarray(2, -2);
  const damage = [0xff, 0xe1, 0xff, 0xff];
  const bytes = [0xff, 0xd8, ...tables, ...tables, ...pixels, ...damage, 0xff, 0xd9];
  await picturesOf("photo.jpg", withOrientation(Uint8Array.from(bytes), 6));
  expect(pauses.mock.calls.length).toBeGreaterThan(4);
  expect(logs).not.toHaveBeenCalled();
});

/** Each passes by all blocks in six steps of 15 bits: the work of a kilobyte would be endless. */
const PASSING_BY = scan(1, 63, `0${"1".repeat(14)}`.repeat(6));

test("a picture of thousands of scans ends in a sentence", async () => {
  const scans = Array.from({ length: 3_000 }, () => PASSING_BY);
  const picture = jpeg(0xc2, { width: 3_400, height: 3_400 }, [0xe0], scans);
  const turned = { content: "q 0 -640 480 0 0 640 cm /I0 Do Q" };
  const entries = "/ColorSpace /DeviceGray /BitsPerComponent 8";
  const page = { pictures: [coded(picture, "/DCTDecode", entries)], ...turned };
  await expect(picturesOf("scan.pdf", scannedPdf([page]))).rejects.toThrow(
    "page 1 was left out: the picture is damaged or too large",
  );
});
