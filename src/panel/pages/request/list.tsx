import type { Child } from "hono/jsx";

import type { Key } from "../../../db/page.ts";
import { PrefixFilter } from "../../components/filters.tsx";
import { Empty } from "../../components/page-head.tsx";
import { Pager } from "../../components/pager.tsx";
import { Table, type Column } from "../../components/table.tsx";
import type { PageContext } from "../page-env.ts";
import { cursorOf, hereOf } from "./list-query.ts";

type ListProps<Row> = {
  context: PageContext;
  /** What is listed: the table's name. */
  label: string;
  listed: { data: readonly Row[]; before: Key | null; after: Key | null };
  columns: readonly Column<Row>[];
  /** The filter of the list, where it has one: what its text is the beginning of. */
  begins?: { label: string; prefix: string };
  /** Shown in place of an empty list; a text is its title. */
  empty: Child;
};

/** One page of a list, its filter, and the way to the pages before and after. */
export function List<Row>({ context, label, listed, columns, begins, empty }: ListProps<Row>) {
  const here = hereOf(context);
  const [path = ""] = here.split("?", 1);
  const none = begins !== undefined && begins.prefix !== "" ? "Nothing is like that." : empty;
  return (
    <>
      {begins === undefined ? null : <PrefixFilter action={path} {...begins} />}
      <div id={label.toLowerCase().replaceAll(" ", "-")} data-live>
        <Table
          label={label}
          rows={listed.data}
          columns={columns}
          empty={typeof none === "string" ? <Empty title={none} /> : none}
        />
      </div>
      <Pager
        previous={turned(here, "before", listed.before)}
        next={turned(here, "after", listed.after)}
      />
    </>
  );
}

/** The page's address with its filters and this cursor. */
function turned(here: string, direction: "before" | "after", cursor: Key | null): string | null {
  if (cursor === null) return null;
  const [path = "", query = ""] = here.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.delete("before");
  parameters.delete("after");
  parameters.set(direction, cursorOf(cursor));
  return `${path}?${parameters.toString()}`;
}
