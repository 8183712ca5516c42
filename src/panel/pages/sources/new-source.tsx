import { checkFileSource } from "../../../catalog/file-sources/check-file-source.ts";
import { createFileSource } from "../../../catalog/file-sources/create-file-source.ts";
import { SOURCES } from "../../../sources/registry.ts";
import type { SourceManifest } from "../../../sources/source-manifest.ts";
import { newSourceOf } from "../../../catalog/file-sources/file-source-settings.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { SettingForm } from "../../components/setting-fields.tsx";
import { page, type PageContext, type Pages } from "../page.tsx";
import { submit, formOf, type FormState } from "../request/form.ts";
import { adminsOnly } from "../request/guards.ts";
import { noticeFrom } from "./source-actions.tsx";
import { sourceBody, sourceControls, sourceForm } from "./settings-tab.tsx";
import { SOURCES as LIST } from "./shown-source.ts";

export function newSourcePages(app: Pages): void {
  app.use(adminsOnly);

  app.get("/", async (context) => {
    const manifest = SOURCES.find(({ id }) => id === context.req.query("kind"));
    if (manifest === undefined) return await choosePage(context);
    const fresh = sourceForm(manifest, true).state({}, { scanIntervalMinutes: "360" });
    return await newSourcePage(context, manifest, fresh);
  });

  app.post("/", async (context) => {
    const form = await formOf(context);
    const manifest = SOURCES.find(({ id }) => id === form.text("kind"));
    if (manifest === undefined) return await choosePage(context);
    const services = context.get("services");
    return await submit(context, {
      audit: ["file-sources.create"],
      form,
      fields: sourceForm(manifest, true).names,
      work: async () => {
        const body = { ...sourceBody(form, manifest), provider: manifest.provider };
        const made = await createFileSource(services, parseKnownOrRefuse(newSourceOf(body), body));
        const isAsked = manifest.takes !== "addresses";
        const check = isAsked ? await checkFileSource(services, made) : null;
        return { ...made, check };
      },
      again: (state) => newSourcePage(context, manifest, state),
      leads: ({ source: { source }, webhookSecret: value, check }) => ({
        to: `/panel/sources/${source.identifier}`,
        target: source.id,
        ...(check === null
          ? {
              notice: "The source is created. Its first scan has started.",
              secret: { label: "The secret of the source's webhook.", value },
            }
          : noticeFrom("The source is created.", check)),
      }),
    });
  });
}

const HERE = { name: "New source", href: "/panel/new/source" };

const choosePage = (context: PageContext): Promise<Response> =>
  page(
    context,
    { title: HERE.name, trail: [LIST], sub: "Choose where your documents are." },
    <ul class="cards">
      {SOURCES.map(({ id, name, summary }) => (
        <li>
          <a href={`${HERE.href}?kind=${id}`}>
            <strong>{name}</strong>
            <span>{summary}</span>
          </a>
        </li>
      ))}
    </ul>,
  );

async function newSourcePage(context: PageContext, manifest: SourceManifest, state: FormState) {
  const { id, name, summary: sub } = manifest;
  return await page(
    context,
    {
      title: `New source: ${name}`,
      window: HERE.name,
      status: state.status,
      trail: [LIST, HERE],
      sub,
    },
    <SettingForm
      action={HERE.href}
      state={state}
      submit="Create source"
      cancel={LIST.href}
      fields={sourceForm(manifest, true).fields}
      controls={sourceControls(state)}
    >
      <input type="hidden" name="kind" value={id} />
    </SettingForm>,
  );
}
