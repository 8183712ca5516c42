import { decodePng, pngLayout, pngChunks } from "./decode-png.ts";
import { encodePng } from "./encode-png.ts";
import { multiply, type Matrix } from "./matrix.ts";
import { rasterOf } from "./paint-parts.ts";
import { checkDimensions, decodeInTurn, MAX_PICTURE_BYTES, UnusablePicture } from "./picture.ts";
import type { Picture } from "./picture.ts";

/** EXIF's `Orientation`, 1 to 8: https://www.cipa.jp/std/documents/e/DC-X008-Translation-2023-E.pdf */
type Facts = { width: number; height: number; orientation?: number; jpeg?: JpegFrame };
/** Few programs read a JPEG of four colours or of 12 bits, or a height that is not in the frame. */
type JpegFrame = { heightAt: number; isReadable: boolean; isPlain: boolean };

const DAMAGED = "the picture is damaged";

/** As the first bytes of a file say, by media type. @throws RangeError for a short file */
const READERS: Record<string, (view: DataView) => Facts> = {
  "image/png": pngFacts,
  "image/gif": (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  "image/webp": webpFacts,
  "image/jpeg": jpegFacts,
};

export const isReadablePicture = (mediaType: string) => mediaType in READERS;

/** @throws UnusablePicture */
function pictureFacts(bytes: Uint8Array, mediaType: string): Facts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const facts = READERS[mediaType]?.(view);
    if (facts !== undefined) return facts;
  } catch {
    // A read beyond the end.
  }
  throw new UnusablePicture(DAMAGED);
}

/** Smaller pictures are logos and lines. */
const MIN_SIDE = 300;

/** Whether a picture within a document is large enough to be read. */
export function isLargePicture(bytes: Uint8Array, mediaType: string): boolean {
  try {
    const { width, height } = pictureFacts(bytes, mediaType);
    return width >= MIN_SIDE && height >= MIN_SIDE;
  } catch {
    return false;
  }
}

/** An image file as a model takes it: of an animation the first frame, of a photo upright. @throws UnusablePicture */
export async function pictureOfFile(bytes: Uint8Array, mediaType: string): Promise<Picture> {
  const facts = pictureFacts(bytes, mediaType);
  checkDimensions(facts.width, facts.height);
  if (bytes.length > MAX_PICTURE_BYTES) throw new UnusablePicture("the picture is above 20 MiB");
  if (mediaType === "image/gif") return { bytes: firstFrame(bytes), mediaType };
  const isJpeg = mediaType === "image/jpeg";
  const { bytes: file, isPlain } = isJpeg ? plainJpegOf(bytes) : { bytes, isPlain: true };
  const [upright, ...turns] = turnsOf(facts.width, facts.height);
  const turn = turns[(facts.orientation ?? 1) - 2] ?? (isPlain ? undefined : upright);
  if (turn === undefined) return { bytes: file.slice(), mediaType };
  try {
    return await decodeInTurn(() => turnToPng(file, isJpeg, turn));
  } catch (thrown) {
    if (thrown instanceof UnusablePicture) throw thrown;
    const size = `${facts.width} × ${facts.height}`;
    throw new UnusablePicture(`a picture of ${size} pixels is damaged or too large`);
  }
}

/** A JPEG with its height in its frame, and whether every model takes it. @throws UnusablePicture */
export function plainJpegOf(bytes: Uint8Array): { bytes: Uint8Array; isPlain: boolean } {
  const { height, jpeg } = pictureFacts(bytes, "image/jpeg");
  if (jpeg?.isReadable !== true)
    throw new UnusablePicture("a JPEG without loss or in arithmetic coding is not read");
  const { heightAt, isPlain } = jpeg;
  const stored = ((bytes[heightAt] ?? 0) << 8) | (bytes[heightAt + 1] ?? 0);
  if (stored === height) return { bytes, isPlain };
  const whole = bytes.slice();
  whole.set([height >> 8, height & 255], heightAt);
  return { bytes: whole, isPlain };
}

async function turnToPng(bytes: Uint8Array, isJpeg: boolean, turn: Matrix): Promise<Picture> {
  const { decodeJpeg } = await import("#picture-decoders");
  const pixels = await (isJpeg ? decodeJpeg : decodePng)(bytes);
  const matrix = multiply(turn, [pixels.width, 0, 0, -pixels.height, 0, pixels.height]);
  return encodePng(rasterOf([{ ...pixels, matrix }], 0));
}

