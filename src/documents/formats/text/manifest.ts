import { documentFormat } from "../../document-format.ts";

export const plainText = documentFormat({
  kind: "text",
  files: { "text/plain": "txt text log rst adoc asciidoc org tex bib srt vtt nfo readme me" },
  read: async () => ({ readText: (await import("./extract-plain-text.ts")).extractPlainText }),
});
