import { documentFormat } from "../../document-format.ts";

export const man = documentFormat({
  kind: "man",
  files: { "text/troff": "man mdoc roff troff" },
  read: async () => ({ readText: (await import("./extract-man.ts")).extractMan }),
});
