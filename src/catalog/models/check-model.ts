import { invalidFields, messageOf, type FieldProblem } from "../../core/errors.ts";
import { BUILT_IN_MODELS } from "../../ports/models.ts";
import type { Services } from "../../services.ts";

type Named = Pick<Services, "models">;

/** Names the missing setting or the unknown model; null when the model is available. */
export function chatModelProblem({ models }: Named, name: string): FieldProblem | null {
  return problemWith("model", () => models.chat(name));
}

/** For what only a language model can do. `purpose`: such as "judge answers". */
export function languageModelProblem(
  services: Named,
  { field, name, purpose }: { field: string; name: string; purpose: string },
): FieldProblem | null {
  const problem = problemWith(field, () => services.models.chat(name));
  if (problem !== null || name !== BUILT_IN_MODELS.chat) return problem;
  const told = `${name} only quotes passages and cannot ${purpose}: name a language model, such as local/llama3.2`;
  return { field, problem: `: ${told}` };
}

/** The same for a reranker. @throws QuarryError `invalid`. */
export function checkReranker({ models }: Named, name: string): void {
  refuse("reranker", () => models.reranker(name));
}

/** The same for the deployment's embedding model. @throws QuarryError `invalid`. */
export function checkEmbedder({ models, config }: Pick<Services, "models" | "config">): void {
  const { EMBEDDING_MODEL, EMBEDDING_DIMENSIONS } = config;
  refuse("EMBEDDING_MODEL", () => models.embedder(EMBEDDING_MODEL, EMBEDDING_DIMENSIONS));
}

function refuse(field: string, find: () => unknown): void {
  const problem = problemWith(field, find);
  if (problem !== null) throw invalidFields([problem]);
}

function problemWith(field: string, find: () => unknown): FieldProblem | null {
  try {
    find();
    return null;
  } catch (thrown) {
    return { field, problem: `: ${messageOf(thrown)}` };
  }
}
