import { documentFormat } from "../../document-format.ts";

export const csv = documentFormat({
  kind: "csv",
  files: { "text/csv": "csv" },
  read: async () => {
    const { extractCsv } = await import("./extract-csv.ts");
    return { readText: (text) => extractCsv(text) };
  },
});

export const tsv = documentFormat({
  kind: "tsv",
  files: { "text/tab-separated-values": "tsv tab" },
  read: async () => {
    const { extractCsv } = await import("./extract-csv.ts");
    return { readText: (text) => extractCsv(text, "\t") };
  },
});
