import { createRag } from "../../../catalog/rags/create-rag.ts";
import { newRag } from "../../../catalog/rags/rag-settings.ts";
import { listChoices } from "../../../db/catalog/panel-lists.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { Form, SelectField } from "../../components/form.tsx";
import { Empty, PageHead } from "../../components/page-head.tsx";
import { SettingFields } from "../../components/setting-fields.tsx";
import { LinkButton } from "../../components/link.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { submit } from "../request/action.ts";
import { freshForm, type FormState } from "../request/form.ts";
import { bodyIn, formName, formValues } from "../request/setting-form.ts";
import { NEW_RAG_FIELDS, ragHints } from "./rag-fields.tsx";
import { ragAddress } from "./rag-address.ts";

const FIELDS = NEW_RAG_FIELDS.map(formName);

/** `?source=` chooses the source beforehand. */
export async function newRagPage(context: PageContext): Promise<Response> {
  const state = freshForm({
    ...formValues(NEW_RAG_FIELDS),
    fileSource: context.req.query("source") ?? "",
    scopeMode: "global",
  });
  return await show(context, state);
}

export const makeRag = (context: PageContext) =>
  submit(context, {
    audit: ["rags.create"],
    fields: FIELDS,
    work: async (form) => {
      const input = parseKnownOrRefuse(newRag, bodyIn(form, NEW_RAG_FIELDS));
      return await createRag(context.get("services"), input);
    },
    again: (state) => show(context, state),
    leads: ({ id, identifier, scopeMode }) =>
      scopeMode === "scoped"
        ? {
            to: `${ragAddress(identifier)}/scope`,
            target: id,
            notice: "The RAG is made. Choose what it indexes.",
          }
        : {
            to: ragAddress(identifier),
            target: id,
            notice: "The RAG is made. Its files are being indexed.",
          },
  });

async function show(context: PageContext, state: FormState): Promise<Response> {
  const sources = await listChoices(context.get("services").db, "file_source");
  const trail = [{ name: "RAGs", href: "/panel/rags" }];
  const content = (
    <>
      <PageHead title="New RAG" trail={trail} />
      {sources.length === 0 ? (
        <Empty title="There is no source yet.">
          <p>A RAG indexes the documents of a source: make one first.</p>
          <p>
            <LinkButton href="/panel/new/source" label="New source" kind="primary" />
          </p>
        </Empty>
      ) : (
        <Form action="/panel/new/rag" state={state} submit="Make the RAG" cancel="/panel/rags">
          <SettingFields
            fields={NEW_RAG_FIELDS}
            state={state}
            isStored={false}
            hints={await ragHints(context.get("services"))}
            controls={{
              fileSource: (
                <SelectField
                  state={state}
                  name="fileSource"
                  label="Source"
                  options={sources.map(({ identifier, name }) => ({
                    value: identifier,
                    label: name,
                  }))}
                />
              ),
            }}
          />
        </Form>
      )}
    </>
  );
  return await page(context, { title: "New RAG", place: "rags", status: state.status }, content);
}
