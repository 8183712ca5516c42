import { z } from "zod";

import { IDENTIFIER_MAX_LENGTH, IDENTIFIER_PATTERN } from "../ids.ts";
import { isoTime } from "../time.ts";

const NAME_MAX_LENGTH = 200;
const MODEL_MAX_LENGTH = 200;

export const name = z.string().trim().min(1).max(NAME_MAX_LENGTH).meta({ label: "Name" });

export const identifier = z
  .string()
  .max(IDENTIFIER_MAX_LENGTH)
  .regex(IDENTIFIER_PATTERN, "must be lower-case letters and digits, joined by single hyphens")
  .meta({
    label: "Identifier",
    hint: "Used in API paths. It never changes; if empty, it is made from the name.",
  });

export const modelName = z
  .string()
  .max(MODEL_MAX_LENGTH)
  .regex(/^[a-z0-9-]+\/.+$/, "must be named provider/name");

/** An ISO 8601 time with its zone that lies in the future of `now`; as ms. */
export const futureTime = (now: number) =>
  z
    .string()
    .refine((text) => isTime(text), "must be an ISO 8601 time")
    .transform((text) => Date.parse(text))
    .refine((ms) => ms > now, "must lie in the future")
    .nullish()
    .transform((ms) => ms ?? null);

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A day (its first instant, UTC) or a time with its zone. */
export const isTime = (text: string) =>
  ISO_TIME.test(text) && !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, DAY_LENGTH));

const DAY_LENGTH = "2026-11-23".length;

/** `Date.parse` takes 30 February for 2 March. */
const isDay = (day: string) => isoTime(Date.parse(day)).startsWith(day);
