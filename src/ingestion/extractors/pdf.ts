import type { ExtractedDocument } from "./extracted-document.ts";
export async function extractPdf(_bytes: Uint8Array): Promise<ExtractedDocument> {
  throw new Error("todo");
}
