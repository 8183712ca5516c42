import { z } from "@hono/zod-openapi";

import {
  inferencePatch,
  newInference,
  storedInference,
} from "../../catalog/inferences/inference-settings.ts";
import { createInference } from "../../catalog/inferences/create-inference.ts";
import { findInference } from "../../catalog/inferences/find-inference.ts";
import { updateInference } from "../../catalog/inferences/update-inference.ts";
import { deleteInference, listInferenceRecords } from "../../db/catalog/runner-store.ts";
import { promptedOf, resourceRoutes, shownPrompted } from "./request/prompted-resource.ts";

export const inferenceRoutes = () =>
  resourceRoutes({
    path: "/inferences",
    one: "inference",
    newBody: newInference,
    patchBody: inferencePatch,
    answer: z.object({ ...storedInference.shape, ...shownPrompted }).openapi("PanelInference"),
    shown: promptedOf,
    list: listInferenceRecords,
    find: (services, key) => findInference(services, { key }),
    create: createInference,
    update: (services, inference, patch) => updateInference(services, { inference, patch }),
    remove: (db, { id }) => deleteInference(db, id),
  });
