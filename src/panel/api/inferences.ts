import { z } from "@hono/zod-openapi";

import { createInference } from "../../catalog/inferences/create-inference.ts";
import { findInference } from "../../catalog/inferences/find-inference.ts";
import { updateInference } from "../../catalog/inferences/update-inference.ts";
import { deleteInference, listInferenceRecords } from "../../db/catalog/inference-store.ts";
import {
  newPrompted,
  promptedOf,
  promptedPatch,
  resourceRoutes,
  shownPrompted,
} from "./request/prompted-resource.ts";

const nativeRag = z.boolean();

export const newInference = z.object({ ...newPrompted, nativeRag: nativeRag.default(true) });
export const inferencePatch = z.object({ ...promptedPatch, nativeRag }).partial();

export const inferenceRoutes = () =>
  resourceRoutes({
    path: "/inferences",
    one: "inference",
    newBody: newInference,
    patchBody: inferencePatch,
    answer: z.object({ ...shownPrompted, nativeRag: z.boolean() }).openapi("PanelInference"),
    shown: promptedOf,
    list: listInferenceRecords,
    find: (services, key) => findInference(services, { key }),
    create: createInference,
    update: (services, inference, patch) => updateInference(services, { inference, patch }),
    remove: (db, { id }) => deleteInference(db, id),
  });
