import { z } from "zod";

import { httpAddress } from "../http-address.ts";

const ID_MAX_LENGTH = 512;
const ADDRESS_MAX_LENGTH = 2_048;
const NAME_MAX_LENGTH = 256;
const FIELDS_MAX = 20;
/** The PEM of a certificate chain with its key is about 8 KB. */
const SECRET_MAX_LENGTH = 16_384;
const id = z.string().min(1).max(ID_MAX_LENGTH);

/** A client secret's value, or the PEM of a certificate and its private key. */
export const clientSecret = z.string().min(1).max(SECRET_MAX_LENGTH);

export const documentSiteConfig = z
  .strictObject({
    tenantId: id.refine(isTenant, "must be a tenant's id or domain"),
    clientId: id,
    /** A site's id or its address, `https://contoso.sharepoint.com/sites/hr`. */
    siteId: z.string().min(1).max(ADDRESS_MAX_LENGTH).optional(),
    /** One library of the site, by its name; without it, all of them. */
    library: z.string().min(1).max(NAME_MAX_LENGTH).optional(),
    /** A library or a OneDrive by its id; `siteId` is then not needed. */
    driveId: id.optional(),
    /** Everything beneath this folder of the library; without it, the whole library. */
    rootFolderId: id.optional(),
    /** Columns, by their internal names, that become metadata. */
    fields: z.array(z.string().min(1).max(NAME_MAX_LENGTH)).max(FIELDS_MAX).optional(),
    apiBaseUrl: httpAddress.optional(),
    loginBaseUrl: httpAddress.optional(),
  })
  .refine(({ siteId, driveId }) => siteId ?? driveId, {
    path: ["siteId"],
    message: "or driveId is required",
  })
  .refine(({ rootFolderId, library, driveId }) => !rootFolderId || (library ?? driveId), {
    path: ["rootFolderId"],
    message: "needs a library or driveId",
  });

export type DocumentSiteConfig = z.infer<typeof documentSiteConfig>;

function isTenant(text: string): boolean {
  return /^[\w.-]+$/.test(text);
}
