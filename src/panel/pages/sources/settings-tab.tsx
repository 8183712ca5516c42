import { z } from "zod";

import { newSource } from "../../../catalog/file-sources/file-source-settings.ts";
import { imageCost, modelChoices } from "../../../catalog/models/model-choices.ts";
import { countWaitingImages } from "../../../db/files/image-store.ts";
import { baseUrlOf } from "../../../http/client-address.ts";
import { manifestOf } from "../../../sources/registry.ts";
import { literalsOf, type SourceManifest } from "../../../sources/source-manifest.ts";
import { ModelField } from "../../components/choice-fields.tsx";
import { CodeBlock, CodeLine } from "../../components/code-block.tsx";
import { Data, Time, DangerZone, DataLink, ForAdmins } from "../../components/data.tsx";
import { ActionButton } from "../../components/data.tsx";
import { countText, interval } from "../../components/figures.ts";
import { SelectField, field, type FormState, type FormValues } from "../../components/form.tsx";
import { Facts } from "../../components/page-head.tsx";
import { SettingForm, bodyIn, formOfSettings } from "../../components/setting-fields.tsx";
import { type PageContext, isAdmin } from "../page-env.ts";
import type { ShownSource } from "./shown-source.ts";

/** The source's settings, how programs reach it, and its removal. */
export async function settingsTab(context: PageContext, view: ShownSource, failed?: FormState) {
  const { source, path } = view;
  const manifest = manifestOf(source);
  const { takes } = manifest;
  const baseUrl = baseUrlOf(context.get("services").config, context.req.raw);
  const form = sourceForm(manifest, false);
  const state = failed ?? form.state(source);
  return (
    <>
      <Facts
        facts={{
          Provider: manifest.name,
          Identifier: <CodeLine text={source.identifier} label="identifier" />,
          Scanned: manifest.open === null ? "when pushed" : interval(source.scanIntervalMinutes),
          Created: <Time at={source.createdAt} />,
        }}
      />
      {isAdmin(context) ? (
        <>
          <h2>Settings</h2>
          <SettingForm
            action={`${path}/settings`}
            state={state}
            submit="Save"
            shown={source.updatedAt}
            fields={form.fields}
            controls={await sourceControls(context, state, source)}
          />
          {takes !== undefined ? null : (
            <ActionButton action={`${path}/check`} label="Check the connection" />
          )}
        </>
      ) : (
        <StoredConfig config={source.config} />
      )}
      {takes === "addresses" ? <Webhook baseUrl={baseUrl} shown={view} /> : null}
      {manifest.events === undefined ? null : <Events baseUrl={baseUrl} shown={view} />}
      {takes === "files" ? <Pushing baseUrl={baseUrl} shown={view} /> : null}
      <ForAdmins>
        <Removal shown={view} />
      </ForAdmins>
    </>
  );
}

/** For members: what is set, without its secrets. */
const StoredConfig = ({ config }: { config: Record<string, unknown> }) => {
  const entries = Object.entries(config).filter(([, value]) => value !== true);
  if (entries.length === 0) return null;
  return (
    <>
      <h2>Settings</h2>
      <Facts
        pairs={entries.map(([name, value]) => {
          const text = typeof value === "string" ? value : JSON.stringify(value);
          return [name, <Data>{text}</Data>];
        })}
      />
    </>
  );
};

type PartProps = { baseUrl: string; shown: ShownSource };

const Events = ({ baseUrl, shown: { source, path } }: PartProps) => {
  const { id, name } = manifestOf(source);
  return (
    <>
      <h2>Webhook</h2>
      <p>
        Add a webhook in {name} with this address, the content type application/json and the secret
        of this source. Quarry then scans ten seconds after a change.
      </p>
      <CodeBlock text={`${baseUrl}/api/webhooks/${id}/${source.identifier}`} label="Address" />
      <NewSecret path={path} />
    </>
  );
};

const NewSecret = ({ path }: { path: string }) => (
  <ForAdmins>
    <p class="soft">Its secret was shown once. A new secret replaces it at once.</p>
    <ActionButton action={`${path}/webhook-secret`} label="New webhook secret" />
  </ForAdmins>
);

