import { deflateSync } from "node:zlib";
import { describe, expect, it, test } from "vitest";

import { isDarkAt } from "../../doubles/openai-compatible/seeing-server.ts";
import PICTURES from "../../fixtures/pictures.json" with { type: "json" };
import { coded, flate, greyPage, packedBits, samples } from "../../support/scanned-pages.ts";
import {
  scannedPdf,
  SIZE,
  textLine,
  withHeightAtEnd,
  withOrientation,
} from "../../support/scanned-pages.ts";
import type { ScannedPage } from "../../support/scanned-pages.ts";
import { pagesShown, picturesOf } from "../../support/sent-pictures.ts";

/** Which page the pictures of the fixtures show; they were made with ImageMagick and OpenJPEG. */
const PAGE = 77;
const dark = isDarkAt(PAGE, SIZE);
const bytesOf = (name: keyof typeof PICTURES) =>
  new Uint8Array(Buffer.from(PICTURES[name], "base64"));

const numbers = (...values: number[]) =>
  values.flatMap((value) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const bytesOfBits = (bits: string) =>
  bits.match(/.{1,8}/g)?.map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2)) ?? [];

/** A segment of JBIG2: https://www.itu.int/rec/T-REC-T.88; the next refers to `symbols`. */
const segment = (number: number, type: number, data: number[], symbols: number[] = []) => [
  ...numbers(number),
  type,
  symbols.length << 5,
  ...symbols,
  1,
  ...numbers(data.length),
  ...data,
];
const REGION = numbers(SIZE.width, SIZE.height, 0, 0);
const jbig2 = (...segments: number[][]) =>
  Uint8Array.from([...segment(0, 48, [...REGION, 0, 0, 0]), ...segments.flat()]);

const STRIPED = [...numbers(SIZE.width, 0xffffffff, 0, 0), 0, 0x80, 64];
const faxRegion = segment(1, 38, [...REGION, 0, 1, ...bytesOf("g4")]);

/** A page as a single symbol of a text that runs downwards from its lower left corner. */
function symbolPage(): Uint8Array {
  const [height, width, end] = ["11110110100", "11110100101", "111111"];
  const size = bytesOfBits(`${height}${width}${end}00000`);
  const exported = bytesOfBits("0000000001");
  const bitmap = packedBits(SIZE, dark, 1);
  const symbols = [0, 1, ...numbers(1, 1), ...size, ...bitmap, ...exported];
  const lengths = Array.from({ length: 35 }, (_, code) => (code === 1 ? "0001" : "0000"));
  const text = [...bytesOfBits(`${lengths.join("")}0`), ...bytesOfBits("00000000000001")];
  const flags = [0, 0b0100_0001, 0, 0];
  return jbig2(
    segment(1, 0, symbols),
    segment(2, 6, [...REGION, 0, ...flags, ...numbers(1), ...text], [1]),
  );
}

const FAX = `/DecodeParms << /K -1 /Columns ${SIZE.width} /Rows ${SIZE.height} >>`;
const BITS = "/ColorSpace /DeviceGray /BitsPerComponent 1";
const GREY = "/ColorSpace /DeviceGray /BitsPerComponent 8";
const RGB = "/ColorSpace /DeviceRGB /BitsPerComponent 8";
const INK =
  "/ColorSpace [/Separation /Light /DeviceGray << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >>] /BitsPerComponent 8";
const STENCIL = "/ImageMask true /BitsPerComponent 1";
const pageWith = (picture: ScannedPage["pictures"][number]) => ({ pictures: [picture] });

const TURNED = { width: SIZE.height, height: SIZE.width };
const turnedSamples = (at: (x: number, y: number) => boolean) =>
  flate(samples(TURNED, at, [[0], [255]]), GREY, TURNED);
/** As a scanner stores a page that lies on its left or right side. */
const onLeft = turnedSamples((x, y) => dark(SIZE.width - 1 - y, x));
const onRight = turnedSamples((x, y) => dark(y, SIZE.height - 1 - x));
const upsideDown = flate(
  samples(SIZE, (x, y) => dark(SIZE.width - 1 - x, SIZE.height - 1 - y), [[0], [255]]),
  GREY,
);
const mirrored = flate(
  samples(SIZE, (x, y) => dark(SIZE.width - 1 - x, y), [[0], [255]]),
  GREY,
);

const STRIPS = 16;
const strips = Array.from({ length: STRIPS }, (_, strip) => {
  const size = { width: SIZE.width, height: SIZE.height / STRIPS };
  return flate(
    samples(size, (x, y) => dark(x, y + strip * size.height), [[0], [255]]),
    GREY,
    size,
  );
});
const drawn = strips.map((_, at) => `q 480 0 0 40 0 ${640 - 40 * (at + 1)} cm /I${at} Do Q`);

