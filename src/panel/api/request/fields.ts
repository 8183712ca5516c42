import { z } from "zod";

import { EMAIL_MAX_LENGTH, EMAIL_PATTERN } from "../../../access/users/email.ts";
import { PASSWORD_MIN_LENGTH } from "../../../access/users/password-rules.ts";
import { PASSWORD_MAX_LENGTH } from "../../../access/users/password.ts";
import { IDENTIFIER_MAX_LENGTH, IDENTIFIER_PATTERN } from "../../../core/ids.ts";
import { isoTime } from "../../../core/time.ts";

const NAME_MAX_LENGTH = 200;
const MODEL_MAX_LENGTH = 200;
const PROMPT_MAX_LENGTH = 200_000;
const LINKS_MAX = 100;
const TEMPERATURE_MAX = 2;
const OUTPUT_TOKENS_MAX = 1_000_000;

export const name = z.string().trim().min(1).max(NAME_MAX_LENGTH);

export const identifier = z
  .string()
  .max(IDENTIFIER_MAX_LENGTH)
  .regex(IDENTIFIER_PATTERN, "must be lower-case letters and digits, joined by single hyphens");

export const email = z
  .string()
  .trim()
  .max(EMAIL_MAX_LENGTH)
  .regex(EMAIL_PATTERN, "must be an e-mail address");

export const password = z.string().min(PASSWORD_MIN_LENGTH).max(PASSWORD_MAX_LENGTH);

const CODE_MAX_LENGTH = 40;

/** Of an authenticator app, or a recovery code. */
export const code = z.string().min(1).max(CODE_MAX_LENGTH);

export const role = z.enum(["admin", "member"]);

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

export const modelName = z
  .string()
  .max(MODEL_MAX_LENGTH)
  .regex(/^[a-z0-9-]+\/.+$/, "must be named provider/name");

export const systemPrompt = z.string().max(PROMPT_MAX_LENGTH);

export const links = z.array(z.string().max(IDENTIFIER_MAX_LENGTH)).max(LINKS_MAX);

export const temperature = z.number().min(0).max(TEMPERATURE_MAX).nullable();

export const maxOutputTokens = z.int().min(1).max(OUTPUT_TOKENS_MAX).nullable();
