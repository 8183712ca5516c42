import { documentFormat } from "../../document-format.ts";

export const html = documentFormat({
  kind: "html",
  files: { "text/html": "html htm xhtml xht shtml", "application/xhtml+xml": "" },
  read: async () => ({ readText: (await import("./extract-html.ts")).extractHtml }),
});
