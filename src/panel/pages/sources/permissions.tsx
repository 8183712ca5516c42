import type { Child } from "hono/jsx";
import { z } from "zod";

import { checkReader, fileReaders } from "../../../catalog/file-sources/file-readers.ts";
import { newSource, sourcePatch } from "../../../catalog/file-sources/file-source-settings.ts";
import { sourcePatchOf } from "../../../catalog/file-sources/file-source-settings.ts";
import { isAddress } from "../../../core/principals.ts";
import { unknownGroups } from "../../../db/access/member-store.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { previewPermissions } from "../../../ingestion/readers/preview-permissions.ts";
import { manifestOf } from "../../../sources/registry.ts";
import { LinkButton, Data, TimeOr, ForAdmins } from "../../components/data.tsx";
import { count, countText } from "../../components/figures.ts";
import { Form, formFrom, type FormState } from "../../components/form.tsx";
import { SettingFields, formOfSettings } from "../../components/setting-fields.tsx";
import { Table } from "../../components/table.tsx";
import { type PageContext } from "../page.tsx";
import { attempt } from "../request/form.ts";
import type { ShownSource } from "./shown-source.ts";

const { permissions } = sourcePatch;
const { defaultReaders } = newSource;
export const PERMISSIONS_FORM = formOfSettings(z.object({ permissions, defaultReaders }));

/** The end of the address below a source. */
export const PERMISSIONS = "/permissions";

/** The state of the form, and the default readers of a preview; null: `?preview=` asks for none. */
async function previewIn(context: PageContext, view: ShownSource) {
  const state = PERMISSIONS_FORM.state(view.source);
  if (context.req.query("preview") === undefined) return { state, preview: null };
  const form = formFrom(new URL(context.req.url).searchParams);
  const attempted = await attempt(form, PERMISSIONS_FORM.names, () =>
    Promise.resolve(parseKnownOrRefuse(sourcePatchOf(view, {}), PERMISSIONS_FORM.patch(form))),
  );
  if (!attempted.done) return { state: attempted.state, preview: null };
  const { defaultReaders = [] } = attempted.result;
  return {
    state: { ...state, text: form.exact, valuesOf: form.all },
    preview: { defaultReaders },
  };
}

export async function permissionsTab(context: PageContext, view: ShownSource, failed?: FormState) {
  const services = context.get("services");
  const { source, path } = view;
  const isOn = source.permissions === "on";
  const { state, preview } =
    failed === undefined ? await previewIn(context, view) : { state: failed, preview: null };
  const readers = preview ?? (isOn ? source : null);
  const effect = readers === null ? null : await previewPermissions(services, view, readers);
  const groups = isOn ? await unknownGroups(services.db, source.id) : [];
  const { readersNote } = manifestOf(source);
  return (
    <>
      {readersNote === undefined ? null : <p>{readersNote}</p>}
      <ForAdmins>
        <Form
          action={`${path}/permissions`}
          state={state}
          submit="Save permissions"
          buttons={
            isOn ? null : (
              <button class="btn" formmethod="get" name="preview" value="on">
                Preview permissions
              </button>
            )
          }
        >
          <SettingFields fields={PERMISSIONS_FORM.fields} state={state} isStored />
        </Form>
      </ForAdmins>
      {effect === null ? null : <Effect {...effect} isOn={isOn} />}
      {groups.length === 0 ? null : (
        <>
          <h2>Groups whose members are not known</h2>
          <Pairs
            rows={groups.map(({ name, reason, files }) => [
              name,
              `${countText(files, "file")}: ${reason}`,
            ])}
            heads={["Group", "Reason"]}
          />
        </>
      )}
    </>
  );
}

/** On a source's page: whom its permissions leave out. */
export const AccessTroubles = ({ source, path, here }: ShownSource & { here: string }) => {
  const { access, permissions } = source;
  if (permissions === "off" || access === null || access.nobody + access.unknown === 0) return null;
  const { files, nobody, unreadable, unknown } = access;
  return (
    <div class={nobody === 0 ? "notice" : "notice warn"} role="status">
      {nobody === 0 ? "" : `Nobody can read ${nobody} of ${countText(files, "file")}. `}
      {unreadable === 0 ? "" : `The permissions of ${unreadable} could not be read. `}
      {unknown === 0
        ? ""
        : `${countText(unknown, "file is", "files are")} shared with groups whose members are not known: only calls that name the group find them. `}
      {here === PERMISSIONS ? null : (
        <LinkButton href={`${path}${PERMISSIONS}`} label="See permissions" />
      )}
    </div>
  );
};

type EffectProps = Awaited<ReturnType<typeof previewPermissions>> & { isOn: boolean };

const Effect = ({ files, nobody, problems, isComplete, isOn }: EffectProps) => (
  <>
    <h2>{isOn ? "Files" : "Preview"}</h2>
    <p>
      {countText(files, "file")}
      {isComplete ? "" : " checked so far"}.{" "}
      {nobody === 0
        ? `Somebody ${isOn ? "can" : "could"} read each.`
        : `Nobody ${isOn ? "can" : "could"} read ${count(nobody)}.`}
    </p>
    {problems.length === 0 ? null : (
      <Pairs
        rows={problems.map((problem) => [problem.path, problem.message])}
        heads={["File", "Reason"]}
      />
    )}
  </>
);

type PairsProps = { rows: [string, string][]; heads: [string, string] };

const Pairs = ({ rows, heads: [first, second] }: PairsProps) => (
  <Table
    label={first}
    rows={rows}
    empty={null}
    columns={[
      { head: first, main: true, cell: ([name]) => <Data>{name}</Data> },
      {
        head: second,
        cell: ([, reason]) => (
          <span class="reason">
            <Data>{reason}</Data>
          </span>
        ),
      },
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
  const why = known.readers === null ? "its readers were not read yet" : known.unreadable;
  return (
    <details class="options" open={reader !== "" || readers.length === 0}>
      <summary>Readers: {readers.length === 0 ? "nobody" : readers.length}</summary>
      <p class="soft">
        {why === null ? "" : `Nobody may read it: ${why}. `}Changed{" "}
        <TimeOr at={known.readAt} none="never" />.
      </p>
      <Pairs
        rows={readers.map(({ principal, from }) => [principal, from])}
        heads={["Reader", "From"]}
      />
      <form method="get" class="filters">
        <input type="hidden" name="path" value={path} />
        <input
          type="search"
          inputmode="email"
          name="reader"
          value={reader}
          aria-label="Person"
          required
        />
        <button class="btn">May this person read it?</button>
      </form>
      {reader === "" ? null : (
        <p>
          <Data>{reader}</Data>{" "}
          {isAddress(reader)
            ? verdictOf(await checkReader(services, { source, path, reader, groups: [] }))
            : "is not a person's address."}
        </p>
      )}
    </details>
  );
}

const verdictOf = ({ mayRead, by, from }: Awaited<ReturnType<typeof checkReader>>) =>
  `${mayRead ? "may read it" : "may not read it"}${by === null ? "." : `, by ${by} (${from ?? ""}).`}`;
