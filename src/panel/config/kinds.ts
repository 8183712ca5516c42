import type { z } from "zod";

import { agentVerbs, inferenceVerbs } from "../../catalog/inferences/runner-verbs.ts";
import { newLimit, putLimit, readLimits } from "../../catalog/limits/limit-verbs.ts";
import type { SpentLimit } from "../../catalog/limits/limit-verbs.ts";
import { listRags } from "../../catalog/rags/find-rag.ts";
import { listEndpoints } from "../../db/catalog/event-store.ts";
import { listModelRows, priceKey } from "../../db/catalog/model-store.ts";
import { listSourceRows } from "../../db/catalog/source-store.ts";
import { listSets } from "../../db/evaluation/set-store.ts";
import type { Slice } from "../../db/page.ts";
import type { Services } from "../../services.ts";
import { findManifest } from "../../sources/registry.ts";
import { secretOf } from "../../sources/source-manifest.ts";
import type { Action } from "../action.ts";
import { agentActions, inferenceActions } from "../api/answers.ts";
import { setChange, setCreation, setRemoval } from "../api/evaluation/questions.ts";
import { endpointChange, endpointCreation, endpointRemoval } from "../api/event-endpoints.ts";
import { sourceChange, sourceCreation, sourceRemoval } from "../api/file-sources.ts";
import { limitCreation, limitRemoval } from "../api/limits.ts";
import { modelChange, modelRemoval } from "../api/models.ts";
import { ragChange, ragCreation, ragRemoval } from "../api/rags.ts";

/** Fields of a thing by name, as the panel API takes them. */
export type Values = Record<string, unknown>;

type Facts<Subject> = {
  /** A page of them; `previousValues` of their change gives the values. */
  list: (services: Services, slice: Slice) => Promise<Subject[]>;
  identifierOf?: (subject: Subject) => string;
  /** The name of the thing in a file for several services, whose ids differ; null: its identifier. */
  portableName?: (subject: Subject) => string | null;
  /** The fields that the identifier says; absent: `identifier`. */
  key?: (identifier: string) => Values;
  /** Fields that name things of another kind by identifier. */
  references?: Record<string, string>;
  /** A thing that a part of a field names. */
  subjectOf?: (values: Values) => { field: string; name: string }[];
  /** Fields that never change. */
  fixed?: string[];
  /** The group and the name of the secret, for which an answer has `true`; null: none. */
  secret?: (values: Values) => [group: string, field: string] | null;
};

/** A kind of things that settings name: the actions of the panel API, and what they do not say. */
export type Kind = Facts<unknown> &
  Record<"creation" | "change" | "removal", Action<unknown, z.ZodType, unknown>>;

const kind = <None, New extends z.ZodType, Subject, Patch extends z.ZodType, Made, Changed, Gone>(
  creation: Action<None, New, Made>,
  change: Action<Subject, Patch, Changed>,
  removal: Action<Subject, z.ZodUndefined, Gone>,
  facts: Facts<Subject>,
): Kind =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- subjects come from its own `list` and go back to it
  ({ creation, change, removal, ...facts }) as unknown as Kind;

const { creation, change, removal } = inferenceActions;
const { find: _find, ...priceChange } = modelChange;
/** A limit of the same subject, unit and period gets the amount. */
const limitChange: Action<SpentLimit, typeof newLimit, string> = {
  name: "limits.change",
  about: "",
  body: newLimit,
  work: ({ services, body, id }) => putLimit(services, body, id),
  previousValues: ({ amount }) => ({ amount }),
};
const references = { rags: "rags" };

/** Every kind, in an order in which each refers only to kinds before it. */
export const KINDS: Record<string, Kind> = {
  fileSources: kind(sourceCreation, sourceChange, sourceRemoval, {
    list: async ({ db }, slice) => (await listSourceRows(db, slice, true)).data,
    identifierOf: ({ source }) => source.identifier,
    fixed: ["provider"],
    secret: ({ provider, config }) => {
      const manifest = findManifest(provider, config);
      const secret = manifest === undefined ? null : secretOf(manifest);
      return secret === null ? null : ["config", secret];
    },
  }),
  rags: kind(ragCreation, ragChange, ragRemoval, {
    list: async (services, slice) =>
      (await listRags(services, slice)).data.map(({ rag, scopes }) =>
        Object.assign(rag, { scopes, status: rag.status === "error" ? "active" : rag.status }),
      ),
    references: { fileSource: "fileSources" },
    fixed: ["fileSource"],
  }),
  inferences: kind(creation, change, removal, {
    list: async ({ db }, slice) => (await inferenceVerbs.list(db, slice)).data,
    references,
  }),
  agents: kind(agentActions.creation, agentActions.change, agentActions.removal, {
    list: async ({ db }, slice) => (await agentVerbs.list(db, slice)).data,
    references,
  }),
  questionSets: kind(setCreation, setChange, setRemoval, {
    list: async ({ db }, slice) =>
      (await listSets(db, slice)).data.map((set) =>
        Object.assign(set, { [set.subjectKind]: set.subjectIdentifier }),
      ),
    references: { rag: "rags", inference: "inferences" },
    fixed: ["rag", "inference"],
  }),
  prices: kind(priceChange, priceChange, modelRemoval, {
    list: async ({ db }, { offset }) => (offset === 0 ? await listModelRows(db) : []),
    identifierOf: ({ kind, model }) => priceKey(kind, model),
    key: (identifier) => {
      const [kind, ...model] = identifier.split(" ");
      return { kind, model: model.join(" ") };
    },
  }),
  // As in `inference support usd month`. An archive names tokens by id, which it has along.
  limits: kind(limitCreation, limitChange, limitRemoval, {
    list: async (services, { offset }) => (offset === 0 ? await readLimits(services) : []),
    identifierOf: ({ subject: { kind, id, identifier }, unit, period }) =>
      [kind, identifier ?? id, unit, period].filter(Boolean).join(" "),
    portableName: ({ subject: { kind, name }, unit, period }) =>
      kind === "token" && name ? [kind, name, unit, period].join(" ") : null,
    key: (identifier) => {
      const [kind, ...rest] = identifier.split(" ");
      const [period, unit] = [rest.pop(), rest.pop()];
      const id = rest.join(" ");
      return { subject: { kind, ...(id !== "" && { id }) }, unit, period };
    },
    subjectOf: ({ subject }) => {
      const { kind, id } = newLimit.shape.subject.catch({ kind: "service" }).parse(subject);
      const isNamed = kind === "inference" || kind === "agent";
      return isNamed ? [{ field: "subject.id", name: `${kind}s.${id}` }] : [];
    },
  }),
  eventEndpoints: kind(endpointCreation, endpointChange, endpointRemoval, {
    list: async ({ db }, { offset }) => (offset === 0 ? await listEndpoints(db) : []),
    identifierOf: ({ url }) => url,
    key: (url) => ({ url }),
    references: { ragIdentifiers: "rags" },
  }),
};
