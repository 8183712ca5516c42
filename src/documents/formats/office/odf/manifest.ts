import { documentFormat } from "../../../document-format.ts";

const OPEN_DOCUMENT = "application/vnd.oasis.opendocument";

/** Packages, and the same as one XML file. */
export const odf = documentFormat({
  kind: "odf",
  files: {
    [`${OPEN_DOCUMENT}.text`]: "odt ott",
    [`${OPEN_DOCUMENT}.spreadsheet`]: "ods ots",
    [`${OPEN_DOCUMENT}.presentation`]: "odp otp",
    [`${OPEN_DOCUMENT}.text-flat-xml`]: "fodt",
    [`${OPEN_DOCUMENT}.spreadsheet-flat-xml`]: "fods",
    [`${OPEN_DOCUMENT}.presentation-flat-xml`]: "fodp",
  },
  zip: { declared: /opendocument\.(?:text|spreadsheet|presentation)/ },
  isPacked: true,
  read: async () => ({ readBytes: (await import("./extract-odf.ts")).extractOdf }),
});
