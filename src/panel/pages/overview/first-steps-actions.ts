import { createFileSource } from "../../../catalog/file-sources/create-file-source.ts";
import { createRag } from "../../../catalog/rags/create-rag.ts";
import { findFileSource } from "../../../catalog/file-sources/find-file-source.ts";
import { notFound } from "../../../core/errors.ts";
import { readSteps } from "../../../db/maintenance/overview-store.ts";
import type { Pages } from "../page-env.ts";
import { auditAs, redirectWithNotice } from "../request/form.ts";

const FOLDER_NAME = "Documents";

const inferenceOf = (rag: string, name = rag) =>
  `/panel/new/inference?${new URLSearchParams({ rag, name: `Ask ${name}` }).toString()}`;

/** The steps that need no question: a folder to upload to, and a RAG of the first source. */
export function firstStepsActions(app: Pages): void {
  app.post("/folder", async (context) => {
    const services = context.get("services");
    const { source: known } = await readSteps(services.db);
    if (known !== null) return redirectWithNotice(context, `/panel/sources/${known}`);
    auditAs(context, "file-sources.create");
    const { source } = await createFileSource(services, {
      name: FOLDER_NAME,
      provider: "file_system",
      config: {},
      scanIntervalMinutes: 0,
    });
    auditAs(context, "file-sources.create", source.source.id);
    return redirectWithNotice(context, `/panel/sources/${source.source.identifier}`, {
      notice: "Upload files or a folder below. The next step is then offered here.",
    });
  });

  app.post("/rag", async (context) => {
    const services = context.get("services");
    const steps = await readSteps(services.db);
    if (steps.source === null) throw notFound();
    if (steps.rag !== null) return redirectWithNotice(context, inferenceOf(steps.rag));
    const { source } = await findFileSource(services, { key: steps.source });
    auditAs(context, "rags.create");
    const rag = await createRag(services, { name: source.name, fileSource: source.id });
    auditAs(context, "rags.create", rag.id);
    return redirectWithNotice(context, inferenceOf(rag.identifier, rag.name), {
      notice:
        "The RAG is created and its files are being indexed. Create an inference to ask them.",
    });
  });
}