/** For each orientation: from pixels as they are stored to pixels as they are seen. */
const turnsOf = (width: number, height: number): Matrix[] => [
  [1, 0, 0, 1, 0, 0],
  [-1, 0, 0, 1, width, 0],
  [-1, 0, 0, -1, width, height],
  [1, 0, 0, -1, 0, height],
  [0, 1, 1, 0, 0, 0],
  [0, 1, -1, 0, height, 0],
  [0, -1, -1, 0, height, width],
  [0, -1, 1, 0, 0, width],
];

function pngFacts(view: DataView): Facts {
  const facts = { width: view.getUint32(16), height: view.getUint32(20) };
  if (pngLayout(view) === null) return facts;
  for (const { name, at } of pngChunks(view))
    if (name === 0x65_58_49_66) return { ...facts, orientation: orientationIn(view, at) ?? 1 };
  return facts;
}

/**
 * Its orientation does not count, as its pixels cannot be turned here:
 * https://developers.google.com/speed/webp/docs/riff_container
 */
function webpFacts(view: DataView): Facts {
  const kind = view.getUint8(15);
  const sizeAt = (at: number) => (view.getUint32(at, true) & 0xff_ff_ff) + 1;
  if (kind === 0x58) return { width: sizeAt(24), height: sizeAt(27) };
  const bits = view.getUint32(21, true);
  if (kind === 0x4c) return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

const [PROGRESSIVE, SCAN, LINES] = [0xc2, 0xda, 0xffdc];
/** Frames other than those of Huffman tables and arithmetic conditioning: SOF0 to SOF15. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** https://www.w3.org/Graphics/JPEG/itu-t81.pdf */
function jpegFacts(view: DataView): Facts {
  let orientation = 1;
  for (const { at, marker } of segmentsOf(view, 2)) {
    if (isFrame(marker)) {
      const height = view.getUint16(at + 5) || linesAfter(view, at);
      const isPlain = view.getUint8(at + 4) === 8 && view.getUint8(at + 9) < 4;
      const jpeg = { heightAt: at + 5, isReadable: marker <= PROGRESSIVE, isPlain };
      return { width: view.getUint16(at + 7), height, orientation, jpeg };
    }
    if (marker === 0xe1 && view.getUint32(at + 4) === 0x45_78_69_66)
      orientation = orientationIn(view, at + 10) ?? orientation;
  }
  throw new RangeError(DAMAGED);
}

/** @throws RangeError at the end of the file */
function* segmentsOf(view: DataView, from: number) {
  for (let at = from; ;) {
    const marker = view.getUint16(at) & 0xff;
    if (marker === 0xff) at++;
    else {
      yield { at, marker };
      at += 2 + Math.max(2, view.getUint16(at + 2));
    }
  }
}

/** A scanner that did not know how long a page would be tells it after the first scan (B.2.5). */
function linesAfter(view: DataView, frame: number): number {
  for (const { at, marker } of segmentsOf(view, frame)) {
    if (marker !== SCAN) continue;
    for (let end = at + 2; ; end++) {
      const code = view.getUint16(end);
      const isData = code <= 0xff00 || code === 0xffff || (code >= 0xffd0 && code <= 0xffd7);
      if (!isData) return code === LINES ? view.getUint16(end + 4) : 0;
    }
  }
  return 0;
}

const ORIENTATION_TAG = 0x0112;

/** In the first directory of a TIFF that begins `at`. */
function orientationIn(view: DataView, at: number): number | null {
  try {
    const isLittle = view.getUint16(at) === 0x4949;
    const directory = at + view.getUint32(at + 4, isLittle);
    const entries = view.getUint16(directory, isLittle);
    for (let entry = 0; entry < entries; entry++) {
      const place = directory + 2 + entry * 12;
      if (view.getUint16(place, isLittle) === ORIENTATION_TAG)
        return view.getUint16(place + 8, isLittle);
    }
  } catch {
    // The picture is whole, whatever its directory says.
  }
  return null;
}

const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b];

/** https://www.w3.org/Graphics/GIF/spec-gif89a.txt: what follows the first image is left out. */
function firstFrame(bytes: Uint8Array): Uint8Array {
  const byteAt = (at: number) => {
    const value = bytes[at];
    if (value === undefined) throw new UnusablePicture(DAMAGED);
    return value;
  };
  const colours = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));
  const skipBlocks = (at: number) => {
    let end = at;
    while (byteAt(end) !== 0) end += byteAt(end) + 1;
    return end + 1;
  };
  let at = 13 + colours(byteAt(10));
  while (byteAt(at) === EXTENSION) at = skipBlocks(at + 2);
  if (byteAt(at) !== IMAGE) throw new UnusablePicture(DAMAGED);
  const end = skipBlocks(at + 11 + colours(byteAt(at + 9)));
  const frame = new Uint8Array(end + 1);
  frame.set(bytes.subarray(0, end));
  frame[end] = TRAILER;
  return frame;
}
