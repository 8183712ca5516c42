import type { HonoRequest } from "hono";
import { z } from "zod";

import { invalid } from "../../../core/errors.ts";
import { parseKnownOrRefuse, parseOrRefuse } from "../../../http/validation.ts";

/**
 * The body behind `jsonBody()`, checked by a schema.
 * @throws QuarryError `invalid` that names every failing and every unknown field.
 */
export async function bodyOf<Schema extends z.ZodType>(
  request: HonoRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  return parseKnownOrRefuse(schema, await jsonOf(request));
}

/** @throws QuarryError `invalid` when the body is not JSON. */
export async function jsonOf(request: HonoRequest): Promise<unknown> {
  const text = await request.text();
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("body is not valid JSON");
  }
}

const LIMIT_MAX = 100;
const DEFAULT_LIMIT = 20;
/** Keeps `page × limit` an integer that every store can count with. */
const PAGE_MAX = 1_000_000_000;

const paging = z.object({
  page: z.coerce.number().int().min(1).max(PAGE_MAX).default(1),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(DEFAULT_LIMIT),
});

export type Paging = { page: number; limit: number; offset: number };

/** `?page&limit` of a list. @throws QuarryError `invalid`. */
export function pagingOf(request: HonoRequest): Paging {
  const { page, limit } = parseOrRefuse(paging, request.query());
  return { page, limit, offset: (page - 1) * limit };
}

/** A list as the panel API answers it. */
export function pageOf<Item, Shown>(
  { data, total }: { data: Item[]; total: number },
  { page, limit }: Paging,
  shown: (item: Item) => Shown,
) {
  return { data: data.map(shown), total, page, limit };
}

export type Given<Patch> = { [Name in keyof Patch]?: Exclude<Patch[Name], undefined> };

/** A patch without the fields that were not sent. */
export function given<Patch extends object>(patch: Patch): Given<Patch> {
  const sent = Object.entries(patch).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the fields that were sent
  return Object.fromEntries(sent) as Given<Patch>;
}

/**
 * For fields that cannot be changed after creation.
 * @throws QuarryError `invalid` when a patch has another value.
 */
export function refuseChange(field: string, current: string, wanted: string | undefined): void {
  if (wanted !== undefined && wanted !== current) throw invalid(`${field} cannot be changed`);
}
