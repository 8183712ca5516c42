import { findAgent, findInference } from "../../../catalog/inferences/runner-verbs.ts";
import { agentRows, inferenceRows } from "../../../db/catalog/runner-store.ts";
import { Data } from "../../components/data.tsx";
import { finding, type PageContext, type Pages } from "../page-env.ts";
import { adminsOnly } from "../request/guards.ts";
import { removable } from "../request/removal.tsx";
import { editModelPage, makeModel, newModelPage, saveModel } from "./edit-model.tsx";
import { type Model, addressOf, modelListPage, WORDS, type Kind } from "./model-list.tsx";
import { askModel, modelPage } from "../search/search.tsx";

const find =
  (kind: Kind) =>
  async (context: PageContext): Promise<Model> => {
    const services = context.get("services");
    const key = context.req.param("id") ?? "";
    if (kind === "agent") return { kind, record: await findAgent(services, { key }) };
    return { kind, record: await findInference(services, { key }) };
  };

/** Running changes nothing: members may do it, so this stands before what only admins may post. */
export function runPages(app: Pages, kind: Kind): void {
  app.post("/:id/run", finding(find(kind))(askModel));
}

export function answerPages(app: Pages, kind: Kind): void {
  const of = finding(find(kind));
  app.get("/", async (context) => await modelListPage(context, kind));
  app.get("/:id", of(modelPage));
  app.get("/:id/settings", of(editModelPage));
  app.post("/:id/settings", of(saveModel));
  removable(app, "/:id/remove", of(removalOf));
}

/** A new one; no identifier can hide it, as none is below `/new`. */
export function newModelPages(app: Pages, kind: Kind): void {
  app.use(adminsOnly);
  app.get("/", async (context) => await newModelPage(context, kind));
  app.post("/", async (context) => await makeModel(context, kind));
}

function removalOf(context: PageContext, { kind, record }: Model) {
  const { place, title: list } = WORDS[kind];
  const { db } = context.get("services");
  const address = addressOf(kind, record.identifier);
  return {
    title: `Remove the ${kind}`,
    trail: [
      { name: list, href: `/panel/${place}` },
      { name: record.name, href: address },
    ],
    name: record.name,
    cancel: `${address}/settings`,
    says: (
      <p>
        Removes <Data>{record.name}</Data> and its prompt. Its RAGs and documents stay, and so do
        the figures of its calls. Programs that call it get 404.
      </p>
    ),
    audit: [`${place}.remove`, record.identifier] satisfies [string, string],
    remove: () =>
      kind === "agent" ? agentRows.remove(db, record.id) : inferenceRows.remove(db, record.id),
    to: `/panel/${place}`,
    notice: `${record.name} is removed.`,
  };
}
