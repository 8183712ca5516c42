import { invalidField, requireFound } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { deleteExclusion, markExclusionsApplied } from "../../db/catalog/exclusion-store.ts";
import { insertExclusion, findRagsExcluding } from "../../db/catalog/exclusion-store.ts";
import { findFile } from "../../db/files/file-store.ts";
import type { Services } from "../../services.ts";
import { showOnlyScopes } from "../rags/enforce-scopes.ts";

/** Each index reads all of a source's exclusions with every change; scopes leave out more. */
const MAX_EXCLUSIONS = 1_000;
const EXCERPT_LENGTH = 200;

/** A file, or one of its passages by the hash of its text; `excluded` false takes it in again. */
type ExclusionInput = {
  source: { id: FileSourceId };
  path: string;
  passage: { textHash: string; excerpt: string } | null;
  excluded: boolean;
  /** Who does it. */
  by: string | null;
};

/**
 * Leaves a file or a passage out of every search from this call on, or undoes it. Equal passages
 * of other files of the source are left out, too.
 * @throws QuarryError `not-found` when the source never had the file; `invalid`: too many
 */
export async function excludeFromSearch(
  services: Pick<Services, "db" | "now" | "ragIndexes">,
  { source: { id: sourceId }, path, passage, excluded, by }: ExclusionInput,
): Promise<void> {
  const { db } = services;
  const createdAt = services.now();
  const repeatAt = createdAt + MINUTE_MS;
  const key =
    passage === null
      ? { sourceId, kind: "file" as const, value: path }
      : { sourceId, kind: "passage" as const, value: passage.textHash };
  if (excluded) {
    requireFound(await findFile(db, sourceId, path));
    const excerpt = passage?.excerpt.slice(0, EXCERPT_LENGTH).toWellFormed() ?? "";
    const exclusion = { ...key, path, excerpt, createdAt, createdBy: by };
    const fits = await insertExclusion(db, exclusion, { max: MAX_EXCLUSIONS, repeatAt });
    if (!fits) throw invalidField("path", `: ${MAX_EXCLUSIONS} are left out of search already`);
  } else {
    await deleteExclusion(db, key, repeatAt);
  }
  const ragIds = await findRagsExcluding(db, sourceId);
  await Promise.all(ragIds.map((ragId) => showOnlyScopes(services, ragId)));
  await markExclusionsApplied(db, sourceId, repeatAt);
}
