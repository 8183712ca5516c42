/*
 * `node test/doubles/google-drive/server.ts [PORT]`: the double as a server, with a small drive, for
 * trying a local service by hand. It prints the body that creates the file source.
 */
import { serveFetch } from "../serve-fetch.ts";
import { BASE, GoogleDriveDouble } from "./google-drive-double.ts";

const PORT = 8_790;
const GREETING = "The drive double answers. Create a source with this body:";

const drive = await GoogleDriveDouble.open();
const rules = drive.folder(drive.root, "Rules");
drive.file(rules, "notice.md", "# Notice period\n\nThree months.", "text/markdown");
drive.file(drive.root, "Plan", "# Plan\n\nMoss first.", "application/vnd.google-apps.document");
const { address } = await serveFetch(drive.fetch, BASE, Number(process.argv[2] ?? PORT));
const config = {
  rootFolderId: drive.root,
  apiBaseUrl: address,
  credentials: drive.account.keyFile(`${address}/token`),
};
process.stderr.write(`${GREETING}\n`);
process.stdout.write(`${JSON.stringify({ name: "Drive", provider: "cloud_drive", config })}\n`);
