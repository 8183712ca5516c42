import type { Hono } from "hono";
import { z } from "zod";

import { createInference } from "../../catalog/inferences/create-inference.ts";
import { findInference } from "../../catalog/inferences/find-inference.ts";
import { updateInference } from "../../catalog/inferences/update-inference.ts";
import { deleteInference, listInferenceRecords } from "../../db/catalog/inference-store.ts";
import type { PanelEnv } from "./request/panel-env.ts";
import {
  newPrompted,
  promptedPatch,
  resourceRoutes,
  shownPrompted,
} from "./request/prompted-resource.ts";

const nativeRag = z.boolean();

export const newInference = z.object({ ...newPrompted, nativeRag: nativeRag.default(true) });
export const inferencePatch = z.object({ ...promptedPatch, nativeRag }).partial();

export const inferenceRoutes = (): Hono<PanelEnv> =>
  resourceRoutes({
    newBody: newInference,
    patchBody: inferencePatch,
    shown: (inference) => ({ ...shownPrompted(inference), nativeRag: inference.nativeRag }),
    list: listInferenceRecords,
    find: (services, key) => findInference(services, { key }),
    create: createInference,
    update: (services, inference, patch) => updateInference(services, { inference, patch }),
    remove: (db, { id }) => deleteInference(db, id),
  });
