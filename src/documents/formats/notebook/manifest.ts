import { documentFormat } from "../../document-format.ts";

export const notebook = documentFormat({
  kind: "notebook",
  files: { "application/x-ipynb+json": "ipynb" },
  read: async () => ({ readText: (await import("./extract-notebook.ts")).extractNotebook }),
});
