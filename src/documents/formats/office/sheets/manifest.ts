import { documentFormat } from "../../../document-format.ts";

export const xlsx = documentFormat({
  kind: "xlsx",
  files: {
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx xlsm xltx xltm",
  },
  zip: {
    holds: "xl/",
    types: /spreadsheetml\.(?:sheet|template)\.main\+xml|ms-excel\.\w+\.macroEnabled\.main/i,
  },
  isPacked: true,
  read: async () => ({ readBytes: (await import("./extract-xlsx.ts")).extractXlsx }),
});
