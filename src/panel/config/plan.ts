import { fieldChanges, type FieldChange } from "../../access/audit/field-changes.ts";
import { invalidField, invalidFields, QuarryError, type FieldProblem } from "../../core/errors.ts";
import { omitUndefined } from "../../core/input/omit-undefined.ts";
import { isObject } from "../../core/is-object.ts";
import { withoutWrites, RehearsalEnd } from "../../db/sql.ts";
import { parseKnownOrRefuse } from "../../http/validation.ts";
import type { Services } from "../../services.ts";
import { perform, statusOf, type ActionContext } from "../action.ts";
import { KINDS, type Kind, type Values } from "./kinds.ts";
import {
  keyOf,
  parseSettings,
  pick,
  readThings,
  replaceSecret,
  thingsByPortableName,
  type Entry,
} from "./settings.ts";

/** Problems that one refusal names. */
const MAX_PROBLEMS = 50;

type Things = Map<string, Entry>;

type Step = {
  thing: string;
  /** Fields whose values the plan has checked, or that come later. */
  checked: string[];
  run: (context: ActionContext, rehearsal?: Services) => Promise<unknown>;
};

/** The changes that make a service equal a document; things are named as in `rags.handbook`. */
export type Plan = {
  made: string[];
  changed: { thing: string; fields: FieldChange[] }[];
  /** Things that the document lacks, of the kinds that it has. */
  unlisted: string[];
  steps: Step[];
};

/**
 * Compares a document of settings with the service. Each change is rehearsed up to its first write.
 * @throws QuarryError `invalid` that names every wrong field by its path
 */
export async function planSettings(
  context: ActionContext,
  input: unknown,
  { prune, dryRun }: { prune: boolean; dryRun: boolean },
): Promise<Plan> {
  const services = context.get("services");
  const document = parseSettings(input);
  // Each kind refers only to kinds before it; a removal concerns those after it, too.
  const kinds = Object.keys(KINDS);
  const last = kinds.findLastIndex((name) => name in document);
  const existing = await readThings(services, prune ? kinds : kinds.slice(0, last + 1));
  const portableThings = thingsByPortableName(existing);
  const problems: FieldProblem[] = [];
  const entries = new Map<string, Entry>();
  for (const [name, kind] of Object.entries(KINDS)) {
    for (const [identifier, fields] of Object.entries(document[name] ?? {})) {
      const path = `${name}.${identifier}`;
      const place = { name, kind, identifier, portableName: null };
      const absent = { ...place, subject: undefined, before: {}, values: {} };
      const thing = { ...(existing.get(path) ?? portableThings.get(path) ?? absent) };
      entries.set(path, thing);
      await collect(problems, path, () => (thing.values = targetValuesOf(thing, fields)));
    }
  }
  const subjects = new Set([...entries.values()].map(({ subject }) => subject));
  const unlisted = [...existing].filter(
    ([, { name, subject }]) => name in document && !subjects.has(subject),
  );
  const things = new Map([...existing, ...entries]);
  for (const [path] of prune ? unlisted : []) things.delete(path);
  refuse(problems);
  refuse(brokenReferences(things, entries, existing));
  const plan = planOf(entries, dryRun);
  const rehearsal = { ...services, db: withoutWrites(services.db) };
  for (const { thing, checked, run } of plan.steps) {
    await collect(problems, thing, () => run(context, rehearsal), checked);
  }
  refuse(problems);
  // What depends on others goes first.
  for (const [thing, { kind, subject }] of unlisted.toReversed()) {
    plan.unlisted.push(thing);
    if (prune) plan.steps.push(stepOf(thing, kind.removal, { subject, input: undefined }));
  }
  return plan;
}

function refuse(problems: FieldProblem[]): void {
  if (problems.length > 0) throw invalidFields(problems.slice(0, MAX_PROBLEMS));
}

/** Puts the path of a thing before the fields of its problems. */
async function collect(
  problems: FieldProblem[],
  path: string,
  work: () => unknown,
  checked: string[] = [],
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof RehearsalEnd) return;
    if (!(thrown instanceof QuarryError) || thrown.kind !== "invalid") throw thrown;
    for (const { field, problem } of thrown.fields) {
      if (!checked.includes(field)) problems.push({ field: `${path}.${field}`, problem });
    }
  }
}

const isVariable = (value: unknown) => isObject(value) && typeof value["env"] === "string";

