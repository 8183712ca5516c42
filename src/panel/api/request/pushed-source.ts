import { findFileSource } from "../../../catalog/file-sources/find-file-source.ts";
import { invalid } from "../../../core/errors.ts";
import type { Services } from "../../../services.ts";

/** The source, if files can be pushed to it. @throws QuarryError `not-found` or `invalid`. */
export async function pushedSource(services: Services, key: string) {
  const { source } = await findFileSource(services, { key });
  if (source.provider === "file_system") return { id: source.id };
  throw invalid("only a file_system source takes files, this one reads them by itself");
}
