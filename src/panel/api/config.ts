import { z } from "@hono/zod-openapi";

import { readJson } from "../../http/middleware/json-body.ts";
import { applyPlan, planSettings } from "../config/plan.ts";
import { readSettings, settingsMaps, settingsSchema } from "../config/settings.ts";
import { Endpoints, schema } from "./request/endpoint.ts";

const MAX_BYTES = 16 * 1024 * 1024;
const flag = z.enum(["true", "false"]).default("false");
const anything = z.unknown().optional();
const fields = z.array(z.object({ field: z.string(), from: anything, to: anything }));
const Applied = schema("AppliedSettings", {
  made: z.array(z.string()),
  changed: z.array(z.object({ thing: z.string(), fields })),
  unlisted: z.array(z.string()).describe("What the document lacks and `prune` removes."),
});

export const configRoutes = new Endpoints("service")
  .json(
    "get /config",
    "Settings as one document. Maps by identifier; a secret is the name of a variable. For administrators.",
    { answer: settingsMaps, by: "admins" },
    ({ services }) => readSettings(services, true),
  )
  .json(
    "post /config",
    "Apply settings. Makes and changes what the document names; `prune` removes what it lacks, `dryRun` changes nothing. A wrong document is refused whole.",
    {
      name: "config.apply",
      bytes: ["application/json"],
      body: settingsMaps,
      query: z.object({ dryRun: flag, prune: flag }),
      answer: Applied,
      errors: [409, 422],
    },
    async ({ context, query }) => {
      const [dryRun, prune] = [query.dryRun === "true", query.prune === "true"];
      const input = await readJson(context.req.raw, MAX_BYTES);
      const plan = await planSettings(context, input, { dryRun, prune });
      context.set("audit", undefined);
      if (!dryRun) await applyPlan(context, plan);
      return plan;
    },
  )
  .json(
    "get /config.schema.json",
    "The JSON Schema of the settings. For editors.",
    { answer: z.record(z.string(), z.unknown()) },
    () => settingsSchema(),
  ).app;
