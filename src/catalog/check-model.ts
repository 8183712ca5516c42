import { invalid, messageOf } from "../core/errors.ts";
import type { Services } from "../services.ts";

type Named = Pick<Services, "models">;

/** @throws QuarryError `invalid` that says which setting is missing or that the name is unknown. */
export function checkChatModel({ models }: Named, name: string): void {
  refuse("model", () => models.chat(name));
}

/** @throws QuarryError `invalid`, as above. */
export function checkReranker({ models }: Named, name: string): void {
  refuse("reranker", () => models.reranker(name));
}

/** @throws QuarryError `invalid`, as above; the model is the deployment's own. */
export function checkEmbedder({ models, config }: Pick<Services, "models" | "config">): void {
  const { EMBEDDING_MODEL, EMBEDDING_DIMENSIONS } = config;
  refuse("EMBEDDING_MODEL", () => models.embedder(EMBEDDING_MODEL, EMBEDDING_DIMENSIONS));
}

function refuse(field: string, find: () => unknown): void {
  try {
    find();
  } catch (thrown) {
    throw invalid(`${field}: ${messageOf(thrown)}`);
  }
}
