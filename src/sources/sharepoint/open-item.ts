import { z } from "zod";

import { DOCUMENT_LIMIT_BYTES } from "../../core/document-limit.ts";
import {
  missingFile,
  SourceFailure,
  type ListedFile,
  type OpenedFile,
} from "../../ports/source-reader.ts";
import type { ApiClient } from "../api-client.ts";
import { openResponse, tooLarge } from "../guarded-fetch.ts";
import { driveItem } from "./drive-items.ts";

/** https://learn.microsoft.com/graph/api/driveitem-get-content */
const DOWNLOAD_URL = "@microsoft.graph.downloadUrl";
const downloadable = driveItem
  .pick({ id: true, size: true, deleted: true, malware: true })
  .extend({ [DOWNLOAD_URL]: z.string().optional() });
const FIELDS = Object.keys(downloadable.shape).join(",");
/** The address holds a permission of its own; one that is refused has expired. */
const REFUSED = new Set([401, 403, 404, 410]);
const TRIES = 2;

/** The bytes of a file at an address that is requested just before. @throws SourceFailure */
export async function openItem(client: ApiClient, file: ListedFile): Promise<OpenedFile> {
  if (file.size > DOCUMENT_LIMIT_BYTES) throw tooLarge(DOCUMENT_LIMIT_BYTES);
  for (let attempt = 1; ; attempt++) {
    const address = await addressOf(client, file);
    if (address === null) throw missingFile("SharePoint: 404");
    const reply = await client.downloadWithoutToken(address);
    if ("got" in reply) return await openResponse(reply.got, file.mimeType);
    const { status } = reply.error;
    if (!REFUSED.has(status)) throw client.failure(reply.error);
    if (attempt === TRIES) {
      throw new SourceFailure("down", `SharePoint: ${status} for the download`);
    }
  }
}

async function addressOf(client: ApiClient, { externalId, sourceState }: ListedFile) {
  const storedDriveId = sourceState?.["driveId"];
  const driveId = encodeURIComponent(typeof storedDriveId === "string" ? storedDriveId : "");
  const path = `drives/${driveId}/items/${encodeURIComponent(externalId ?? "")}`;
  const item = await client.find(downloadable, client.address(path, { $select: FIELDS }));
  if (item === null || item.deleted) return null;
  const { malware, [DOWNLOAD_URL]: address } = item;
  if (malware) throw new SourceFailure("bad-file", "SharePoint: Microsoft marks it as malware");
  if (address === undefined) {
    throw new SourceFailure("bad-file", "SharePoint: it cannot be downloaded");
  }
  return address;
}
