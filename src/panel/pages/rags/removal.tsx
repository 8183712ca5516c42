import { removeRag } from "../../../catalog/rags/remove-rag.ts";
import { invalidField } from "../../../core/errors.ts";
import type { RagRecord } from "../../../db/records.ts";
import { ConfirmRemoval } from "../../components/confirm-removal.tsx";
import { Data } from "../../components/data.tsx";
import { counted } from "../../components/figures.ts";
import { PageHead } from "../../components/page-head.tsx";
import type { PageContext } from "../page-env.ts";
import { page } from "../page.tsx";
import { auditAs, redirectWithNotice } from "../request/action.ts";
import { attempt, formOf, freshForm, type Form, type FormState } from "../request/form.ts";
import { ragAddress } from "./rag-list.tsx";

/** From so many passages, files or choices on the RAG's name is asked for. */
export const MUCH = 1_000;

/** @throws QuarryError `invalid` unless the form's `confirmation` is the RAG's name. */
export function checkNamed(form: Form, { name }: RagRecord): void {
  if (form.text("confirmation") !== name.trim()) {
    throw invalidField("confirmation", "must be the name of the RAG");
  }
}

export async function remove(context: PageContext, rag: RagRecord): Promise<Response> {
  auditAs(context, "rags.remove", rag.identifier);
  const form = await formOf(context);
  const tried = await attempt(form, ["confirmation"], async () => {
    if (rag.numberVectors >= MUCH) checkNamed(form, rag);
    await removeRag(context.get("services"), { rag });
  });
  if (!tried.done) return await removalPage(context, rag, tried.state);
  return redirectWithNotice(context, "/panel/rags", { notice: `${rag.name} is removed.` });
}

export async function removalPage(
  context: PageContext,
  rag: RagRecord,
  state: FormState = freshForm(),
): Promise<Response> {
  const address = ragAddress(rag.identifier);
  const trail = [
    { name: "RAGs", href: "/panel/rags" },
    { name: rag.name, href: address },
  ];
  const content = (
    <>
      <PageHead title="Remove the RAG" trail={trail} />
      <ConfirmRemoval
        action={`${address}/remove`}
        state={state}
        name={rag.name}
        isMuch={rag.numberVectors >= MUCH}
        cancel={address}
        submit="Remove it"
      >
        <p>
          Removes <Data>{rag.name}</Data> with its {counted(rag.numberVectors, "passage")} of{" "}
          {counted(rag.processedFiles, "file")}. The documents stay in{" "}
          <Data>{rag.fileSource.name}</Data>. Tokens lose their right to it; programs that search it
          get 404.
        </p>
      </ConfirmRemoval>
    </>
  );
  const title = `Remove ${rag.name}`;
  return await page(context, { title, place: "rags", status: state.status }, content);
}
