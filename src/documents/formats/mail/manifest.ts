import { documentFormat } from "../../document-format.ts";

export const mail = documentFormat({
  kind: "mail",
  files: { "message/rfc822": "eml mht mhtml", "application/mbox": "mbox" },
  isPacked: true,
  read: async () => ({ readFile: (await import("./extract-mail.ts")).extractMail }),
});
