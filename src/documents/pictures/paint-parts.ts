import { yieldNow } from "../../core/work/cooperative.ts";
import type { Raster } from "./encode-png.ts";
import { boxOf, inverseOf, multiply, type Matrix } from "./matrix.ts";
import { checkDimensions, UnusablePicture } from "./picture.ts";

/** Pixels that are written for each of the picture, where its parts cover each other. */
const MAX_LAYERS = 6;
/** Share of the whole from which on a part decides the resolution. */
const MAIN_SHARE = 0.05;

/** pdf.js's kinds of decoded pictures: https://github.com/mozilla/pdf.js/blob/master/src/shared/util.js */
export const [BITS, RGB] = [1, 2];

export type Rgb = [red: number, green: number, blue: number];
export type Pixels = {
  width: number;
  height: number;
  bits: Raster["bits"];
  /** Writes a pixel `at` a place of a line of RGB. */
  copy: (column: number, row: number, line: Uint8ClampedArray, at: number) => void;
};
/** `matrix`: from the unit square to a plane whose y grows downwards. */
export type Part = Pixels & { matrix: Matrix };

/**
 * Parts painted together, later ones over earlier ones, at the resolution of the finest large one.
 * @throws UnusablePicture
 */
export function rasterOf(parts: Part[], pageArea: number): Raster {
  const boxes = parts.map(({ matrix }) => boxOf(matrix));
  const startX = Math.min(...boxes.map(({ x }) => x));
  const startY = Math.min(...boxes.map(({ y }) => y));
  const endX = Math.max(...boxes.map((box) => box.x + box.width));
  const endY = Math.max(...boxes.map((box) => box.y + box.height));
  const large = parts.filter((_, at) => areaOf(boxes[at]) >= MAIN_SHARE * pageArea);
  const scales = (large.length > 0 ? large : parts).map(scaleOf);
  const [across, down] = [
    Math.max(...scales.map(([x]) => x)),
    Math.max(...scales.map(([, y]) => y)),
  ];
  const [width, height] = [
    Math.round((endX - startX) * across),
    Math.round((endY - startY) * down),
  ];
  checkDimensions(width, height);
  const painted = boxes.reduce((sum, box) => sum + areaOf(box) * across * down, 0);
  if (painted > MAX_LAYERS * width * height)
    throw new UnusablePicture("the picture is made of too many layers");
  const toPage: Matrix = [1 / across, 0, 0, 1 / down, startX, startY];
  const painters = parts.map((part) => painterOf(part, toPage, { width, height }));
  const bits = parts.map((part) => part.bits).reduce((a, b) => (a > b ? a : b), 1);
  const line = new Uint8ClampedArray(width * 3);
  return {
    width,
    height,
    bits,
    row(y, to) {
      line.fill(255);
      for (const paint of painters) paint(y, line);
      if (bits === 24) to.set(line);
      else if (bits === 8) for (let x = 0; x < width; x++) to[x] = line[x * 3] ?? 0;
      else {
        to.fill(0);
        for (let x = 0; x < width; x++)
          if ((line[x * 3] ?? 0) > 127) to[x >> 3] = (to[x >> 3] ?? 0) | (128 >> (x & 7));
      }
    },
    pause: yieldNow,
  };
}

const areaOf = (box: { width: number; height: number } | undefined) =>
  (box?.width ?? 0) * (box?.height ?? 0);

/** Pixels per unit of the page, across and down. */
function scaleOf({ matrix: [a, b, c, d], width, height }: Part): [number, number] {
  const [along, beside] = [width / Math.hypot(a, b), height / Math.hypot(c, d)];
  return Math.abs(a) >= Math.abs(b) ? [along, beside] : [beside, along];
}

/** Paints the pixels of a part over a row; each is looked up at the middle of the row's own. */
function painterOf(part: Part, toPage: Matrix, out: { width: number; height: number }) {
  const { width, height } = part;
  // In pictures the first row is the upper one.
  const inverse = multiply(inverseOf(part.matrix), toPage);
  const [a, b, c, d, e, f] = multiply([width, 0, 0, -height, 0, height], inverse);
  const box = boxOf(multiply(inverseOf(toPage), part.matrix));
  const from = Math.max(0, Math.floor(box.x));
  const end = Math.min(out.width, Math.ceil(box.x + box.width));
  return (y: number, line: Uint8ClampedArray) => {
    if (y < box.y - 1 || y > box.y + box.height) return;
    for (let x = from; x < end; x++) {
      const column = Math.floor(a * (x + 0.5) + c * (y + 0.5) + e);
      const row = Math.floor(b * (x + 0.5) + d * (y + 0.5) + f);
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      part.copy(column, row, line, x * 3);
    }
  };
}

/** As pdf.js decodes them. */
export type DecodedPixels = {
  width: number;
  height: number;
  /** Other kinds of pixels than two have four bytes, the last its opacity. */
  kind: number;
  data: Uint8Array;
  /** The colour of a stencil, which paints where its bits are 0. */
  fill: Rgb | null;
};

export function rasterPixels(decoded: DecodedPixels): Pixels {
  const { width, height, kind, fill } = decoded;
  const [red, green, blue] = fill ?? [0, 0, 0];
  const isGrey = kind === BITS ? red === green && red === blue : hasGreyOnly(decoded);
  const isBilevel = kind === BITS && red % 255 === 0;
  const copy = kind === BITS ? bitCopier(decoded) : pixelCopier(decoded);
  return { width, height, bits: !isGrey ? 24 : isBilevel ? 1 : 8, copy };
}

function hasGreyOnly({ kind, data }: DecodedPixels): boolean {
  const step = kind === RGB ? 3 : 4;
  for (let at = 0; at + 2 < data.length; at += step)
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) return false;
  return true;
}

function bitCopier({ width, data, fill }: DecodedPixels): Pixels["copy"] {
  const rowBytes = (width + 7) >> 3;
  const [dark, light] = [fill ?? [0, 0, 0], fill === null ? [255, 255, 255] : null];
  return (column, row, line, at) => {
    const isSet = ((data[row * rowBytes + (column >> 3)] ?? 0) & (128 >> (column & 7))) !== 0;
    const colour = isSet ? light : dark;
    if (colour !== null) line.set(colour, at);
  };
}

function pixelCopier({ width, data, kind }: DecodedPixels): Pixels["copy"] {
  const bytes = kind === RGB ? 3 : 4;
  return (column, row, line, at) => {
    const pixel = (row * width + column) * bytes;
    if (bytes === 4 && (data[pixel + 3] ?? 0) < 128) return;
    line[at] = data[pixel] ?? 0;
    line[at + 1] = data[pixel + 1] ?? 0;
    line[at + 2] = data[pixel + 2] ?? 0;
  };
}
