import type { DocumentFormat } from "./document-format.ts";
import { CODE_ENDINGS, codeLanguage } from "./formats/code/languages.ts";

const OFFICE = "application/vnd.openxmlformats-officedocument";
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument";

/** Endings of source code name no media type: an address that ends in `.php` is a page. */
const codeEndings = [...CODE_ENDINGS].filter(([language]) => language !== "yaml");

const LISTED = [
  {
    kind: "text",
    files: { "text/plain": "txt text log rst adoc asciidoc org tex bib nfo readme me" },
    read: () => import("./formats/text/extract-plain-text.ts"),
  },
  {
    kind: "markdown",
    files: { "text/markdown": "md markdown mdown mkd mdx qmd rmd", "text/x-markdown": "" },
    read: () => import("./formats/markdown/extract-markdown.ts"),
  },
  {
    kind: "html",
    files: { "text/html": "html htm xhtml xht shtml", "application/xhtml+xml": "" },
    read: () => import("./formats/html/extract-html.ts"),
  },
  {
    kind: "csv",
    files: { "text/csv": "csv" },
    read: () => import("./formats/csv/extract-csv.ts"),
  },
  {
    kind: "tsv",
    files: { "text/tab-separated-values": "tsv tab" },
    read: async () => {
      const { extractRows } = await import("./formats/csv/extract-csv.ts");
      return { readText: (text) => extractRows(text, "\t") };
    },
  },
  {
    kind: "json",
    files: {
      "application/json": "json jsonl ndjson geojson json5 jsonc webmanifest",
      "application/x-ndjson": "",
      "application/jsonl": "",
    },
    read: () => import("./formats/json/extract-json.ts"),
  },
  {
    kind: "xml",
    files: {
      "application/xml": "xml rss atom dita docbook dbk kml gpx opml xsd wsdl xliff tmx plist tei",
      "text/xml": "",
      "image/svg+xml": "svg",
    },
    read: () => import("./formats/xml/extract-xml.ts"),
  },
  {
    kind: "notebook",
    files: { "application/x-ipynb+json": "ipynb" },
    read: () => import("./formats/notebook/extract-notebook.ts"),
  },
  {
    kind: "code",
    files: {
      "application/octet-stream": codeEndings.map(([, endings]) => endings).join(" "),
      "application/yaml": CODE_ENDINGS.get("yaml") ?? "",
    },
    read: async () => {
      const { extractSourceCode } = await import("./formats/code/extract-source-code.ts");
      return { readText: (text, { name }) => extractSourceCode(text, codeLanguage(name)) };
    },
  },
  {
    kind: "pdf",
    files: { "application/pdf": "pdf" },
    signature: "%PDF-",
    isPacked: true,
    read: () => import("./formats/pdf/extract-pdf.ts"),
  },
  {
    kind: "docx",
    files: { [`${OFFICE}.wordprocessingml.document`]: "docx docm dotx dotm" },
    zip: {
      holds: "word/",
      types: /wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.\w+\.macroEnabled\.main/i,
    },
    read: () => import("./formats/office/docx/extract-docx.ts"),
  },
  {
    kind: "pptx",
    files: { [`${OFFICE}.presentationml.presentation`]: "pptx pptm ppsx ppsm potx" },
    zip: {
      holds: "ppt/",
      types: /presentationml\.\w+\.main\+xml|ms-powerpoint\.\w+\.macroEnabled\.main/i,
    },
    read: () => import("./formats/office/slides/extract-pptx.ts"),
  },
  {
    kind: "xlsx",
    files: { [`${OFFICE}.spreadsheetml.sheet`]: "xlsx xlsm xltx xltm" },
    zip: {
      holds: "xl/",
      types: /spreadsheetml\.(?:sheet|template)\.main\+xml|ms-excel\.\w+\.macroEnabled\.main/i,
    },
    read: () => import("./formats/office/sheets/extract-xlsx.ts"),
  },
  {
    kind: "odf",
    files: {
      [`${OPEN_DOCUMENT}.text`]: "odt ott",
      [`${OPEN_DOCUMENT}.spreadsheet`]: "ods ots",
      [`${OPEN_DOCUMENT}.presentation`]: "odp otp",
    },
    zip: { declared: /opendocument\.(?:text|spreadsheet|presentation)/ },
    read: () => import("./formats/office/odf/extract-odf.ts"),
  },
  {
    kind: "epub",
    files: { "application/epub+zip": "epub" },
    zip: { declared: /^application\/epub\+zip/, holds: "META-INF/container.xml" },
    read: () => import("./formats/epub/extract-epub.ts"),
  },
  {
    kind: "rtf",
    files: { "application/rtf": "rtf", "text/rtf": "" },
    signature: "{\\rtf",
    read: () => import("./formats/rtf/extract-rtf.ts"),
  },
  {
    kind: "mail",
    files: { "message/rfc822": "eml emlx mht mhtml", "application/mbox": "mbox" },
    isPacked: true,
    read: () => import("./formats/mail/extract-mail.ts"),
  },
  {
    kind: "calendar",
    files: { "text/calendar": "ics" },
    read: () => import("./formats/mail/calendar.ts"),
  },
  {
    kind: "subtitles",
    files: { "text/vtt": "vtt srt", "application/x-subrip": "" },
    read: () => import("./formats/subtitles/extract-subtitles.ts"),
  },
  {
    kind: "man",
    files: { "text/troff": "man mdoc roff troff" },
    read: () => import("./formats/man/extract-man.ts"),
  },
] as const satisfies DocumentFormat[];

export type DocumentKind = (typeof LISTED)[number]["kind"];

export const FORMATS: readonly DocumentFormat<DocumentKind>[] = LISTED;
