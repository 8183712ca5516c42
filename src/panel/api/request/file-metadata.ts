import { z } from "zod";

import { invalidField } from "../../../core/errors.ts";

const fileMetadata = z.record(z.string(), z.unknown());

/**
 * The value of `X-File-Metadata`; null when there is no such header: the file keeps what it has.
 * @throws QuarryError `invalid` when it is no JSON object.
 */
export function metadataIn(header: string | undefined): Record<string, unknown> | null {
  if (header === undefined) return null;
  const parsed = fileMetadata.safeParse(jsonOrNull(header));
  if (!parsed.success) throw invalidField("X-File-Metadata", "must be a JSON object");
  return parsed.data;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
