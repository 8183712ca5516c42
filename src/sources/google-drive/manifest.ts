import { sourceManifest } from "../source-manifest.ts";
import { DRIVE_WEBHOOK, driveNotifications } from "./drive-notifications.ts";
import { cloudDriveConfig } from "./google-drive-config.ts";

export const googleDrive = sourceManifest({
  id: "cloud_drive",
  name: "Google Drive",
  summary: "A folder or a shared drive, by a service account.",
  config: cloudDriveConfig,
  open: async ({ credentials, ...config }, tools) => {
    const { GoogleDriveReader } = await import("./google-drive-reader.ts");
    return new GoogleDriveReader(config, credentials, tools);
  },
  notifications: { path: DRIVE_WEBHOOK, status: 200, parse: driveNotifications },
});
