import { z } from "zod";

import { apiAddress } from "../guarded-url.ts";

const MAX_ID_LENGTH = 512;
const MAX_ADDRESS_LENGTH = 2_048;
const MAX_NAME_LENGTH = 256;
/** The PEM of a certificate chain with its key is about 8 KB. */
const MAX_SECRET_LENGTH = 16_384;
const id = z.string().min(1).max(MAX_ID_LENGTH);
const name = z.string().min(1).max(MAX_NAME_LENGTH);

const PARTS = "A library by its name, a folder";
const CLOUDS = "National clouds";

export const documentSiteConfig = z
  .strictObject({
    tenantId: id
      .refine((text) => /^[\w.-]+$/.test(text), "must be a tenant's id or domain")
      .meta({ label: "Tenant id", isHalf: true, destination: true }),
    clientId: id.meta({ label: "Client id", isHalf: true }),
    /** A client secret's value, or the PEM of a certificate and its private key. */
    clientSecret: z.string().min(1).max(MAX_SECRET_LENGTH).meta({
      label: "Client secret",
      hint: "Value of the app registration's secret. The app needs Sites.Selected or Sites.Read.All.",
      input: "password",
      secret: true,
    }),
    /** A site's id or its address, `https://contoso.sharepoint.com/sites/hr`. */
    siteId: z.string().min(1).max(MAX_ADDRESS_LENGTH).optional().meta({
      label: "Site",
      hint: "host,site id,web id as Microsoft Graph names it: all libraries of the site. Or:",
    }),
    /** A library or a OneDrive; `siteId` is then not needed. */
    driveId: id.optional().meta({ label: "Library", hint: "The id of one document library." }),
    library: name.optional().meta({
      label: "Name of a library",
      hint: "One library of the site. Empty: all of them.",
      folded: PARTS,
    }),
    rootFolderId: id.optional().meta({
      label: "Folder",
      hint: "The id of a folder of the library. Quarry reads everything in it.",
      folded: PARTS,
    }),
    apiBaseUrl: apiAddress({ label: "Address of Microsoft Graph", folded: CLOUDS }),
    loginBaseUrl: apiAddress({ label: "Address of the sign-in", folded: CLOUDS }),
  })
  .refine(({ siteId, driveId }) => siteId ?? driveId, {
    path: ["siteId"],
    message: "or driveId is required",
  })
  .refine(({ rootFolderId, library, driveId }) => !rootFolderId || (library ?? driveId), {
    path: ["rootFolderId"],
    message: "needs a library or driveId",
  });

export type DocumentSiteConfig = Omit<z.infer<typeof documentSiteConfig>, "clientSecret">;
