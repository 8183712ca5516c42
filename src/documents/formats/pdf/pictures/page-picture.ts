import { awaitOrNull } from "../../../../core/work/deadline.ts";
import { encodePng } from "../../../pictures/encode-png.ts";
import { boxOf, type Matrix } from "../../../pictures/matrix.ts";
import { BITS, rasterOf, rasterPixels, RGB, type Part } from "../../../pictures/paint-parts.ts";
import { plainJpegOf } from "../../../pictures/picture-file.ts";
import { checkDimensions, MAX_PICTURE_BYTES } from "../../../pictures/picture.ts";
import { UnusablePicture, type Picture } from "../../../pictures/picture.ts";
import type { HiddenLayers } from "../hidden-layers.ts";
import type { PdfPage } from "../open-pdf.ts";
import { readPageContent, type PlacedPicture } from "./placed-pictures.ts";

/** More than a scanner cuts a page into. */
const MAX_PARTS = 1_000;
/** A page is compared with its pictures in so many rows and columns. */
const CELLS = 64;
/** Fewer paths are lines and frames, not letters. */
const MIN_DRAWINGS = 40;
/** A share of its length: a picture that leans less is upright, as scans are. */
const SKEW = 0.03;
const DECODING_MS = 60_000;

/**
 * The picture that is a page; null: none covers more than half. @throws UnusablePicture, also for a
 * page of paths, which only a rasteriser would show
 */
export async function pictureOfPage(
  page: PdfPage,
  hiddenLayers: HiddenLayers | null,
): Promise<Picture | null> {
  const { pictures, drawings } = await readPageContent(page, hiddenLayers);
  const { width, height } = page.getViewport({ scale: 1 });
  if (coveredShare(pictures, width, height) <= 0.5) {
    if (drawings < MIN_DRAWINGS) return null;
    throw new UnusablePicture("text is drawn as shapes");
  }
  if (pictures.length > MAX_PARTS)
    throw new UnusablePicture(`the picture is made of more than ${MAX_PARTS} parts`);
  for (const picture of pictures) checkDimensions(picture.width, picture.height);
  const parts: Part[] = [];
  for (const picture of pictures) {
    const pixels = await pixelsOf(page, picture);
    if (pixels instanceof Uint8Array) {
      const { bytes, isPlain } = plainJpegOf(pixels);
      const isWhole = pictures.length === 1 && isUpright(picture.matrix);
      if (isWhole && isPlain && bytes.length <= MAX_PICTURE_BYTES)
        return { bytes, mediaType: "image/jpeg" };
      const { decodeJpeg } = await import("#picture-decoders");
      const jpeg = await decodeJpeg(bytes).catch(refuseDamaged);
      parts.push({ ...jpeg, matrix: picture.matrix });
    } else parts.push({ ...pixels, matrix: picture.matrix });
  }
  return encodePng(rasterOf(parts, width * height));
}

/** How much of a page its pictures cover, 0 to 1. */
function coveredShare(pictures: PlacedPicture[], width: number, height: number): number {
  const covered = new Uint8Array(CELLS * CELLS);
  const cell = (at: number, length: number) =>
    Math.min(CELLS, Math.max(0, Math.round((at / length) * CELLS)));
  for (const { matrix } of pictures.slice(0, MAX_PARTS * 2)) {
    const box = boxOf(matrix);
    const [from, to] = [cell(box.x, width), cell(box.x + box.width, width)];
    const bottom = cell(box.y + box.height, height);
    for (let row = cell(box.y, height); row < bottom; row++)
      covered.fill(1, row * CELLS + from, row * CELLS + Math.max(from, to));
  }
  return covered.reduce((sum, each) => sum + each, 0) / covered.length;
}

const isUpright = ([a, b, c, d]: Matrix) =>
  a > 0 && d < 0 && Math.abs(b) < SKEW * a && Math.abs(c) < -SKEW * d;

function refuseDamaged(): never {
  throw new UnusablePicture("the picture is damaged or too large");
}

/** `bitmap`: a JPEG, which is handed over. */
type DecodedPicture = {
  width: number;
  height: number;
  data?: Uint8Array;
  kind?: number;
  bitmap?: ArrayBuffer;
};

/** The pixels of a picture, or the JPEG that it is. @throws UnusablePicture */
async function pixelsOf(page: PdfPage, picture: PlacedPicture) {
  const decoded = await decodePicture(page, picture);
  if (decoded?.bitmap !== undefined) return new Uint8Array(decoded.bitmap);
  const { width = 0, height = 0, kind = BITS, data } = decoded ?? {};
  const row = kind === BITS ? (width + 7) >> 3 : width * (kind === RGB ? 3 : 4);
  if (data !== undefined && row > 0 && data.length >= row * height)
    return rasterPixels({ data, width, height, kind, fill: picture.fill });
  const size = `${picture.width} × ${picture.height}`;
  throw new UnusablePicture(`a picture of ${size} pixels is damaged or too large`);
}

async function decodePicture(page: PdfPage, { id, inline }: PlacedPicture) {
  const objects = id.startsWith("g_") ? page.commonObjs : page.objs;
  const wait = async () =>
    id === ""
      ? null
      : await awaitOrNull(
          new Promise<unknown>((resolve) => void objects.get(id, resolve)),
          DECODING_MS,
        );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what pdf.js decodes
  return (inline ?? (await wait())) as DecodedPicture | null;
}
