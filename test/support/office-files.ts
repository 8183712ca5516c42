import { zipSync } from "fflate";

import { bytesOf, type Content } from "./read-document.ts";

type Parts = Record<string, Content>;

export const zipped = (parts: Parts) =>
  zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, bytesOf(part)] as const)),
  );

export const relationships = (...related: [id: string, type: string, target: string][]) =>
  `<r>${related.map(([id, type, target]) => `<Relationship Id="${id}" Type="x/${type}" Target="${target}" ${target.startsWith("http") ? 'TargetMode="External"' : ""}/>`).join("")}</r>`;

/** Parts by their relationships' ids, which are their names as well. */
export type Related = Record<string, [type: string, content: Content]>;

const officeFile = (folder: string, main: Content, related: Related, more: Parts) => {
  const entries = Object.entries(related);
  return zipped({
    "_rels/.rels": relationships(["m", "officeDocument", `${folder}/m.xml`]),
    [`${folder}/m.xml`]: main,
    [`${folder}/_rels/m.xml.rels`]: relationships(
      ...entries.map(([id, [type]]): [string, string, string] => [id, type, id]),
    ),
    ...Object.fromEntries(entries.map(([id, [, content]]) => [`${folder}/${id}`, content])),
    ...more,
  });
};

export const docx = (body: string, related: Related = {}, more: Parts = {}, prolog = "") =>
  officeFile("word", `${prolog}<w:document><w:body>${body}</w:body></w:document>`, related, more);

type Book = { head?: string; tail?: string; styles?: string; strings?: string; more?: Parts };

/** A workbook of one sheet, the part `s`. */
export const xlsx = (
  rows: string,
  { head = "", tail = "", styles = "", strings = "", more }: Book = {},
) =>
  officeFile(
    "xl",
    '<workbook><sheets><sheet name="Log" r:id="s"/></sheets></workbook>',
    {
      s: ["worksheet", `<worksheet>${head}<sheetData>${rows}</sheetData>${tail}</worksheet>`],
      t: ["sharedStrings", `<sst>${strings}</sst>`],
      f: ["styles", `<styleSheet>${styles}</styleSheet>`],
    },
    more ?? {},
  );

/** `more`: the relationships of the first slide are `ppt/_rels/s0.rels`. */
export const pptx = (slides: string[], more: Parts = {}) => {
  const related: Related = Object.fromEntries(
    slides.map((shapes, at) => [`s${at}`, ["slide", `<p:sld>${shapes}</p:sld>`]]),
  );
  const ids = slides.map((_shapes, at) => `<p:sldId r:id="s${at}"/>`).join("");
  return officeFile("ppt", `<p:presentation>${ids}</p:presentation>`, related, more);
};

type OdfParts = { styles?: string; objects?: Record<string, string> };

export const odf = (kind: string, body: string, { styles = "", objects = {} }: OdfParts = {}) =>
  zipped({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ...Object.fromEntries(
      Object.entries(objects).map(([name, part]) => [`${name}/content.xml`, part]),
    ),
  });

type Package = { metadata?: string; items: string; spine: string; parts: Parts };

export const epub = ({ metadata = "", items, spine, parts }: Package) =>
  zipped({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": '<c><rootfile full-path="o/b.opf"/></c>',
    "o/b.opf": `<package><metadata>${metadata}</metadata><manifest>${items}</manifest><spine>${spine}</spine></package>`,
    ...parts,
  });
