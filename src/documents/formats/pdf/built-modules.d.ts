declare module "#pdfjs" {
  export { getDocument } from "unpdf/pdfjs";
}

declare module "#character-maps/*" {
  /** The CMaps of a collection, and where each ends among their bytes. */
  export const ENDS: [name: string, end: number][];
  /** Base64 of these bytes, packed with Brotli. */
  export const PACKED: string;
}
