import { abandonRun } from "../../db/scans/scan-store.ts";
import { replaceWatches } from "../../db/scans/watch-store.ts";
import { updateSourceRow, type SourceChange } from "../../db/catalog/source-store.ts";
import type { Services } from "../../services.ts";
import { nextScanAt } from "./create-file-source.ts";
import { findFileSource, type FileSource } from "./find-file-source.ts";
import { manifestOf } from "../../sources/registry.ts";
import { sealSecrets, type ProviderConfig } from "../../sources/source-secrets.ts";
import { requestScan } from "./request-scan.ts";

export type FileSourcePatch = {
  name?: string | undefined;
  /** Replaces the configuration; an omitted secret is kept. */
  config?: ProviderConfig | undefined;
  scanIntervalMinutes?: number | undefined;
};

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
  if (patch.config !== undefined) {
    const of = { provider, config: patch.config, before: source };
    Object.assign(change, await sealSecrets(services.config, of), { changeCursor: null });
  }
  await updateSourceRow(services.db, id, change);
  if (patch.config !== undefined) {
    await abandonRun(services.db, id, services.now());
    await replaceWatches(services.db, id, services.now());
    if (manifestOf(source).open !== null) await requestScan(services, { sourceId: id });
  }
  if (patch.scanIntervalMinutes !== undefined) await services.wakeClock();
  return await findFileSource(services, { key: id });
}
