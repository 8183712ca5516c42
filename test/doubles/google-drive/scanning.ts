import type { GoogleDriveConfig } from "../../../src/sources/google-drive/google-drive-config.ts";
import { GoogleDriveReader } from "../../../src/sources/google-drive/google-drive-reader.ts";
import { simulatedScans } from "../source/simulated-scans.ts";
import { BASE, GoogleDriveDouble } from "./google-drive-double.ts";

/** Scans of a folder of the drive, by default its root, or of a shared drive. */
export function driveSource(
  drive: GoogleDriveDouble,
  settings: Partial<GoogleDriveConfig> = {},
  readsPermissions = false,
) {
  return simulatedScans((context) => {
    const root = settings.sharedDriveId === undefined ? { rootFolderId: drive.root } : {};
    const config = { ...root, apiBaseUrl: BASE, ...settings };
    const outgoing = { fetch: drive.fetch, allowPrivate: false };
    return new GoogleDriveReader(config, drive.account.keyFile(), {
      outgoing,
      readsPermissions,
      ...context,
    });
  });
}

/** A drive, and scans of its root. */
export async function openDrive() {
  const drive = await GoogleDriveDouble.open();
  return { drive, source: driveSource(drive) };
}
