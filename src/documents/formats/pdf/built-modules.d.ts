declare module "#pdfjs" {
  export { getDocument, OPS } from "unpdf/pdfjs";
}

declare module "#character-maps/*" {
  /** The CMaps of a collection, and where each ends among their bytes. */
  export const ENDS: [name: string, end: number][];
  /** Base64 of these bytes, packed with Brotli. */
  export const PACKED: string;
}

declare module "#picture-decoders" {
  import type { Pixels } from "../../pictures/paint-parts.ts";

  /** At most some seven megapixels. @throws Error for what is damaged or too large */
  export function decodeJpeg(bytes: Uint8Array): Promise<Pixels>;
}
