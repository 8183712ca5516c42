import { createMiddleware } from "hono/factory";

import { forbidden } from "../../../core/errors.ts";
import { hasPermissions } from "../../../db/catalog/source-store.ts";
import type { PanelEnv } from "./read-request.ts";

/** What shows names or texts of files; of one source or RAG, or of any. */
const OF_FILES =
  /^\/panel(?:\/api)?\/(?:(?:file-sources|sources|rags)\/([^/]+)|question-sets|evaluation|asked)(?:\/|$)/;

/**
 * Where a source has permissions, members search as themselves, and only administrators and keys
 * see its files. @throws QuarryError `forbidden`
 */
export const membersSearch = createMiddleware<PanelEnv>(async ({ req, get }, next) => {
  const caller = get("caller");
  const asked = caller.kind === "key" || caller.role === "admin" ? null : OF_FILES.exec(req.path);
  const { db } = get("services");
  if (asked !== null && (await hasPermissions(db, asked[1] ?? null))) throw forbidden();
  await next();
});
