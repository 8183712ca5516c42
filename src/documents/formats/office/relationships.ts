import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Omissions } from "../../notes.ts";
import { ZipArchive } from "../archive/zip-archive.ts";
import { readXml } from "../xml/xml-stream.ts";

/** `type` is the last part of the relationship's type: `officeDocument`, `hyperlink`, `slide`. */
export type Relationship = { id: string; type: string; target: string; isExternal: boolean };

/** More than any part needs: a file may declare millions. */
const MAX_RELATIONSHIPS = 1 << 16;

/** Files of other programs; the workbook of a chart belongs to the chart's part. */
const EMBEDDED = /\/(?:package|oleObject)$/;

/** The relationships of a part (ECMA-376 part 2); targets inside the package are full names. */
export function* relationshipsOf(
  archive: ZipArchive,
  part: string,
  leftOut?: Omissions,
): CooperativeWork<Relationship[]> {
  const slash = part.lastIndexOf("/");
  const folder = part.slice(0, slash + 1);
  const relationships: Relationship[] = [];
  yield* readXml(archive.chunks(`${folder}_rels/${part.slice(slash + 1)}.rels`), {
    open: (name, attributes) => {
      if (name !== "Relationship" || relationships.length >= MAX_RELATIONSHIPS) return;
      const { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode } = attributes;
      const isExternal = mode === "External";
      if (!isExternal && EMBEDDED.test(type))
        leftOut?.addFile(target.slice(target.lastIndexOf("/") + 1));
      relationships.push({
        id,
        type: type.slice(type.lastIndexOf("/") + 1),
        target: isExternal ? target : resolvePart(folder, target),
        isExternal,
      });
    },
  });
  return relationships;
}

export const linksOf = (related: Relationship[]) =>
  new Map(related.filter(({ isExternal }) => isExternal).map(({ id, target }) => [id, target]));

/** `../media/a.png` seen from `ppt/slides/` is `ppt/media/a.png`. */
export function resolvePart(folder: string, target: string): string {
  const path = target.startsWith("/") ? target.slice(1) : folder + target;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** A package with its main part, or `fallback` if it names none, and what this one refers to. */
export function* openPackage(bytes: Uint8Array, fallback: string) {
  const archive = new ZipArchive(bytes);
  const document = (yield* relationshipsOf(archive, "")).find(
    ({ type }) => type === "officeDocument",
  );
  const main = document !== undefined && archive.has(document.target) ? document.target : fallback;
  const related = yield* relationshipsOf(archive, main);
  const targets = new Map(related.map(({ id, target }) => [id, target]));
  const partOf = (type: string) => related.find((each) => each.type === type)?.target ?? null;
  const properties = yield* corePropertiesOf(archive, "docProps/core.xml");
  return { archive, main, related, targets, partOf, properties };
}

export type CoreProperties = { title: string | null; language: string | null };

/** Reads properties by their Dublin Core names. */
export function* corePropertiesOf(
  archive: ZipArchive,
  part: string,
): CooperativeWork<CoreProperties> {
  const properties = { title: "", language: "" };
  let current: keyof CoreProperties | null = null;
  yield* readXml(archive.chunks(part), {
    open: (name) => {
      // The first title is the document's; later ones of a book are alternative titles.
      const isFact = name === "title" || name === "language";
      current = isFact && properties[name].trim() === "" ? name : null;
    },
    text: (data) => {
      if (current !== null) properties[current] += data;
    },
    close: () => {
      current = null;
    },
  });
  return { title: properties.title.trim() || null, language: properties.language.trim() || null };
}
