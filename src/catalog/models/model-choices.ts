import { listModelRows } from "../../db/catalog/model-store.ts";
import type { CatalogModel } from "../../ports/models.ts";
import type { Services } from "../../services.ts";

export type ModelChoice = Awaited<ReturnType<typeof modelChoices>>[number];

/** For forms: those with a price of this service, then what its providers have. */
export async function modelChoices(
  { db, models }: Pick<Services, "db" | "models">,
  kind: CatalogModel["kind"],
) {
  const [rows, offered] = await Promise.all([listModelRows(db), models.offered(kind)]);
  const known = new Map(offered.map((one) => [one.model, one]));
  const listed = rows.filter((row) => row.kind === kind);
  const priced = new Set(listed.map(({ model }) => model));
  return [
    ...listed.map(({ model, inputPrice: input, outputPrice: output, currency }) => {
      const contextTokens = known.get(model)?.contextTokens ?? null;
      return { model, contextTokens, price: { input, output, currency } };
    }),
    ...offered
      .filter(({ model }) => !priced.has(model))
      .map(({ model, contextTokens, price }) => {
        return { model, contextTokens, price: price && { ...price, currency: "USD" } };
      }),
  ];
}
