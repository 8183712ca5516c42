import { z } from "zod";

const address = z.url({ protocol: /^https?$/ });

/** Settings of a web source. Patterns: see `url-filter.ts`. */
export const webConfig = z.object({
  startUrls: z.array(address).default([]),
  sitemapUrls: z.array(address).default([]),
  /** Links that are followed one after the other from a start URL; 0: the start URLs alone. */
  maxDepth: z.number().int().min(0).max(50).default(3),
  /** Files that a scan lists at most, pushed URLs apart. */
  maxPages: z.number().int().min(1).max(10_000).default(1_000),
  include: z.array(z.string().min(1)).default([]),
  exclude: z.array(z.string().min(1)).default([]),
});
export type WebConfig = z.infer<typeof webConfig>;