const KINDS: [kind: string, page: ScannedPage, mediaType?: string][] = [
  ["JPEG", pageWith(coded(bytesOf("rgb"), "/DCTDecode", RGB)), "image/jpeg"],
  ["long JPEG", pageWith(coded(withHeightAtEnd(bytesOf("rgb")), "/DCTDecode", RGB)), "image/jpeg"],
  ["grey JPEG", pageWith(coded(bytesOf("grey"), "/DCTDecode", GREY)), "image/jpeg"],
  ["progressive JPEG", pageWith(coded(bytesOf("progressive"), "/DCTDecode", RGB)), "image/jpeg"],
  [
    "packed JPEG",
    pageWith(coded(deflateSync(bytesOf("rgb")), "[/FlateDecode /DCTDecode]", RGB)),
    "image/jpeg",
  ],
  [
    "CMYK JPEG",
    pageWith(
      coded(
        bytesOf("cmyk"),
        "/DCTDecode",
        "/ColorSpace /DeviceCMYK /BitsPerComponent 8 /Decode [1 0 1 0 1 0 1 0]",
      ),
    ),
  ],
  ["JPEG of an ink", pageWith(coded(bytesOf("grey"), "/DCTDecode", INK))],
  ["grey", pageWith(greyPage(PAGE))],
  [
    "RGB",
    pageWith(
      flate(
        samples(SIZE, dark, [
          [0, 0, 9],
          [255, 250, 250],
        ]),
        RGB,
      ),
    ),
  ],
  [
    "indexed",
    pageWith(
      flate(
        samples(SIZE, dark, [[1], [0]]),
        "/ColorSpace [/Indexed /DeviceRGB 1 <FFFFFF102030>] /BitsPerComponent 8",
      ),
    ),
  ],
  [
    "CMYK",
    pageWith(
      flate(
        samples(SIZE, dark, [
          [0, 0, 0, 255],
          [0, 0, 0, 0],
        ]),
        "/ColorSpace /DeviceCMYK /BitsPerComponent 8",
      ),
    ),
  ],
  [
    "packed twice",
    pageWith(
      coded(
        deflateSync(deflateSync(samples(SIZE, dark, [[0], [255]]))),
        "[/FlateDecode /FlateDecode]",
        GREY,
      ),
    ),
  ],
  ["bilevel", pageWith(flate(packedBits(SIZE, dark, 0), BITS))],
  ["inverted bilevel", pageWith(flate(packedBits(SIZE, dark, 1), `${BITS} /Decode [1 0]`))],
  ["stencil", pageWith(flate(packedBits(SIZE, dark, 0), STENCIL))],
  ["CCITT group 4", pageWith(coded(bytesOf("g4"), "/CCITTFaxDecode", `${BITS} ${FAX}`))],
  [
    "CCITT group 3",
    pageWith(coded(bytesOf("g3"), "/CCITTFaxDecode", `${BITS} ${FAX.replace("-1", "0")}`)),
  ],
  ["JBIG2", pageWith(coded(jbig2(faxRegion), "/JBIG2Decode", BITS))],
  [
    "JBIG2 in stripes",
    pageWith(
      coded(Uint8Array.from([...segment(0, 48, STRIPED), ...faxRegion]), "/JBIG2Decode", BITS),
    ),
  ],
  ["JBIG2 of text that runs downwards", pageWith(coded(symbolPage(), "/JBIG2Decode", BITS))],
  ["strips", { pictures: strips, content: drawn.join("\n") }],
  [
    "turned by /Rotate",
    {
      ...pageWith(onLeft),
      content: "q 640 0 0 480 0 0 cm /I0 Do Q",
      entries: "/Rotate 90 /MediaBox [0 0 640 480]",
    },
  ],
  [
    "turned by /Rotate the other way",
    {
      ...pageWith(onRight),
      content: "q 640 0 0 480 0 0 cm /I0 Do Q",
      entries: "/Rotate 270 /MediaBox [0 0 640 480]",
    },
  ],
  ["turned by the matrix", { ...pageWith(onLeft), content: "q 0 -640 480 0 0 640 cm /I0 Do Q" }],
  ["upside down by /Rotate", { ...pageWith(upsideDown), entries: "/Rotate 180" }],
  [
    "upside down by the matrix",
    { ...pageWith(upsideDown), content: "q -480 0 0 -640 480 640 cm /I0 Do Q" },
  ],
  [
    "mirrored by the matrix",
    { ...pageWith(mirrored), content: "q -480 0 0 640 480 0 cm /I0 Do Q" },
  ],
  [
    "a turned JPEG",
    {
      ...pageWith(coded(bytesOf("turned"), "/DCTDecode", GREY)),
      content: "q 0 -640 480 0 0 640 cm /I0 Do Q",
    },
  ],
  [
    "paper below a stencil",
    {
      pictures: [
        flate(
          samples(SIZE, () => false, [[0], [240]]),
          GREY,
        ),
        flate(packedBits(SIZE, dark, 0), STENCIL),
      ],
      content: "q 480 0 0 640 0 0 cm /I0 Do /I1 Do Q",
    },
  ],
  [
    "within a form's margin",
    { ...pageWith(greyPage(PAGE)), content: "q 400 0 0 560 40 40 cm /I0 Do Q" },
  ],
];

