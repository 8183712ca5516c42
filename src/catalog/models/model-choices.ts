import { listModelRows, PRICED_TOKENS } from "../../db/catalog/model-store.ts";
import type { CatalogModel } from "../../ports/models.ts";
import type { Services } from "../../services.ts";

/** Model tokens of a page of some 300 words, with its picture and the task. */
const PAGE_TOKENS = { input: 2_000, output: 700 };

/** The price of so many pages, such as `0.90 USD`. */
export function imageCost(price: NonNullable<ModelChoice["price"]>, pages: number): string {
  const { input, output } = PAGE_TOKENS;
  const cost = (pages * (input * price.input + output * price.output)) / PRICED_TOKENS;
  return `${cost.toFixed(2)} ${price.currency}`;
}

export type ModelChoice = Awaited<ReturnType<typeof modelChoices>>[number];

/** For forms: those with a price of this service, then what its providers have. */
export async function modelChoices(
  { db, models }: Pick<Services, "db" | "models">,
  kind: CatalogModel["kind"],
) {
  const [rows, offers] = await Promise.all([listModelRows(db), models.listModels(kind)]);
  const byName = new Map(offers.map((offer) => [offer.model, offer]));
  const choices = rows.filter((row) => row.kind === kind);
  const priced = new Set(choices.map(({ model }) => model));
  return [
    ...choices.map(({ model, inputPrice: input, outputPrice: output, currency }) => {
      const contextTokens = byName.get(model)?.contextTokens ?? null;
      return { model, contextTokens, price: { input, output, currency } };
    }),
    ...offers
      .filter(({ model }) => !priced.has(model))
      .map(({ model, contextTokens, price }) => {
        return { model, contextTokens, price: price && { ...price, currency: "USD" } };
      }),
  ];
}
