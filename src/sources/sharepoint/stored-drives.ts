import { z } from "zod";

import { folders } from "../folder-tree.ts";
import { storedReaders } from "../stored-readers.ts";

const followedDrive = z.object({
  id: z.string(),
  name: z.string(),
  /** The folder that its files lie in, "" or ending in a slash. */
  base: z.string(),
  /** The item that everything read lies beneath; "": it was not asked for yet. */
  root: z.string(),
  /** Where the change feed is taken up; null: it has not been read to its end yet. */
  link: z.string().nullable(),
  /** Everything that may hold files, by id; what holds none of ours has no parent. */
  folders,
  /** Readers of the root and of items with permissions of their own; null: not asked for. */
  sharing: z.record(z.string(), storedReaders).nullable().default(null),
  /** Why it could not be read when its turn came last; null: it could. */
  refusal: z.string().nullable().default(null),
});
/** A drive with the folders that paths are made of, and its place in the change feed. */
export type FollowedDrive = z.infer<typeof followedDrive>;

export const storedDrives = z.object({
  /** The change cursor that stands for these drives; null while they are being read. */
  cursor: z.string().nullable(),
  /** The listing or feed by which they are being read. */
  run: z.string(),
  /** The change cursor that a feed began with; null: a listing. */
  from: z.string().nullable(),
  /** A folder moved while it was listed: paths listed before may be wrong. */
  moved: z.boolean(),
  /** The site whose libraries these are; null: a single drive. */
  siteId: z.string().nullable(),
  drives: z.array(followedDrive),
  /** The tenant's domains, whom links for the whole organization let in. */
  domains: z.array(z.string()).default([]),
  /** When the first permission that was read expires, ms. */
  expiresAt: z.number().nullable().default(null),
});
/** State of a reader between calls. Links to the feed are too long for a row of the database. */
export type StoredDrives = z.infer<typeof storedDrives>;

export const position = z.object({
  run: z.string(),
  drive: z.number(),
  /** The page to ask for, behind the last drive the last path that is kept; null: the beginning. */
  link: z.string().nullable(),
  /** How often this listing started over. */
  restarts: z.number(),
});
/** Where a listing or a feed stands. */
export type Position = z.infer<typeof position>;