describe("a page that is a picture is sent upright, whole and once", () => {
  it.each(KINDS)("%s", async (_kind, page, mediaType = "image/png") => {
    const { pictures, document } = await picturesOf("scan.pdf", scannedPdf([page]));
    expect(pictures.map((picture) => picture.mediaType)).toEqual([mediaType]);
    expect(await pagesShown(pictures)).toEqual([PAGE]);
    expect(document).toMatchObject({
      markdown: "The gates open at six.",
      notes: ["page 1 was read from its image by local/eye"],
      recognised: [{ start: 0, end: 22 }],
    });
  });
});

test("pages with text are not sent, whatever lies under it", async () => {
  const text = "Twenty letters and digits: 1234567890";
  const hiddenLine = textLine(text).replace("BT", "BT 3 Tr");
  const scan = "q 480 0 0 640 0 0 cm /I0 Do Q";
  const { pictures, document } = await picturesOf(
    "mixed.pdf",
    scannedPdf([
      { ...pageWith(greyPage(1)), content: `${scan} ${textLine(text)}` },
      { ...pageWith(greyPage(2)), content: `${scan} ${hiddenLine}` },
      { ...pageWith(greyPage(3)), content: `${scan} ${textLine("Page 3")}` },
      { ...pageWith(greyPage(4)), content: `q 200 0 0 200 9 9 cm /I0 Do Q ${textLine("Logo")}` },
    ]),
  );
  expect(await pagesShown(pictures)).toEqual([3]);
  const { markdown, pages, recognised } = document;
  expect(markdown).toBe(`${text}\n\n${text}\n\nThe gates open at six.\n\nPage 3\n\nLogo`);
  expect(recognised?.map(({ start, end }) => markdown.slice(start, end))).toEqual([
    "The gates open at six.",
  ]);
  expect(pages.map(({ start }) => markdown.slice(start).split("\n")[0])).toEqual([
    text,
    text,
    "The gates open at six.",
    "Logo",
  ]);
});

test.each([
  ["photo.jpg", bytesOf("rgb"), "image/jpeg"],
  ["photo.jpg", withOrientation(bytesOf("turned"), 6), "image/png"],
  ["long.jpg", withHeightAtEnd(bytesOf("grey")), "image/jpeg"],
  ["long photo.jpg", withOrientation(withHeightAtEnd(bytesOf("turned")), 6), "image/png"],
  ["print.jpg", bytesOf("cmyk"), "image/png"],
  ["page.png", bytesOf("png"), "image/png"],
])("%s is read as a picture that is upright", async (name, bytes, mediaType) => {
  const { pictures, document } = await picturesOf(name, bytes);
  expect(pictures.map((picture) => picture.mediaType)).toEqual([mediaType]);
  if (name !== "page.png") expect(await pagesShown(pictures)).toEqual([PAGE]);
  expect(document).toMatchObject({
    markdown: "The gates open at six.",
    notes: ["a picture was read by local/eye"],
  });
});

test("of an animation the first frame is read, and a WebP as it is", async () => {
  const whole = bytesOf("gif");
  const [gif] = (await picturesOf("a.gif", whole)).pictures;
  const frames = (bytes: Uint8Array) =>
    Buffer.from(bytes).toString("latin1").split("\x21\xf9\x04").length - 1;
  expect([frames(whole), frames(gif?.bytes ?? whole)]).toEqual([2, 1]);
  expect(gif?.bytes.at(-1)).toBe(0x3b);
  const [webp] = (await picturesOf("a.webp", bytesOf("webp"))).pictures;
  expect(webp?.bytes).toEqual(bytesOf("webp"));
});
