import { z } from "zod";

import { SECOND_MS } from "../../core/time.ts";
import type { ApiClient, ApiError } from "../api-client.ts";
import { codeIn } from "./graph-failure.ts";

/*
 * The change feed cannot expand list items, so columns are asked for by item, 20 in a call:
 * https://learn.microsoft.com/graph/json-batching
 * https://learn.microsoft.com/graph/api/listitem-get
 */
const REQUESTS_PER_BATCH = 20;

const batch = z.object({
  responses: z.array(
    z.object({
      id: z.string(),
      status: z.number(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.unknown().optional(),
    }),
  ),
});
const listItem = z.object({ fields: z.record(z.string(), z.unknown()).optional() });

/** Items without list item: a personal OneDrive's, deleted ones. */
const WITHOUT_COLUMNS = new Set([404, 410]);
/** Items that alone cannot be read: without permission, or locked. */
const REFUSED = new Set([403, 423]);

export type Columns = Record<string, unknown>;

/**
 * Adds the values of columns to `found`, by item id: `refused` for an item that cannot be read now.
 * When it throws, `found` holds what was answered, so that it need not be asked for again.
 * @throws SourceFailure
 */
export async function readColumns(
  client: ApiClient,
  of: { driveId: string; itemIds: string[]; names: string[] },
  found: Map<string, Columns | "refused">,
  signal: AbortSignal,
): Promise<void> {
  const { driveId, itemIds, names } = of;
  for (let at = 0; at < itemIds.length; at += REQUESTS_PER_BATCH) {
    const requests = itemIds.slice(at, at + REQUESTS_PER_BATCH).map((id) => ({
      id,
      method: "GET",
      url: `/drives/${encodeURIComponent(driveId)}/items/${encodeURIComponent(id)}/listItem?$expand=fields`,
    }));
    const asked = await client.ask(batch, client.address("$batch"), signal, { body: { requests } });
    if ("error" in asked) throw client.failure(asked.error);
    let failure: ApiError | null = null;
    for (const { id, status, headers = {}, body } of asked.answer.responses) {
      if (status === 200) found.set(id, chosen(listItem.safeParse(body).data?.fields ?? {}, names));
      else if (WITHOUT_COLUMNS.has(status)) found.set(id, {});
      else if (REFUSED.has(status)) found.set(id, "refused");
      else failure ??= { status, code: codeIn(body), retryAfterMs: waitOf(headers) };
    }
    if (failure !== null) throw client.failure(failure);
  }
}

function waitOf(headers: Record<string, string>): number | null {
  const name = Object.keys(headers).find((each) => each.toLowerCase() === "retry-after");
  const seconds = Number(headers[name ?? ""] ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * SECOND_MS : null;
}

function chosen(fields: Record<string, unknown>, names: string[]): Record<string, unknown> {
  const entries = names.flatMap((name) => {
    const values = plainValues(fields[name]);
    if (values.length === 0) return [];
    return [[name, Array.isArray(fields[name]) ? values : values[0]] as const];
  });
  return Object.fromEntries(entries);
}

const complexValue = z.object({
  LookupValue: z.string().optional(),
  Label: z.string().optional(),
  Email: z.string().optional(),
  Url: z.string().optional(),
});

/** Texts of a column's value: of a person or lookup its name, of a term its label. */
function plainValues(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(plainValues);
  if (typeof value === "string") return value === "" ? [] : [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  const { LookupValue, Label, Email, Url } = complexValue.safeParse(value).data ?? {};
  const text = LookupValue ?? Label ?? Email ?? Url;
  return text === undefined ? [] : [text];
}
