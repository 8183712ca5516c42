/** Converts documents that have no extractor here (images, scans) to Markdown. */
export interface DocumentConverter {
  /** @throws Error with a plain message when the document cannot be converted. */
  toMarkdown(name: string, mimeType: string, bytes: Uint8Array): Promise<string>;
}
