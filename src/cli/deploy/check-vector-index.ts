import { z } from "zod";

import type { DeploySettings } from "./settings.ts";
import { jsonSaid, there, unread, type AskWrangler, type Finding } from "./wrangler-command.ts";

const indexes = z.array(
  z.object({
    name: z.string(),
    config: z.object({ dimensions: z.number(), metric: z.string() }).partial().optional(),
  }),
);
const metadataIndexes = z.array(z.object({ propertyName: z.string(), indexType: z.string() }));

const METRIC = "cosine";
const TYPE = "string";

type VectorIndex = NonNullable<DeploySettings["vectorIndex"]>;

/** The index with its dimensions and metric, and its metadata indexes. */
export async function checkVectorIndex(ask: AskWrangler, index: VectorIndex): Promise<Finding[]> {
  const what = `Vectorize index ${index.name}`;
  const said = await ask(["vectorize", "list", "--json"]);
  const listed = jsonSaid(said, indexes);
  if (listed === null) return [unread(what, said)];
  const found = listed.find(({ name }) => name === index.name);
  if (found === undefined) return [{ what, state: "missing", fix: creation(index) }];
  const { dimensions, metric } = found.config ?? {};
  if (dimensions !== index.dimensions || metric !== METRIC) {
    return [otherShape(what, index, `${dimensions} dimensions, metric ${metric}`)];
  }
  return [there(what), await checkMetadataIndexes(ask, index)];
}

const creation = (index: VectorIndex) => [
  `npx wrangler vectorize create ${index.name} --dimensions=${index.dimensions} --metric=${METRIC}`,
  ...index.metadataIndexes.map((property) => addition(index, property)),
];

const addition = ({ name }: VectorIndex, property: string) =>
  `npx wrangler vectorize create-metadata-index ${name} --property-name=${property} --type=${TYPE}`;

/** The dimensions of an index cannot change, and deleting one is not suggested lightly. */
function otherShape(what: string, index: VectorIndex, shape: string): Finding {
  const name = `${index.name}-${index.dimensions}`;
  return {
    what,
    state: "wrong",
    note: `it has ${shape}; wrangler.toml needs ${index.dimensions} dimensions, metric ${METRIC}`,
    fix: [
      "# set EMBEDDING_DIMENSIONS to what the index has, or make another one and name it in",
      "# wrangler.toml (index_name):",
      ...creation({ ...index, name }),
    ],
  };
}

async function checkMetadataIndexes(ask: AskWrangler, index: VectorIndex): Promise<Finding> {
  const what = `metadata indexes of ${index.name}`;
  const said = await ask(["vectorize", "list-metadata-index", index.name, "--json"]);
  const listed = jsonSaid(said, metadataIndexes);
  if (listed === null) return unread(what, said);
  const known = new Set(
    listed
      .filter(({ indexType }) => indexType.toLowerCase() === TYPE)
      .map(({ propertyName }) => propertyName),
  );
  const lacking = index.metadataIndexes.filter((name) => !known.has(name));
  if (lacking.length === 0) return there(what);
  return {
    what,
    state: "missing",
    note: `${lacking.join(", ")}; a metadata index covers only vectors that are stored after its creation`,
    fix: [
      ...lacking.map((name) => addition(index, name)),
      "# if RAGs are indexed already: POST /panel/api/rags/{id}/reindex for each",
    ],
  };
}