const Webhook = ({ baseUrl, shown: { source, path } }: PartProps) => {
  const call = [
    `curl -X POST ${baseUrl}/api/webhooks/web/${source.identifier} \\`,
    '  -H "Authorization: Bearer $QUARRY_WEBHOOK_SECRET" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"urls": ["https://example.com/a-page"]}'`,
  ].join("\n");
  return (
    <>
      <h2>Webhook</h2>
      <p>
        Programs push page addresses to this source. Quarry reads them at once.{" "}
        {countText(source.pushedFiles, "pushed address", "pushed addresses")} so far
        {source.pushesRefused === 0
          ? "."
          : `, ${countText(source.pushesRefused, "one", "ones")} refused.`}
      </p>
      <CodeBlock text={call} label="Pushing an address" />
      <NewSecret path={path} />
    </>
  );
};

const Pushing = ({ baseUrl, shown: { source } }: PartProps) => {
  const push = `QUARRY_KEY=… npm run quarry -- push ./documents --source ${source.identifier} --url ${baseUrl}`;
  const commands = [
    `curl -X PUT ${baseUrl}/panel/api/file-sources/${source.identifier}/files/guide.md \\`,
    '  -H "Authorization: Bearer $QUARRY_KEY" \\',
    "  --data-binary @guide.md",
  ].join("\n");
  return (
    <>
      <h2>Pushing</h2>
      <p>
        Push a folder or a single file, using an <a href="/panel/settings/keys">automation key</a>.
        A folder replaces the source: files that it lacks are removed, uploaded ones too.
      </p>
      <CodeBlock text={push} label="Pushing a folder" />
      <CodeBlock text={commands} label="Pushing one file" />
    </>
  );
};

const Removal = ({ shown: { rags, path } }: { shown: ShownSource }) =>
  rags.length === 0 ? (
    <DangerZone title="Remove this source" href={`${path}/remove`} label="Remove …" />
  ) : (
    <section class="danger-zone">
      <h2>Remove this source</h2>
      <p>
        {countText(rags.length, "RAG uses", "RAGs use")} it. Remove{" "}
        {rags.length === 1 ? "it" : "them"} first:
      </p>
      <ul>
        {rags.map(({ name, identifier }) => (
          <li>
            <DataLink href={`/panel/rags/${identifier}`} text={name} />
          </li>
        ))}
      </ul>
    </section>
  );

/** The form of a new source, or of one that is stored. A folder that is pushed is not scanned. */
export function sourceForm({ config, open }: SourceManifest, isNew: boolean) {
  const { name, scanIntervalMinutes, identifier, imageModel, pictures } = newSource;
  const settings = {
    name,
    config,
    ...(open === null ? {} : { scanIntervalMinutes }),
    // A new source reads with the model that the deployment chooses.
    ...(isNew ? {} : { imageModel }),
    pictures,
    ...(isNew ? { identifier: identifier.meta({ folded: "Identifier" }) } : {}),
  };
  return formOfSettings(z.object(settings));
}

/** The body of the API that such a form means; an empty secret keeps the one that is stored. */
export function sourceBody(form: FormValues, manifest: SourceManifest) {
  const { config = {}, ...body } = bodyIn(form, sourceForm(manifest, true).fields);
  return {
    ...body,
    name: form.text("name"),
    config: Object.assign(Object.fromEntries(literalsOf(manifest)), config),
  };
}

const INTERVALS = [
  { value: "15", label: "every 15 minutes" },
  { value: "60", label: "every hour" },
  { value: "360", label: "every 6 hours" },
  { value: "1440", label: "every day" },
  { value: "10080", label: "every week" },
  { value: "0", label: "on request only" },
];

export async function sourceControls(
  context: PageContext,
  state: FormState,
  source: ShownSource["source"] | null,
) {
  const interval = field(state, "scanIntervalMinutes", "Look for changes");
  return {
    scanIntervalMinutes: <SelectField {...interval} options={INTERVALS} />,
    ...(source !== null && { imageModel: await imageModelField(context, state, source) }),
  };
}

/** Prices named next to the field. */
const PRICES_SHOWN = 4;

async function imageModelField(
  context: PageContext,
  state: FormState,
  source: ShownSource["source"],
) {
  const services = context.get("services");
  const choices = await modelChoices(services, "image");
  const { files, unread, skipped } = await countWaitingImages(services.db, source.id);
  const pages = unread + (source.pictures ? skipped : 0);
  const costs = choices.flatMap(({ model, price }) =>
    price === null ? [] : [`about ${imageCost(price, pages)} with ${model}`],
  );
  return (
    <>
      <ModelField {...{ state, choices, name: "imageModel", label: "Image model", none: "None" }} />
      {pages === 0 ? null : (
        <p class="hint">
          {countText(files, "file waits", "files wait")} to be read, about{" "}
          {countText(pages, "page", "pages")}
          {costs.length === 0 ? "" : `: ${costs.slice(0, PRICES_SHOWN).join(", ")}`}.
        </p>
      )}
    </>
  );
}
