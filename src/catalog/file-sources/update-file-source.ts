import { forgetMembers } from "../../db/access/member-store.ts";
import { copiesOf } from "../../db/catalog/source-copy-store.ts";
import { updateSourceRow, type SourceChange } from "../../db/catalog/source-store.ts";
import { releaseImages } from "../../db/files/image-store.ts";
import { abandonRun } from "../../db/scans/scan-store.ts";
import { replaceWatches } from "../../db/scans/watch-store.ts";
import { withoutEntry } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import { manifestOf } from "../../sources/registry.ts";
import { sealSecrets } from "../../sources/source-secrets.ts";
import { checkImageModel } from "../models/check-model.ts";
import { nextScanAt } from "./create-file-source.ts";
import { findFileSource, type FileSource } from "./find-file-source.ts";
import { requestScan } from "./request-scan.ts";

/** A configuration replaces the one before; an omitted secret is kept. */
type FileSourcePatch = Pick<
  SourceChange,
  | "name"
  | "config"
  | "scanIntervalMinutes"
  | "permissions"
  | "defaultReaders"
  | "imageModel"
  | "pictures"
>;

/** Updates the given fields; a new configuration starts a full scan at once. */
export async function updateFileSource(
  services: Services,
  { source: { source }, patch }: { source: FileSource; patch: FileSourcePatch },
): Promise<FileSource> {
  const { id, provider } = source;
  const change: SourceChange = {};
  if (patch.name !== undefined) change.name = patch.name;
  if (patch.scanIntervalMinutes !== undefined) {
    change.scanIntervalMinutes = patch.scanIntervalMinutes;
    change.nextScanAt = nextScanAt(services.now(), patch.scanIntervalMinutes);
  }
  const images = await imagesChange(services, source, patch);
  Object.assign(change, images.change);
  if (patch.config !== undefined) {
    const settings = { provider, config: patch.config, before: source };
    Object.assign(change, await sealSecrets(services.config, settings), { changeCursor: null });
  }
  const readers = readersChange(source, patch, services.now());
  const rereads = readers.permissions === "on";
  Object.assign(change, readers);
  // Before permissions count again, so that no search finds members of long ago.
  if (readers.permissionsSince !== undefined) await forgetMembers(withoutEntry(services.db), id);
  await updateSourceRow(services.db, id, change);
  if (images.reads)
    await releaseImages(withoutEntry(services.db), { id, ...images.change }, services.now());
  if (patch.config !== undefined) await replaceWatches(services.db, id, services.now());
  if (patch.config !== undefined || rereads) {
    await abandonRun(services.db, id, services.now());
    const isListed = manifestOf(source).open !== null;
    if (isListed || rereads) await requestScan(services, { sourceId: id });
  }
  if (patch.scanIntervalMinutes !== undefined) await services.wakeClock();
  const updated = await findFileSource(services, { key: id });
  await updateCopies(services, source, updated);
  return updated;
}

/** Copies that are under way follow, unless they have permissions of their own. */
async function updateCopies(
  services: Services,
  { id, permissions, defaultReaders }: FileSource["source"],
  { source: updated }: FileSource,
): Promise<void> {
  if (updated.permissions === "off") return;
  const patch = { permissions: updated.permissions, defaultReaders: updated.defaultReaders };
  for (const key of await copiesOf(services.db, id)) {
    const source = await findFileSource(services, { key });
    const own = readersChange(source.source, { permissions, defaultReaders }, services.now());
    if (Object.keys(own).length === 0) await updateFileSource(services, { source, patch });
  }
}

/** `reads`: pictures that waited for another model, or for their turn, are read now. */
async function imagesChange(
  services: Services,
  source: FileSource["source"],
  { imageModel = source.imageModel, pictures = source.pictures }: FileSourcePatch,
) {
  const isOther = imageModel !== null && imageModel !== source.imageModel;
  if (isOther) await checkImageModel(services, imageModel);
  return { change: { imageModel, pictures }, reads: isOther || (pictures && !source.pictures) };
}

/** With permissions on, everything is listed again; what was read before they were off is void. */
function readersChange(
  source: FileSource["source"],
  { permissions = source.permissions, defaultReaders = source.defaultReaders }: FileSourcePatch,
  now: number,
): SourceChange {
  const isSame = JSON.stringify(defaultReaders) === JSON.stringify(source.defaultReaders);
  if (permissions === source.permissions && isSame) return {};
  if (permissions === "off") return { permissions, defaultReaders };
  const isListed = manifestOf(source).open !== null;
  // Pushed readers stay known: nobody would send them again.
  const since = source.permissions === "off" && isListed ? { permissionsSince: now } : {};
  return { permissions, defaultReaders, changeCursor: null, groupsDueAt: now, ...since };
}
