import { documentFormat } from "../../document-format.ts";
import { CODE_ENDINGS, codeLanguage } from "./languages.ts";

/** Endings of source code tell no media type: an address that ends in `.php` is a page. */
const others = [...CODE_ENDINGS].filter(([language]) => language !== "yaml");

export const code = documentFormat({
  kind: "code",
  files: {
    "application/octet-stream": others.map(([, endings]) => endings).join(" "),
    "application/yaml": CODE_ENDINGS.get("yaml") ?? "",
  },
  read: async () => {
    const { extractSourceCode } = await import("./extract-source-code.ts");
    return { readText: (text, { name }) => extractSourceCode(text, codeLanguage(name)) };
  },
});
