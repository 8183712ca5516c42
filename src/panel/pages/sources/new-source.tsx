import { Hono } from "hono";

import { checkFileSource } from "../../../catalog/file-sources/check-file-source.ts";
import { createFileSource } from "../../../catalog/file-sources/create-file-source.ts";
import { checkedSource } from "../../api/file-sources.ts";
import { Form, TextField } from "../../components/form.tsx";
import { PageHead } from "../../components/page-head.tsx";
import type { PageContext, PageEnv } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, goTo } from "../request/action.ts";
import { attempt, formOf, freshForm, type FormState } from "../request/form.ts";
import { adminsOnly } from "../request/guards.ts";
import { choiceIn } from "../request/list-query.ts";
import { toldOf } from "./source-actions.tsx";
import { ConfigFields, IntervalField } from "./source-fields.tsx";
import { fieldsOf, newSourceBody, SOURCE_KINDS, type SourceKind } from "./source-form.ts";

const KINDS: Record<SourceKind, { name: string; says: string }> = {
  file_system: {
    name: "Pushed folder",
    says: "Upload files here, or push a folder from a program with one command.",
  },
  web: {
    name: "Web site",
    says: "Pages of a site, by links, sitemaps or addresses that you push.",
  },
  s3: {
    name: "S3",
    says: "A bucket of Amazon, MinIO, Backblaze, R2 of another account and the like.",
  },
  r2: {
    name: "R2 of this service",
    says: "What lies in the bucket that is bound to this service.",
  },
  cloud_drive: { name: "Google Drive", says: "A folder or a shared drive, by a service account." },
  document_site: { name: "SharePoint", says: "Libraries of a site, by an app registration." },
};

/** Making a source: which kind, then what that kind needs. */
export function newSourcePages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.use(adminsOnly);

  app.get("/", async (context) => {
    const kind = choiceIn(context, "kind", SOURCE_KINDS);
    if (kind === null) return await choosePage(context);
    const defaults = { scanIntervalMinutes: "360", "config.pathStyle": "on" };
    return await newSourcePage(context, kind, freshForm(defaults));
  });

  app.post("/", async (context) => {
    const form = await formOf(context);
    const kind = SOURCE_KINDS.find((one) => one === form.text("kind")) ?? "file_system";
    auditAs(context, "file-sources.create");
    const made = await attempt(form, fieldsOf(kind), async () => {
      const input = checkedSource(newSourceBody(form, kind));
      return await createFileSource(context.get("services"), input);
    });
    if (!made.done) return await newSourcePage(context, kind, made.state);
    const { source, webhookSecret } = made.result;
    auditAs(context, "file-sources.create", source.source.id);
    const address = `/panel/sources/${source.source.identifier}`;
    if (kind !== "web") {
      const checked = await checkFileSource(context.get("services"), { source });
      return goTo(context, address, toldOf("The source is made.", checked));
    }
    const secret = { label: "The secret of the source's webhook.", value: webhookSecret };
    return goTo(context, address, { notice: "The source is made, and is being read.", secret });
  });
  return app;
}

const TRAIL = [{ name: "Sources", href: "/panel/sources" }];

async function choosePage(context: PageContext): Promise<Response> {
  const content = (
    <>
      <PageHead title="New source" trail={TRAIL} sub="Where are the documents?" />
      <ul class="cards">
        {SOURCE_KINDS.map((kind) => (
          <li>
            <a href={`/panel/new/source?kind=${kind}`}>
              <strong>{KINDS[kind].name}</strong>
              <span>{KINDS[kind].says}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
  return await page(context, { title: "New source", place: "sources" }, content);
}

async function newSourcePage(context: PageContext, kind: SourceKind, state: FormState) {
  const { name, says } = KINDS[kind];
  const content = (
    <>
      <PageHead
        title={`New source: ${name}`}
        trail={[...TRAIL, { name: "New source", href: "/panel/new/source" }]}
        sub={says}
      />
      <Form
        action="/panel/new/source"
        state={state}
        submit="Make the source"
        cancel="/panel/sources"
      >
        <input type="hidden" name="kind" value={kind} />
        <TextField state={state} name="name" label="Name" required autofocus />
        <ConfigFields kind={kind} state={state} isStored={false} />
        <IntervalField kind={kind} state={state} />
        <details class="options">
          <summary>Identifier</summary>
          <TextField
            state={state}
            name="identifier"
            label="Identifier"
            hint="For programs: lower-case letters, digits, hyphens. Empty: made from the name. It stays."
          />
        </details>
      </Form>
    </>
  );
  const of = { title: "New source", place: "sources", status: state.status } as const;
  return await page(context, of, content);
}
