import type { getDocumentProxy } from "unpdf";
import { UnreadableDocument } from "../../extracted-document.ts";
import { predefinedCmap } from "./fonts/predefined-cmaps.ts";

export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

const SILENT = 0;

/**
 * Opens a PDF with pdf.js, which takes the bytes for itself.
 * @param missingCmaps takes the names of predefined CMaps that pdf.js asked for and did not get
 * @throws UnreadableDocument
 */
export async function openPdf(bytes: Uint8Array, missingCmaps: Set<string>): Promise<Pdf> {
  const { getDocumentProxy } = await import("unpdf");
  try {
    return await getDocumentProxy(bytes, {
      verbosity: SILENT,
      useWorkerFetch: false,
      disableFontFace: true,
      cMapUrl: "cmaps/",
      cMapPacked: true,
      BinaryDataFactory: cmapsFor(missingCmaps),
    });
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    const isEncrypted = name === "PasswordException";
    throw new UnreadableDocument(isEncrypted ? "PDF is encrypted" : "PDF is damaged or incomplete");
  }
}

/** Replaces pdf.js's own fetching, so that it makes no requests. */
const cmapsFor = (missingCmaps: Set<string>) =>
  class {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      const name = filename.replace(/\.bcmap$/, "");
      const cmap = kind === "cMapUrl" ? await predefinedCmap(name) : null;
      if (cmap !== null) return cmap;
      if (kind === "cMapUrl") missingCmaps.add(name);
      throw new Error(`${filename} is not part of this program`);
    }
  };
