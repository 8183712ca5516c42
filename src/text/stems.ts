import { stemmer } from "stemmer";

import { memoize } from "./memoize.ts";

/** The Porter stem (M. F. Porter, 1980) of one lower-case word, as FTS5's `porter` makes it. */
export const stemOf = memoize(stemmer);
