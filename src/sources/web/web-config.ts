import { z } from "zod";

import { httpAddress } from "../http-address.ts";

const LIST_MAX = 1_000;
const PATTERN_MAX_LENGTH = 500;
const HOST_MAX_LENGTH = 253;
const DEPTH_MAX = 20;
const PAGES_MAX = 20_000;
const DEFAULT_DEPTH = 3;
const DEFAULT_PAGES = 1_000;

const PUSHED_URLS_MAX = 1_000_000;
const DEFAULT_PUSHED_URLS = 10_000;

const addresses = z.array(httpAddress).max(LIST_MAX).default([]);
const patterns = z.array(z.string().min(1).max(PATTERN_MAX_LENGTH)).max(LIST_MAX).default([]);

/** A name alone, in the form in which addresses hold it: lower case, punycode. */
const hostName = z
  .string()
  .max(HOST_MAX_LENGTH)
  .refine((text) => hostNameIn(text) !== null, "must be a host name without port or path")
  .transform((text) => hostNameIn(text) ?? text);

function hostNameIn(text: string): string | null {
  if (/[\s/?#@:\\]/.test(text)) return null;
  return URL.parse(`https://${text}/`)?.hostname ?? null;
}

const pushes = {
  /** Hosts of which addresses may be pushed; absent: any. */
  pushHosts: z.array(hostName).max(LIST_MAX).optional(),
  /** Pushed addresses that are kept, deleted ones until they are forgotten. */
  maxPushedUrls: z.int().min(0).max(PUSHED_URLS_MAX).default(DEFAULT_PUSHED_URLS),
};

/** What a stored configuration says of pushes. */
export const pushLimits = z.object(pushes);
export type PushLimits = z.infer<typeof pushLimits>;

export const webConfig = z.strictObject({
  startUrls: addresses,
  sitemapUrls: addresses,
  /** Links followed from a start URL: 0 reads the start URLs alone. */
  maxDepth: z.int().min(0).max(DEPTH_MAX).default(DEFAULT_DEPTH),
  maxPages: z.int().min(1).max(PAGES_MAX).default(DEFAULT_PAGES),
  include: patterns,
  exclude: patterns,
  ...pushes,
});

/** Patterns of `include` and `exclude`: see `url-filter.ts`. */
export type WebConfig = z.infer<typeof webConfig>;
