import { deflateSync } from "node:zlib";

import { isDarkAt } from "../doubles/openai-compatible/seeing-server.ts";
import { HELVETICA, pdfOf, pdfStream } from "./pdf-of.ts";

export const SIZE = { width: 48, height: 64 };

type Pixel = (x: number, y: number) => boolean;

/** `channels` bytes for each pixel, dark or light. */
export function samples(
  { width, height }: typeof SIZE,
  dark: Pixel,
  [darkValue, lightValue]: [number[], number[]],
): Uint8Array {
  const pixels = Array.from({ length: width * height }, (_, at) => {
    return dark(at % width, Math.floor(at / width)) ? darkValue : lightValue;
  });
  return Uint8Array.from(pixels.flat());
}

/** One bit a pixel; `value`: of dark ones. */
export function packedBits({ width, height }: typeof SIZE, dark: Pixel, value: 0 | 1): Uint8Array {
  const row = Math.ceil(width / 8);
  const data = new Uint8Array(row * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (dark(x, y) === (value === 1)) {
        const at = y * row + (x >> 3);
        data[at] = (data[at] ?? 0) | (128 >> (x & 7));
      }
  return data;
}

export type PictureObject = { data: Uint8Array; entries: string };

const IMAGE = "/Type /XObject /Subtype /Image";

export const flate = (data: Uint8Array, entries: string, size = SIZE): PictureObject => ({
  data: deflateSync(data),
  entries: `${IMAGE} /Width ${size.width} /Height ${size.height} /Filter /FlateDecode ${entries}`,
});

export const coded = (data: Uint8Array, filter: string, entries: string): PictureObject => ({
  data,
  entries: `${IMAGE} /Width ${SIZE.width} /Height ${SIZE.height} /Filter ${filter} ${entries}`,
});

/** A grey picture of the page of this number. */
export const greyPage = (number: number, size = SIZE): PictureObject =>
  flate(
    samples(size, isDarkAt(number, size), [[0], [255]]),
    "/ColorSpace /DeviceGray /BitsPerComponent 8",
    size,
  );

export type ScannedPage = {
  pictures: PictureObject[];
  /** Draws `/I0`, `/I1`, …; without, the first covers the page. */
  content?: string;
  entries?: string;
};

const WHOLE = "q 480 0 0 640 0 0 cm /I0 Do Q";
export const textLine = (text: string) => `BT /F1 12 Tf 40 600 Td (${text}) Tj ET`;

/** A page of 480 by 640 points for each. */
export function scannedPdf(pages: ScannedPage[], more: string[] = []): Uint8Array<ArrayBuffer> {
  const objects: string[] = ["<< /Type /Catalog /Pages 2 0 R >>", "", HELVETICA];
  const kids = pages.map(({ pictures, content = WHOLE, entries = "" }) => {
    const names = pictures.map(({ data, entries: own }, at) => {
      objects.push(pdfStream(data, own));
      return `/I${at} ${objects.length} 0 R`;
    });
    objects.push(pdfStream(content));
    const own = `/Contents ${objects.length} 0 R /Resources << /Font << /F1 3 0 R >> /XObject << ${names.join(" ")} >> >>`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 480 640] ${own} ${entries} >>`);
    return `${objects.length} 0 R`;
  });
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(" ")}] >>`;
  return new Uint8Array(pdfOf([...objects, ...more]));
}

/** An EXIF block that says how a photo is to be turned. */
export function withOrientation(jpeg: Uint8Array, orientation: number): Uint8Array {
  const exif = [..."Exif\0\0MM\0*\0\0\0\b\0\x01\x01\x12\0\x03\0\0\0\x01\0"].map((each) =>
    each.charCodeAt(0),
  );
  const data = [...exif, orientation, 0, 0, 0, 0, 0, 0];
  return Uint8Array.from([
    0xff,
    0xd8,
    0xff,
    0xe1,
    0,
    data.length + 2,
    ...data,
    ...jpeg.subarray(2),
  ]);
}

/** A JPEG whose height is told after its scan: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.5 */
export function withHeightAtEnd(jpeg: Uint8Array): Uint8Array {
  const frame = jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xc0);
  const height = jpeg.slice(frame + 5, frame + 7);
  const whole = [...jpeg.subarray(0, -2), 0xff, 0xdc, 0, 4, ...height, 0xff, 0xd9];
  return Uint8Array.from(whole).fill(0, frame + 5, frame + 7);
}
