import { findAgent, findInference } from "../../../catalog/inferences/runner-verbs.ts";
import { findRag } from "../../../catalog/rags/find-rag.ts";
import { choicesByKind, type Choice } from "../../../db/catalog/panel-lists.ts";
import type { RagRecord } from "../../../db/records.ts";
import type { Services } from "../../../services.ts";
import type { Model } from "../answers/model-list.tsx";

/** What can be asked: a RAG finds passages, the others answer from them. */
export type Target = { kind: "rag"; record: RagRecord } | Model;

export type TargetKind = Target["kind"];

/** A target in a form and in an address: `inference:ask`. */
export const targetKey = (kind: TargetKind, identifier: string) => `${kind}:${identifier}`;

export const keyOf = ({ kind, record }: Target) => targetKey(kind, record.identifier);

export const ragsOf = ({ kind, record }: Target) => (kind === "rag" ? [record] : record.rags);

/** Whether it searches before its model answers. */
export const searchesFirst = (target: Target) =>
  target.kind === "rag" ||
  (target.kind === "inference" && target.record.nativeRag && target.record.rags.length > 0);

/** @throws QuarryError `not-found` */
export async function findTarget(services: Services, named: string): Promise<Target> {
  const [kind = "", key = ""] = named.split(":", 2);
  if (kind === "inference") return { kind, record: await findInference(services, { key }) };
  if (kind === "agent") return { kind, record: await findAgent(services, { key }) };
  return { kind: "rag", record: await findRag(services, { key }) };
}

export type Choices = { label: string; kind: TargetKind; choices: Choice[] }[];

export async function targetChoices({ db }: Pick<Services, "db">): Promise<Choices> {
  const { rag, inference, agent } = await choicesByKind(db);
  return [
    { label: "Search a RAG", kind: "rag", choices: rag },
    { label: "Ask an inference", kind: "inference", choices: inference },
    { label: "Ask an agent", kind: "agent", choices: agent },
  ];
}
