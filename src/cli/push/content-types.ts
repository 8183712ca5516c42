/** Media types by the ending of a file's name. */
const TYPES: Record<string, string> = {
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  eml: "message/rfc822",
  mbox: "application/mbox",
  epub: "application/epub+zip",
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  markdown: "text/markdown",
  md: "text/markdown",
  mdx: "text/markdown",
  odp: "application/vnd.oasis.opendocument.presentation",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odt: "application/vnd.oasis.opendocument.text",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  rtf: "application/rtf",
  svg: "image/svg+xml",
  tiff: "image/tiff",
  tsv: "text/tab-separated-values",
  webp: "image/webp",
  xhtml: "application/xhtml+xml",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  zip: "application/zip",
};

/** Source code and settings: text, whatever their registered types may be. */
const PLAIN_TEXT = new Set(
  (
    "adoc bash bat c cc cfg clj conf cpp cs css cxx dart ex go gradle groovy h hpp hs ini java jl " +
    "js jsx kt less log lua m mjs mm mts org php pl ps1 py r rb rs rst sass scala scss sh sql " +
    "swift tex text toml ts tsx txt vb vue yaml yml zig"
  ).split(" "),
);

export function contentTypeOf(path: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  if (PLAIN_TEXT.has(ending)) return "text/plain";
  return TYPES[ending] ?? "application/octet-stream";
}
