import { updateFileSource } from "../../../catalog/file-sources/update-file-source.ts";
import { sourcePatchOf } from "../../../catalog/file-sources/file-source-settings.ts";
import { given } from "../../../core/input/given.ts";
import { unknownGroups } from "../../../db/access/member-store.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { previewPermissions } from "../../../ingestion/readers/preview-permissions.ts";
import { LinkButton } from "../../components/data.tsx";
import { counted } from "../../components/figures.ts";
import { Form, SelectField, TextArea } from "../../components/form.tsx";
import { page, isAdmin, type PageContext, type Pages } from "../page.tsx";
import { submit } from "../request/action.ts";
import { freshForm, type FormState } from "../request/form.ts";
import { Pairs } from "./file-readers.tsx";
import { sourceOf, trailTo, type ShownSource } from "./shown-source.ts";

const FIELDS = ["permissions", "defaultReaders"];
const SWITCH = [
  { value: "off", label: "Off: every token reads every file" },
  { value: "on", label: "On: a call finds what its reader may read" },
];

/** Who may read the files of a source: the switch, and what it does or would do. */
export function permissionPages(app: Pages): void {
  app.get("/:id/permissions", async (context) => {
    const shown = await sourceOf(context);
    const { permissions, defaultReaders } = shown.source;
    const values = { permissions, defaultReaders: defaultReaders.join("\n") };
    return await permissionsPage(context, shown, freshForm(values));
  });
  app.post("/:id/permissions", async (context) => {
    const shown = await sourceOf(context);
    return await submit(context, {
      audit: ["file-sources.change", shown.source.id],
      fields: FIELDS,
      work: async (form) => {
        const lines = form.exact("defaultReaders").split("\n");
        const defaultReaders = lines.map((line) => line.trim()).filter((line) => line !== "");
        const body = { permissions: form.text("permissions"), defaultReaders };
        const patch = given(parseKnownOrRefuse(sourcePatchOf(shown, body), body));
        await updateFileSource(context.get("services"), { source: shown, patch });
      },
      again: (state) => permissionsPage(context, shown, state),
      leads: () => ({
        to: `${shown.path}/permissions`,
        notice: "The permissions are saved. Files are found as soon as theirs are read.",
      }),
    });
  });
}

async function permissionsPage(context: PageContext, shown: ShownSource, state: FormState) {
  const services = context.get("services");
  const { source, path } = shown;
  const isOn = source.permissions === "on";
  const isAsked = isOn || context.req.query("preview") !== undefined;
  const told = isAsked ? await previewPermissions(services, shown) : null;
  const groups = isOn ? await unknownGroups(services.db, source.id) : [];
  return await page(
    context,
    { title: "Permissions", status: state.status, trail: trailTo(shown) },
    <>
      {isAdmin(context) ? (
        <Form action={`${path}/permissions`} state={state} submit="Save permissions">
          <SelectField state={state} name="permissions" label="Permissions" options={SWITCH} />
          <TextArea
            state={state}
            name="defaultReaders"
            label="Default readers"
            rows={3}
            hint="They may read files for which the source names no readers. One a line: group:hr@example.com, domain:example.com, everyone."
          />
        </Form>
      ) : null}
      {told === null ? (
        <p>
          <LinkButton href={`${path}/permissions?preview=on`} label="Preview permissions" />
        </p>
      ) : (
        <Told {...told} isOn={isOn} />
      )}
      {groups.length === 0 ? null : (
        <>
          <h2>Groups whose members are not known</h2>
          <Pairs
            rows={groups.map(({ name, reason }) => [name, reason])}
            heads={["Group", "Reason"]}
          />
        </>
      )}
    </>,
  );
}

type ToldProps = Awaited<ReturnType<typeof previewPermissions>> & { isOn: boolean };

const Told = ({ files, nobody, problems, isComplete, isOn }: ToldProps) => (
  <>
    <h2>{isOn ? "Files" : "Preview"}</h2>
    <p>
      {counted(files, "file")}
      {isComplete ? "" : " looked at so far"}; {nobody} nobody {isOn ? "can" : "could"} read.
    </p>
    {problems.length === 0 ? null : (
      <Pairs rows={problems.map((one) => [one.path, one.message])} heads={["File", "Reason"]} />
    )}
  </>
);
