import { z } from "zod";

import { httpAddress } from "../guarded-url.ts";

const MAX_LIST = 1_000;
const MAX_PATTERN_LENGTH = 500;
const MAX_HOST_LENGTH = 253;
const MAX_DEPTH = 20;
const MAX_PAGES = 20_000;
const DEFAULT_DEPTH = 3;
const DEFAULT_PAGES = 1_000;

const MAX_PUSHED_URLS = 1_000_000;
const DEFAULT_PUSHED_URLS = 10_000;

const addresses = z.array(httpAddress).max(MAX_LIST).default([]);
const patterns = z.array(z.string().min(1).max(MAX_PATTERN_LENGTH)).max(MAX_LIST).default([]);

/** A name alone, in the form in which addresses hold it: lower case, punycode. */
const hostName = z
  .string()
  .max(MAX_HOST_LENGTH)
  .refine((text) => hostNameIn(text) !== null, "must be a host name without port or path")
  .transform((text) => hostNameIn(text) ?? text);

function hostNameIn(text: string): string | null {
  if (/[\s/?#@:\\]/.test(text)) return null;
  return URL.parse(`https://${text}/`)?.hostname ?? null;
}

const FURTHER = "Limits, patterns and pushed addresses";

const pushes = {
  pushHosts: z.array(hostName).max(MAX_LIST).optional().meta({
    label: "Hosts of pushed addresses",
    hint: "One per line. The webhook accepts addresses of these hosts only. If empty, of all hosts.",
    folded: FURTHER,
  }),
  /** Deleted ones count until they are forgotten. */
  maxPushedUrls: z
    .int()
    .min(0)
    .max(MAX_PUSHED_URLS)
    .default(DEFAULT_PUSHED_URLS)
    .meta({ label: "Pushed addresses at most", folded: FURTHER }),
};

export const pushLimits = z.object(pushes);
export type PushLimits = z.infer<typeof pushLimits>;

export const webConfig = z.strictObject({
  startUrls: addresses.meta({
    label: "Start addresses",
    hint: "One per line. Quarry follows links on these pages within the same host and folder.",
    rows: 3,
  }),
  sitemapUrls: addresses.meta({ label: "Sitemaps", hint: "One a line." }),
  /** From a start URL: 0 reads the start URLs alone. */
  maxDepth: z
    .int()
    .min(0)
    .max(MAX_DEPTH)
    .default(DEFAULT_DEPTH)
    .meta({ label: "Links followed in a row", isHalf: true, folded: FURTHER }),
  maxPages: z
    .int()
    .min(1)
    .max(MAX_PAGES)
    .default(DEFAULT_PAGES)
    .meta({ label: "Pages at most", isHalf: true, folded: FURTHER }),
  include: patterns.meta({
    label: "Only addresses that match",
    hint: "One pattern a line; * stands for anything. They replace the folder of the start addresses.",
    folded: FURTHER,
  }),
  exclude: patterns.meta({ label: "Leave out", hint: "One pattern a line.", folded: FURTHER }),
  ...pushes,
});

/** Patterns of `include` and `exclude`: see `frontier.ts`. */
export type WebConfig = z.infer<typeof webConfig>;
