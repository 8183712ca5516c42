import { invalidFields, messageOf, type FieldProblem } from "../../core/errors.ts";
import { BUILT_IN_MODELS } from "../../ports/models.ts";
import type { Services } from "../../services.ts";

type ModelServices = Pick<Services, "models">;

/** Names the missing setting or the unknown model; null when the model is available. */
export const chatModelProblem = ({ models }: ModelServices, name: string) =>
  problemWith(models, { field: "model", name }, () => models.chat(name));

/** For what only a language model can do. `purpose`: such as "judge answers". */
export async function languageModelProblem(
  { models }: ModelServices,
  { field, name, purpose }: { field: string; name: string; purpose: string },
): Promise<FieldProblem | null> {
  const problem = await problemWith(models, { field, name }, () => models.chat(name));
  if (problem !== null || name !== BUILT_IN_MODELS.chat) return problem;
  const advice = `${name} only quotes passages and cannot ${purpose}: name a language model, such as local/llama3.2`;
  return { field, problem: `: ${advice}` };
}

/** Checks that a reranker can be used. @throws QuarryError `invalid`. */
export const checkReranker = ({ models }: ModelServices, name: string) =>
  refuse(models, { field: "reranker", name }, () => models.reranker(name));

/** Checks that a model can be given pictures. @throws QuarryError `invalid`. */
export const checkImageModel = ({ models }: ModelServices, name: string) =>
  refuse(models, { field: "imageModel", name }, () => models.imageReader(name));

/** Checks that the deployment's embedding model can be used. @throws QuarryError `invalid`. */
export async function checkEmbedder({ models, config }: Pick<Services, "models" | "config">) {
  const { EMBEDDING_MODEL: name, EMBEDDING_DIMENSIONS: dimensions } = config;
  const find = () => models.embedder(name, dimensions);
  await refuse(models, { field: "EMBEDDING_MODEL", name }, find);
}

type Field = { field: string; name: string };

async function refuse(
  models: Services["models"],
  field: Field,
  find: () => unknown,
): Promise<void> {
  const problem = await problemWith(models, field, find);
  if (problem !== null) throw invalidFields([problem]);
}

/** `find` throws where the model has no such kind, or a setting is missing. */
async function problemWith(
  models: Services["models"],
  { field, name }: Field,
  find: () => unknown,
): Promise<FieldProblem | null> {
  try {
    find();
    const problem = await models.problemWithModel(name);
    return problem === null ? null : { field, problem: `: ${problem}` };
  } catch (thrown) {
    return { field, problem: `: ${messageOf(thrown)}` };
  }
}
