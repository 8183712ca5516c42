import type { Restriction } from "../ports/rag-index.ts";
import { raw, sql, type Sql } from "./sql.ts";

/** Whether readers may read the file `f`. */
export const isReadable = (readers: Restriction["readers"]): Sql =>
  readers === undefined
    ? raw("true")
    : sql`(f.readers_revision >= ${readers.since} and +f.audience in (
        select a.audience from audience_principals a
        where a.principal in (select value from json_each(${readers.principals}))))`;
