import { documentFormat } from "../../document-format.ts";

export const pdf = documentFormat({
  kind: "pdf",
  files: { "application/pdf": "pdf" },
  signature: "%PDF-",
  isPacked: true,
  read: async () => ({ readFile: (await import("./extract-pdf.ts")).extractPdf }),
});
