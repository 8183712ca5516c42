/** The kinds of document that have an extractor. */
export type DocumentKind =
  | "text"
  | "markdown"
  | "html"
  | "csv"
  | "tsv"
  | "json"
  | "xml"
  | "code"
  | "notebook"
  | "pdf"
  | "docx"
  | "pptx"
  | "xlsx"
  | "odt"
  | "ods"
  | "odp"
  | "flat-odf"
  | "epub"
  | "rtf"
  | "eml";

/** Kinds whose files are archives or hold compressed parts. */
export const PACKED_KINDS = ["pdf", "docx", "pptx", "xlsx", "odt", "ods", "odp", "epub"] as const;

const wordsOf = (text: string) => text.split(" ");

const ENDINGS: [DocumentKind, string][] = [
  ["text", "txt text log rst adoc asciidoc org tex bib srt vtt nfo readme me"],
  ["markdown", "md markdown mdown mkd mdx qmd rmd"],
  ["html", "html htm xhtml xht shtml"],
  ["csv", "csv"],
  ["tsv", "tsv tab"],
  ["json", "json jsonl ndjson geojson json5 jsonc webmanifest"],
  ["xml", "xml rss atom svg dita docbook dbk kml gpx opml xsd wsdl xliff tmx plist tei"],
  ["notebook", "ipynb"],
  ["pdf", "pdf"],
  ["docx", "docx docm dotx dotm"],
  ["pptx", "pptx pptm ppsx ppsm potx"],
  ["xlsx", "xlsx xlsm xltx xltm"],
  ["odt", "odt ott"],
  ["ods", "ods ots"],
  ["odp", "odp otp"],
  ["flat-odf", "fodt fods fodp"],
  ["epub", "epub"],
  ["rtf", "rtf"],
  ["eml", "eml mht mhtml mbox"],
];

const KIND_BY_ENDING = new Map(
  ENDINGS.flatMap(([kind, endings]) => wordsOf(endings).map((ending) => [ending, kind] as const)),
);

const KIND_BY_MEDIA_TYPE = new Map<string, DocumentKind>([
  ["text/plain", "text"],
  ["text/markdown", "markdown"],
  ["text/x-markdown", "markdown"],
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["text/csv", "csv"],
  ["text/tab-separated-values", "tsv"],
  ["application/json", "json"],
  ["application/ld+json", "json"],
  ["application/x-ndjson", "json"],
  ["application/jsonl", "json"],
  ["text/xml", "xml"],
  ["application/xml", "xml"],
  ["image/svg+xml", "xml"],
  ["application/rss+xml", "xml"],
  ["application/atom+xml", "xml"],
  ["application/x-ipynb+json", "notebook"],
  ["application/rtf", "rtf"],
  ["text/rtf", "rtf"],
  ["message/rfc822", "eml"],
  ["application/mbox", "eml"],
]);

/** Languages of source code by file ending, as code fences name them. */
const CODE_ENDINGS: Record<string, string> = {
  js: "js mjs cjs",
  jsx: "jsx",
  ts: "ts mts cts",
  tsx: "tsx",
  python: "py pyi pyw",
  ruby: "rb rake gemspec",
  go: "go",
  rust: "rs",
  java: "java",
  kotlin: "kt kts",
  swift: "swift",
  scala: "scala sc",
  groovy: "groovy gradle",
  c: "c h",
  cpp: "cpp cc cxx hpp hh hxx ino",
  csharp: "cs csx",
  fsharp: "fs fsx",
  vb: "vb vbs bas",
  php: "php phtml",
  perl: "pl pm",
  lua: "lua",
  r: "r",
  julia: "jl",
  dart: "dart",
  haskell: "hs lhs",
  elm: "elm",
  elixir: "ex exs",
  erlang: "erl hrl",
  clojure: "clj cljs cljc edn",
  ocaml: "ml mli",
  lisp: "lisp el scm rkt",
  zig: "zig",
  nim: "nim",
  pascal: "pas dpr",
  fortran: "f f77 f90 f95",
  cobol: "cob cbl",
  matlab: "m mat",
  asm: "asm s",
  sh: "sh bash zsh fish ksh",
  powershell: "ps1 psm1 psd1",
  bat: "bat cmd",
  sql: "sql ddl",
  graphql: "graphql gql",
  proto: "proto",
  css: "css scss sass less styl",
  vue: "vue",
  svelte: "svelte",
  astro: "astro",
  yaml: "yaml yml",
  toml: "toml",
  ini: "ini cfg conf properties editorconfig env service desktop",
  hcl: "tf tfvars hcl",
  nix: "nix",
  dtd: "dtd",
  tcl: "tcl",
  awk: "awk",
  vim: "vim",
  po: "po pot",
  make: "mk mak makefile",
  cmake: "cmake",
  dockerfile: "dockerfile containerfile",
  diff: "diff patch",
  solidity: "sol",
  verilog: "v sv",
  vhdl: "vhd vhdl",
};

const LANGUAGE_BY_ENDING = new Map(
  Object.entries(CODE_ENDINGS).flatMap(([language, endings]) =>
    wordsOf(endings).map((ending) => [ending, language] as const),
  ),
);

/** The extension of `docs/Report.PDF` is `pdf`, that of `Makefile` is `makefile`. */
function endingOf(name: string): string {
  const base = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  return base.slice(base.lastIndexOf(".") + 1);
}

export function kindByName(name: string): DocumentKind | null {
  const ending = endingOf(name);
  return KIND_BY_ENDING.get(ending) ?? (LANGUAGE_BY_ENDING.has(ending) ? "code" : null);
}

export function kindByMediaType(mimeType: string | null): DocumentKind | null {
  const bare = mimeType?.split(";")[0]?.trim().toLowerCase() ?? "";
  const known = KIND_BY_MEDIA_TYPE.get(bare);
  if (known !== undefined) return known;
  if (bare.endsWith("+json")) return "json";
  return bare.endsWith("+xml") ? "xml" : null;
}

/** The language of a source file; empty when its name does not show it. */
export function codeLanguage(name: string): string {
  return LANGUAGE_BY_ENDING.get(endingOf(name)) ?? "";
}

/** Whether a code fence can use this name for a language. */
export const isCodeLanguage = (name: string) => Object.hasOwn(CODE_ENDINGS, name);
