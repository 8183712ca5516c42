import { expect, test } from "vitest";

import { panelApi, panelDocument } from "../../../src/panel/api/app.ts";

const operations = () =>
  Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method, path })),
  );

const document = panelDocument("https://quarry.test");

test("the panel API's document has every route that there is, and no other", () => {
  const documentedRoutes = operations().map(({ method, path }) => `${method} ${path}`);
  const routes = panelApi()
    .routes.filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method.toLowerCase()} ${templateOf(path)}`);
  expect(documentedRoutes.toSorted()).toEqual([...new Set(routes)].toSorted());
});

test("every operation has a name of its own", () => {
  const names = Object.values(document.paths ?? {}).flatMap((methods) =>
    Object.values(methods).map((operation: { operationId: string }) => operation.operationId),
  );
  expect(new Set(names).size).toBe(names.length);
});

/** `/rags/:id/files/*` → `/rags/{id}/files/{path}` */
const templateOf = (path: string) =>
  path
    .replaceAll(/:(\w+)(?:\{\.\+\})?/g, "{$1}")
    .replace(/\*$/, "{path}")
    .replace(/(.)\/$/, "$1");
