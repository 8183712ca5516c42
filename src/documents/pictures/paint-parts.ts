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
/** Other kinds of pixels than two have four bytes, the last its opacity. */
export type Part = {
  width: number;
  height: number;
  data: Uint8Array;
  kind: number;
  /** The colour of a stencil, which paints where its bits are 0. */
  fill: Rgb | null;
  /** From the unit square to a plane whose y grows downwards. */
  matrix: Matrix;
};

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
  const bits = bitsOf(parts);
  const line = new Uint8Array(width * 3);
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

const isGrey = (part: Part) => {
  const { kind, data, fill } = part;
  if (fill !== null) return fill.every((value) => value === fill[0]);
  const step = kind === RGB ? 3 : 4;
  if (kind === BITS) return true;
  for (let at = 0; at + 2 < data.length; at += step)
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) return false;
  return true;
};
const isBilevel = ({ kind, fill }: Part) => kind === BITS && (fill === null || fill[0] % 255 === 0);

const bitsOf = (parts: Part[]) => (!parts.every(isGrey) ? 24 : parts.every(isBilevel) ? 1 : 8);

/** Paints the pixels of a part over a row; each is looked up at the middle of the row's own. */
function painterOf(part: Part, toPage: Matrix, out: { width: number; height: number }) {
  const { width, height } = part;
  // In pictures the first row is the upper one.
  const inverse = multiply(inverseOf(part.matrix), toPage);
  const [a, b, c, d, e, f] = multiply([width, 0, 0, -height, 0, height], inverse);
  const box = boxOf(multiply(inverseOf(toPage), part.matrix));
  const from = Math.max(0, Math.floor(box.x));
  const end = Math.min(out.width, Math.ceil(box.x + box.width));
  const copy = part.kind === BITS ? bitCopier(part) : pixelCopier(part);
  return (y: number, line: Uint8Array) => {
    if (y < box.y - 1 || y > box.y + box.height) return;
    for (let x = from; x < end; x++) {
      const column = Math.floor(a * (x + 0.5) + c * (y + 0.5) + e);
      const row = Math.floor(b * (x + 0.5) + d * (y + 0.5) + f);
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      copy(column, row, line, x * 3);
    }
  };
}

type Copier = (column: number, row: number, line: Uint8Array, at: number) => void;

function bitCopier({ width, data, fill }: Part): Copier {
  const rowBytes = (width + 7) >> 3;
  const [dark, light] = [fill ?? [0, 0, 0], fill === null ? [255, 255, 255] : null];
  return (column, row, line, at) => {
    const isSet = ((data[row * rowBytes + (column >> 3)] ?? 0) & (128 >> (column & 7))) !== 0;
    const colour = isSet ? light : dark;
    if (colour !== null) line.set(colour, at);
  };
}

function pixelCopier({ width, data, kind }: Part): Copier {
  const bytes = kind === RGB ? 3 : 4;
  return (column, row, line, at) => {
    const pixel = (row * width + column) * bytes;
    if (bytes === 4 && (data[pixel + 3] ?? 0) < 128) return;
    line[at] = data[pixel] ?? 0;
    line[at + 1] = data[pixel + 1] ?? 0;
    line[at + 2] = data[pixel + 2] ?? 0;
  };
}
