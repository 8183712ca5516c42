/** A picture that a model is to read: upright and whole. */
export type Picture = { bytes: Uint8Array; mediaType: string };

/** The result of reading a picture. `by`: the model, `provider/name`; `problem`: a clause. */
export type PictureReading = { text: string; by: string } | { problem: string };

/** Null: no model is chosen. */
export type PictureReader = ((picture: Picture) => Promise<PictureReading>) | null;

export const MAX_PICTURE_BYTES = 20 << 20;
const MAX_PICTURE_PIXELS = 60e6;
/** As JPEG has it; each row takes time of its own. */
const MAX_SIDE = 65_535;

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
