import { Lane } from "../../core/work/lane.ts";

/** A picture that a model is to read: upright and whole. */
export type Picture = { bytes: Uint8Array; mediaType: string };

/** `by`: the model that has read a picture, `provider/name`. */
export type PictureText = { text: string; by: string };
/** The result of reading a picture. `problem`: a clause. */
export type PictureReading = PictureText | { problem: string };

/** Null: no model is chosen. */
export type PictureReader = ((picture: Picture) => Promise<PictureReading>) | null;

/** Takes a page's picture out of its document, unless an earlier try has had it read. */
export type PageMemory = (
  page: number,
  make: () => Promise<Picture | null>,
) => Promise<Picture | PictureText | null>;

export const MAX_PICTURE_BYTES = 20 << 20;
const MAX_PICTURE_PIXELS = 60e6;
/** As JPEG has it; each row takes time of its own. */
const MAX_SIDE = 65_535;

/** One takes up to 100 MB, of an isolate's 128. */
const decoding = new Lane(1);
const DECODING_MS = 2 * 60_000;

/** Decodes one picture of the isolate after another. */
export async function decodeInTurn<T>(decode: () => Promise<T>): Promise<T> {
  const end = await decoding.begin({ leaseMs: DECODING_MS });
  try {
    return await decode();
  } finally {
    end();
  }
}

/** A picture that is left out, and why, as a clause. */
export class UnusablePicture extends Error {
  override readonly name = "UnusablePicture";
}

/** @throws UnusablePicture */
export function checkDimensions(width: number, height: number): void {
  if (!(width > 0 && height > 0)) throw new UnusablePicture("the picture has no size");
  if (width * height > MAX_PICTURE_PIXELS || Math.max(width, height) > MAX_SIDE)
    throw new UnusablePicture(`a picture of ${width} × ${height} pixels is too large`);
}
