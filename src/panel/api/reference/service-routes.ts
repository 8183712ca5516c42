import { z } from "@hono/zod-openapi";

import { auditFilters } from "../audit.ts";
import { offeredModels } from "../models.ts";
import { usageQuery } from "../usage.ts";
import { described, listOf, paging, time } from "./described.ts";

const Event = z
  .object({
    id: z.string(),
    at: time,
    actor: z.object({
      kind: z.string(),
      id: z.string().nullable(),
      name: z.string().nullable(),
    }),
    action: z.string(),
    target: z.string().nullable(),
    fields: z.array(z.string()),
    status: z.int(),
    address: z.string(),
    requestId: z.string(),
    count: z.int(),
  })
  .openapi("AuditEvent");
const Usage = z
  .object({
    from: time,
    to: time,
    group: usageQuery.shape.group,
    data: z.array(
      z.object({
        key: z.string(),
        calls: z.int(),
        errors: z.int(),
        degraded: z.int(),
        inputTokens: z.int(),
        outputTokens: z.int(),
        cost: z.array(z.object({ amount: z.number(), currency: z.string() })),
        p50Ms: z.number().nullable(),
        p95Ms: z.number().nullable(),
        identifier: z.string().nullable(),
        name: z.string().nullable(),
      }),
    ),
  })
  .openapi("Usage");
const Overview = z
  .object({
    files: z
      .object({
        pending: z.int(),
        processing: z.int(),
        indexed: z.int(),
        error: z.int(),
        deleted: z.int(),
      })
      .optional(),
    failingFiles: z.array(z.record(z.string(), z.unknown())),
    failingSources: z.array(
      z.object({
        identifier: z.string(),
        name: z.string(),
        error: z.string().nullable(),
        since: time.nullable(),
      }),
    ),
    scansUnderWay: z.array(z.object({ identifier: z.string(), name: z.string(), startedAt: time })),
    oldestPendingSeconds: z.int().nullable(),
    queues: z.array(
      z.object({ queue: z.string(), waiting: z.int(), oldestSeconds: z.int().nullable() }),
    ),
    calls: z.object({
      hours: z.int(),
      total: z.int(),
      errors: z.int(),
      degraded: z.int(),
      errorRate: z.number(),
      degradedRate: z.number(),
    }),
    vectorIndex: z
      .object({
        indexes: z.int(),
        compared: z.int(),
        lastComparedAt: time.nullable(),
        vectorsChecked: z.int(),
        vectorsAddedAgain: z.int(),
        vectorsRemoved: z.int(),
        underWay: z.int(),
        underWaySince: time.nullable(),
      })
      .nullable(),
    secrets: z.object({ sealedByPreviousKey: z.int(), unreadable: z.int() }),
  })
  .openapi("Overview");

export const serviceReference = [
  described("service", "get", "/overview", {
    summary: "How the service stands",
    description: "Counts of files, what fails, scans, queues, calls of the last 24 hours.",
    answers: { 200: { schema: Overview } },
  }),
  described("service", "get", "/usage", {
    summary: "Calls, errors, tokens, cost and latency",
    description: "Without times the last 30 days; by the hour 31 days at most.",
    query: usageQuery,
    answers: { 200: { schema: Usage } },
  }),
  described("service", "get", "/models", {
    summary: "Models that are offered, with prices per million tokens",
    description: "Those that forms offer; any other may be named too.",
    answers: { 200: { schema: offeredModels } },
  }),
  described("service", "put", "/models", {
    summary: "Replace the offered models",
    description: "The whole list at once.",
    body: offeredModels,
    answers: { 200: { schema: offeredModels } },
  }),
  described("service", "get", "/audit", {
    summary: "Who did what in the last 90 days",
    description: "For administrators. `format=jsonl` answers all as JSON Lines.",
    query: paging.extend(auditFilters.shape),
    answers: { 200: listOf(Event) },
  }),
  described("service", "get", "/openapi.json", {
    summary: "This document",
    description: "For generators and readers.",
    answers: { 200: { schema: z.record(z.string(), z.unknown()) } },
  }),
];
