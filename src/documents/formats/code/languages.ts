import { endingOf } from "../../media-type/ending.ts";

const LANGUAGES =
  "js: js mjs cjs; jsx: jsx; ts: ts mts cts; tsx: tsx; python: py pyi pyw; " +
  "ruby: rb rake gemspec; go: go; rust: rs; java: java; kotlin: kt kts; swift: swift; " +
  "scala: scala sc; groovy: groovy gradle; c: c h; cpp: cpp cc cxx hpp hh hxx ino; " +
  "csharp: cs csx; fsharp: fs fsx; vb: vb vbs bas; php: php phtml; perl: pl pm; lua: lua; r: r; " +
  "julia: jl; dart: dart; haskell: hs lhs; elm: elm; elixir: ex exs; erlang: erl hrl; " +
  "clojure: clj cljs cljc edn; ocaml: ml mli; lisp: lisp el scm rkt; zig: zig; nim: nim; " +
  "pascal: pas dpr; fortran: f f77 f90 f95; cobol: cob cbl; matlab: m mat; asm: asm s; " +
  "sh: sh bash zsh fish ksh; powershell: ps1 psm1 psd1; bat: bat cmd; sql: sql ddl; " +
  "graphql: graphql gql; proto: proto; css: css scss sass less styl; vue: vue; svelte: svelte; " +
  "astro: astro; yaml: yaml yml; toml: toml; " +
  "ini: ini cfg conf properties editorconfig env service desktop; hcl: tf tfvars hcl; nix: nix; " +
  "dtd: dtd; tcl: tcl; awk: awk; vim: vim; po: po pot; make: mk mak makefile; cmake: cmake; " +
  "dockerfile: dockerfile containerfile; diff: diff patch; solidity: sol; verilog: v sv; " +
  "vhdl: vhd vhdl";
export const CODE_ENDINGS = new Map(
  LANGUAGES.split("; ").map((language) => {
    const [name = "", endings = ""] = language.split(": ");
    return [name, endings];
  }),
);

const LANGUAGE_BY_ENDING = new Map(
  [...CODE_ENDINGS].flatMap(([language, endings]) =>
    endings.split(" ").map((ending) => [ending, language] as const),
  ),
);

export const codeLanguage = (name: string) => LANGUAGE_BY_ENDING.get(endingOf(name)) ?? "";

export const isCodeLanguage = (name: string) => CODE_ENDINGS.has(name);
