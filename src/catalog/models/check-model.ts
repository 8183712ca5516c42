import { invalid, messageOf } from "../../core/errors.ts";
import type { Services } from "../../services.ts";

type Named = Pick<Services, "models">;

/** Which setting is missing, or that the name is unknown; null when the model can be had. */
export function chatModelProblem({ models }: Named, name: string): string | null {
  return problemWith("model", () => models.chat(name));
}

/** @throws QuarryError `invalid` that says the same of a reranker. */
export function checkReranker({ models }: Named, name: string): void {
  refuse("reranker", () => models.reranker(name));
}

/** @throws QuarryError `invalid`, as above; the model is the deployment's own. */
export function checkEmbedder({ models, config }: Pick<Services, "models" | "config">): void {
  const { EMBEDDING_MODEL, EMBEDDING_DIMENSIONS } = config;
  refuse("EMBEDDING_MODEL", () => models.embedder(EMBEDDING_MODEL, EMBEDDING_DIMENSIONS));
}

function refuse(field: string, find: () => unknown): void {
  const problem = problemWith(field, find);
  if (problem !== null) throw invalid(problem);
}

function problemWith(field: string, find: () => unknown): string | null {
  try {
    find();
    return null;
  } catch (thrown) {
    return `${field}: ${messageOf(thrown)}`;
  }
}
