import { z } from "zod";

import { httpAddress } from "../http-address.ts";

const ID_MAX_LENGTH = 512;
const id = z.string().min(1).max(ID_MAX_LENGTH);

export const documentSiteConfig = z
  .strictObject({
    tenantId: id,
    clientId: id,
    siteId: id.optional(),
    driveId: id.optional(),
    apiBaseUrl: httpAddress.optional(),
    loginBaseUrl: httpAddress.optional(),
  })
  .refine(({ siteId, driveId }) => siteId ?? driveId, {
    path: ["siteId"],
    message: "or driveId is required",
  });
