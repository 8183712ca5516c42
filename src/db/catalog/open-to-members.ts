import { raw, sql, type Sql } from "../sql.ts";

const KINDS = ["rag", "inference", "agent"] as const;

/**
 * Takes from members' programs what is not, or no longer, open to members: in the same step as the
 * change that closes it, or makes a member of an administrator.
 */
export const closeToMembers = (): Sql[] =>
  KINDS.map(
    (kind) => sql`delete from ${raw(`token_${kind}s`)} where token_id in (
        select t.id from tokens t join users u on u.id = t.granted_by where u.role = 'member')
      and ${raw(`${kind}_id not in (select id from ${kind}s where open_to_members)`)}`,
  );
