import { documentFormat } from "../../../document-format.ts";

export const docx = documentFormat({
  kind: "docx",
  files: {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
      "docx docm dotx dotm",
  },
  zip: {
    holds: "word/",
    types: /wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.\w+\.macroEnabled\.main/i,
  },
  isPacked: true,
  read: async () => ({ readBytes: (await import("./extract-docx.ts")).extractDocx }),
});
