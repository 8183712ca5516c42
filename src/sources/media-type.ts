/** Media types by file-name extension, for listings that carry none. */
const BY_EXTENSION = new Map(
  Object.entries({
    "text/plain": "txt text log rst tex",
    "text/markdown": "md markdown mdx",
    "text/html": "html htm xhtml",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/json": "json jsonl ndjson",
    "application/xml": "xml",
    "application/yaml": "yaml yml",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/epub+zip": "epub",
    "application/rtf": "rtf",
    "message/rfc822": "eml",
    "application/mbox": "mbox",
    "image/png": "png",
    "image/jpeg": "jpg jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "application/zip": "zip",
  }).flatMap(([type, extensions]) => extensions.split(" ").map((each) => [each, type] as const)),
);

export const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

/** The media type that a file's name suggests. */
export function mediaTypeOfName(name: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return BY_EXTENSION.get(extension) ?? UNKNOWN_MEDIA_TYPE;
}

/** `Text/HTML; charset=x` becomes `text/html`; null when there is no usable type. */
export function bareMediaType(contentType: string | null): string | null {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : null;
}
