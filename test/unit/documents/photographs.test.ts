import { expect, test, vi } from "vitest";

import { isDarkAt } from "../../doubles/openai-compatible/seeing-server.ts";
import PICTURES from "../../fixtures/pictures.json" with { type: "json" };
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

type Frame = { kind: number; size: Size; symbols: number[]; components?: number };

/** A grey JPEG, or one of several inks, of the frame's kind and the scans. */
function jpeg({ kind, size, symbols, components = 1 }: Frame, scans: number[][]) {
  const { width, height } = size;
  const inks = Array.from({ length: components }, (_, at) => [at + 1, 0x11, 0]);
  const steps = [0, ...Array.from({ length: 64 }, () => 16)];
  return Uint8Array.from([
    0xff,
    0xd8,
    ...marker(0xdb, steps),
    ...marker(kind, [8, ...word(height), ...word(width), components, ...inks.flat()]),
    ...table(DC, [0, 7]),
    ...table(AC, symbols),
    ...scans.flat(),
    0xff,
    0xd9,
  ]);
}
/** `bits`: those that scans before it left out, and those that it leaves out. */
const scan = (from: number, end: number, text: string, bits = 0, components = 1) => {
  const inks = Array.from({ length: components }, (_, at) => [at + 1, 0]);
  return [...marker(0xda, [components, ...inks.flat(), from, end, bits]), ...packed(text)];
};

/** Blocks that are black or grey throughout: each tells by how much it differs from the one before. */
function blocksOf(size: Size, isDark: (x: number, y: number) => boolean, end: string): string {
  const [same, darker, lighter] = ["0", `10${bits(63, 7)}`, `10${bits(64, 7)}`];
  let [wasDark, text] = [false, ""];
  for (let y = 0; y < size.height; y += BLOCK)
    for (let x = 0; x < size.width; x += BLOCK) {
      const isNow = isDark(x, y);
      text += `${isNow === wasDark ? same : isNow ? darker : lighter}${end}`;
      wasDark = isNow;
    }
  return text;
}

const photograph = (size: Size, isDark: (x: number, y: number) => boolean) =>
  jpeg({ kind: 0xc0, size, symbols: [0] }, [scan(0, 63, blocksOf(size, isDark, "0"))]);

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
  const png = Buffer.from(pictures[0]?.bytes ?? []);
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2_268, 3_024]);
});

test("a progressive photograph is reduced, whatever its scans refine", async () => {
  const size = { width: 3_400, height: 2_120 };
  const blocks = (size.width * size.height) / BLOCK ** 2;
  const isDark = isDarkAt(PAGE, { width: size.height, height: size.width });
  const coarse = blocksOf(size, (x, y) => isDark(size.height - 1 - y, x), "");
  // The finest detail of each block is 3 × 2, then one more.
  const scans = [
    scan(0, 0, coarse),
    scan(63, 63, "1011".repeat(blocks), 0x01),
    scan(1, 63, "01".repeat(blocks), 0x10),
  ];
  const picture = jpeg({ kind: 0xc2, size, symbols: [0, 2] }, scans);
  const { pictures } = await picturesOf("photo.jpg", withOrientation(picture, 6));
  expect(await pagesShown(pictures)).toEqual([PAGE]);
});

test("a scan in four inks is sent in colours that are seen", async () => {
  const size = { width: 600, height: 800 };
  const isDark = isDarkAt(PAGE, size);
  const grey = blocksOf(size, (x, y) => !isDark(x, y), " ")
    .trim()
    .split(" ");
  const text = grey.map((block) => `${block}0`.repeat(4)).join("");
  const frame = { kind: 0xc0, size, symbols: [0], components: 4 };
  const picture = jpeg(frame, [scan(0, 63, text, 0, 4)]);
  const { data, entries } = coded(picture, "/DCTDecode", "/ColorSpace /DeviceCMYK");
  const sized = `${entries.replace("/Width 48", "/Width 600").replace("/Height 64", "/Height 800")} /BitsPerComponent 8`;
  const { pictures } = await picturesOf(
    "scan.pdf",
    scannedPdf([{ pictures: [{ data, entries: sized }] }]),
  );
  expect(pictures[0]?.mediaType).toBe("image/png");
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
  const size = { width: 3_400, height: 3_400 };
  const picture = jpeg({ kind: 0xc2, size, symbols: [0xe0] }, scans);
  const turned = { content: "q 0 -640 480 0 0 640 cm /I0 Do Q" };
  const entries = "/ColorSpace /DeviceGray /BitsPerComponent 8";
  const page = { pictures: [coded(picture, "/DCTDecode", entries)], ...turned };
  await expect(picturesOf("scan.pdf", scannedPdf([page]))).rejects.toThrow(
    "page 1 was left out: the picture is damaged or too large",
  );
});

test.each([
  ["of 200 dots an inch is sent whole", "jpxLarge", [1_800, 1_500]],
  ["that is larger is sent at half its width and height", "jpxLarger", [960, 1_280]],
  ["of a rare kind is sent whole, too", "jpxRare", [1_500, 2_000]],
] as const)("a JPX picture %s", async (_what, name, size) => {
  const bytes = new Uint8Array(Buffer.from(PICTURES[name], "base64"));
  const pauses = vi.spyOn(globalThis, "setTimeout");
  const picture = coded(bytes, "/JPXDecode", "/ColorSpace /DeviceRGB /BitsPerComponent 8");
  const { pictures } = await picturesOf("scan.pdf", scannedPdf([{ pictures: [picture] }]));
  const turns = pauses.mock.calls.length;
  pauses.mockRestore();
  // The PNG alone takes one for 64 rows.
  expect(turns).toBeGreaterThan(size[1] / 64 + 10);
  const png = Buffer.from(pictures[0]?.bytes ?? []);
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(size);
  if (name !== "jpxLarge") expect(await pagesShown(pictures)).toEqual([PAGE]);
});
