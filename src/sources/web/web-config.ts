import { z } from "zod";

import { httpAddress } from "../http-address.ts";

const LIST_MAX = 1_000;
const PATTERN_MAX_LENGTH = 500;
const DEPTH_MAX = 20;
const PAGES_MAX = 20_000;
const DEFAULT_DEPTH = 3;
const DEFAULT_PAGES = 1_000;

const addresses = z.array(httpAddress).max(LIST_MAX).default([]);
const patterns = z.array(z.string().min(1).max(PATTERN_MAX_LENGTH)).max(LIST_MAX).default([]);

export const webConfig = z.strictObject({
  startUrls: addresses,
  sitemapUrls: addresses,
  /** Links followed from a start URL: 0 reads the start URLs alone. */
  maxDepth: z.int().min(0).max(DEPTH_MAX).default(DEFAULT_DEPTH),
  maxPages: z.int().min(1).max(PAGES_MAX).default(DEFAULT_PAGES),
  include: patterns,
  exclude: patterns,
});

/** Patterns of `include` and `exclude`: see `url-filter.ts`. */
export type WebConfig = z.infer<typeof webConfig>;
