import type { HonoRequest } from "hono";
import { z } from "zod";

import { invalidField, notJson } from "../../../core/errors.ts";
import { pointInTime } from "../../../core/input/input-fields.ts";
import { DAY_MS } from "../../../core/time.ts";
import type { PanelCaller } from "../../../access/sessions/find-panel-caller.ts";
import type { AppEnv } from "../../../http/app-env.ts";
import { parsedJson } from "../../../core/input/parsed-json.ts";

/** @throws QuarryError `invalid` when the body is not JSON. */
export async function jsonOf(request: HonoRequest): Promise<unknown> {
  const json = parsedJson(await request.text());
  if (json === undefined) throw notJson();
  return json;
}

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;
/** Keeps `page × limit` an integer that every store can count with. */
const MAX_PAGE = 1_000_000_000;

/** `?page&limit` of a list. */
export const paging = z.object({
  page: z.coerce.number().int().min(1).max(MAX_PAGE).default(1),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
});

export type Paging = { page: number; limit: number; offset: number };

const DAY_LENGTH = "2026-11-25".length;

/** `?from&to` of what has a time, as ms; `to` is exclusive, and a day alone is meant whole. */
export const span = {
  from: pointInTime.transform((text) => Date.parse(text)).optional(),
  to: pointInTime
    .transform((text) => Date.parse(text) + (text.length === DAY_LENGTH ? DAY_MS : 0))
    .optional(),
};

/** For fields fixed at creation. @throws QuarryError `invalid` when a patch differs. */
export function refuseChange(field: string, current: string, value: string | undefined): void {
  if (value !== undefined && value !== current) throw invalidField(field, "cannot be changed");
}

/** Bindings and variables in the context of every handler behind the sign-in. */
export type PanelEnv = {
  Bindings: AppEnv["Bindings"];
  Variables: AppEnv["Variables"] & { caller: PanelCaller };
};