/** The values of a thing as the document wants them. @throws QuarryError `invalid` */
function targetValuesOf({ kind, identifier, subject, before }: Entry, fields: Values): Values {
  const key = keyOf(kind, identifier);
  const maskVariable = (value: unknown) => (isVariable(value) ? true : value);
  const input = replaceSecret(kind, fields, maskVariable, before);
  const duplicate = Object.keys(key).find((name) => name in input);
  if (duplicate !== undefined) throw invalidField(duplicate, "is said by the key of the value");
  if (subject === undefined) return { ...input, ...key };
  const { fixed = [] } = kind;
  const fixedField = fixed.find((name) => name in input && input[name] !== before[name]);
  if (fixedField !== undefined) throw invalidField(fixedField, "cannot be changed");
  const names = Object.keys(input).filter((name) => !fixed.includes(name));
  const whole = kind.key === undefined ? {} : { ...before, ...key };
  const schema = schemaOf(kind.change, subject, input);
  const change = parseKnownOrRefuse(schema, { ...whole, ...pick(input, names) });
  return { ...before, ...pick(omitUndefined(Object(change)), names) };
}

type ChangeAction = Kind["change"];

function schemaOf({ body }: ChangeAction, subject: unknown, input: unknown) {
  const schema = typeof body === "function" ? body({ now: 0, subject, input }) : body;
  if (schema === undefined) throw new Error("the action has no body");
  return schema;
}

/** The fields that name things, each with one of them. */
const referencesOf = ({ references = {}, subjectOf }: Kind, values: Values) => [
  ...Object.entries(references).flatMap(([field, kind]) =>
    [values[field]].flat().flatMap((name) => {
      return typeof name === "string" ? [{ field, name: `${kind}.${name}` }] : [];
    }),
  ),
  ...(subjectOf?.(values) ?? []),
];

/**
 * References to things that are absent, and things to be removed that others need. An endpoint of
 * events may name a RAG that was removed before; a disabled one, such as of an archive, any.
 */
const brokenReferences = (things: Things, entries: Things, existing: Things): FieldProblem[] =>
  [...things].flatMap(([path, { kind, before, values, identifier }]) => {
    if (values["enabled"] === false) return [];
    const checked = before["enabled"] === false ? {} : before;
    const earlier = new Set(referencesOf(kind, checked).map(({ name }) => name));
    // The key of a limit names its subject; one that the document does not have goes with it.
    const all = entries.has(path) ? { ...values, ...keyOf(kind, identifier) } : values;
    return referencesOf(kind, all)
      .filter(({ name }) => !things.has(name) && (existing.has(name) || !earlier.has(name)))
      .map(({ field, name }) =>
        entries.has(path)
          ? { field: `${path}.${field}`, problem: `: there is no ${name}` }
          : { field: name, problem: `is in use by ${path}` },
      );
  });

function planOf(entries: Things, dryRun: boolean): Plan {
  const plan: Plan = { made: [], changed: [], unlisted: [], steps: [] };
  const isNew = (path: string) => entries.get(path)?.subject === undefined && entries.has(path);
  for (const [path, { kind, subject, before, values, identifier }] of entries) {
    // References to things that are made before it.
    const checked = referencesOf(kind, values).flatMap(({ field, name }) =>
      isNew(name) ? field : [],
    );
    if (subject === undefined) {
      const secret = dryRun ? (kind.secret?.(values) ?? []) : [];
      plan.made.push(path);
      const request = { subject, input: values };
      plan.steps.push(stepOf(path, kind.creation, request, [...checked, secret.join(".")]));
      continue;
    }
    const schemas = [kind.change.reference, schemaOf(kind.change, subject, values)];
    const fields = fieldChanges({ before, input: values, after: values, schemas });
    if (fields.length === 0) continue;
    const names = fields.map(({ field }) => field.split(".", 1)[0] ?? "");
    const whole = kind.key === undefined ? {} : { ...before, ...kind.key(identifier) };
    const request = { subject, input: { ...whole, ...pick(values, names) } };
    plan.changed.push({ thing: path, fields });
    plan.steps.push(stepOf(path, kind.change, request, checked));
  }
  return plan;
}

const stepOf = (
  thing: string,
  change: ChangeAction,
  request: { subject: unknown; input: unknown },
  checked: string[] = [],
): Step => ({
  thing,
  checked,
  run: async (context, rehearsal) => {
    // Each change has an entry of its own in the audit trail.
    if (rehearsal === undefined) context.set("audit", { action: change.name });
    return await perform(context, change, { ...request, status: statusOf(change), rehearsal });
  },
});

/** Makes the changes of a plan one by one; those before a failure stay. */
export async function applyPlan(context: ActionContext, { steps }: Plan): Promise<void> {
  for (const [count, { thing, run }] of steps.entries()) {
    try {
      await run(context);
    } catch (thrown) {
      if (!(thrown instanceof QuarryError)) throw thrown;
      const rest = `${count} of ${steps.length} changes are made; apply again to continue`;
      throw new QuarryError(thrown.kind, `${thing}: ${thrown.message} (${rest})`);
    }
  }
}
