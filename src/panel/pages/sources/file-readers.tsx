import type { Child } from "hono/jsx";

import { checkReader, fileReaders } from "../../../catalog/file-sources/file-readers.ts";
import { Data, TimeOr } from "../../components/data.tsx";
import { Table } from "../../components/table.tsx";
import type { PageContext } from "../page-env.ts";
import type { ShownSource } from "./shown-source.ts";

type PairsProps = { rows: [string, string][]; heads: [string, string] };

export const Pairs = ({ rows, heads: [first, second] }: PairsProps) => (
  <Table
    label={first}
    rows={rows}
    empty={null}
    columns={[
      { head: first, main: true, cell: ([name]) => <Data>{name}</Data> },
      { head: second, cell: ([, reason]) => <Data>{reason}</Data> },
    ]}
  />
);

/** A file's readers, and whether a person is among them: `?reader=` of the file's page. */
export async function readersOfFile(
  context: PageContext,
  { shown: { source }, path }: { shown: ShownSource; path: string },
): Promise<Child> {
  if (source.permissions === "off") return null;
  const services = context.get("services");
  const known = await fileReaders(services, { source, path });
  const readers = known.readers ?? [];
  const reader = context.req.query("reader")?.trim() ?? "";
  const why = known.readers === null ? "Its readers were not read yet." : known.unreadable;
  return (
    <details open={reader !== "" || readers.length === 0}>
      <summary>Readers: {readers.length === 0 ? "nobody" : readers.length}</summary>
      <p class="soft">
        {why} Changed <TimeOr at={known.readAt} now={services.now()} none="never" />.
      </p>
      <Pairs
        rows={readers.map(({ principal, from }) => [principal, from])}
        heads={["Reader", "From"]}
      />
      <form method="get">
        <input type="hidden" name="path" value={path} />
        <input type="email" name="reader" value={reader} aria-label="Person" required />{" "}
        <button class="btn">May this person read it?</button>
      </form>
      {reader === "" ? null : <Verdict reader={reader} {...await verdictOn()} />}
    </details>
  );

  async function verdictOn() {
    return await checkReader(services, { source, path, reader, groups: [] });
  }
}

type VerdictProps = Awaited<ReturnType<typeof checkReader>> & { reader: string };

const Verdict = ({ reader, mayRead, by, from }: VerdictProps) => (
  <p>
    <Data>{reader}</Data> {mayRead ? "may read it" : "may not read it"}
    {by === null ? "." : `, by ${by} (${from ?? ""}).`}
  </p>
);
