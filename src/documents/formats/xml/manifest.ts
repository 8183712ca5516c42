import { documentFormat } from "../../document-format.ts";

export const xml = documentFormat({
  kind: "xml",
  files: {
    "application/xml": "xml rss atom dita docbook dbk kml gpx opml xsd wsdl xliff tmx plist tei",
    "text/xml": "",
    "image/svg+xml": "svg",
  },
  read: async () => ({ readText: (await import("./extract-xml.ts")).extractXml }),
});
