import { dataOf, panelApi, type EvaluationRun } from "../api/clients.ts";

/** The part of the panel's API that evaluations need, with an automation key. */
export function evaluationApi(baseUrl: string, key: string) {
  const api = panelApi(baseUrl, key);
  // A run goes on while its service is started again: the command keeps waiting for it.
  const { repeating: fetch } = api;
  return {
    start: (id: string, setting: EvaluationRun["setting"]) =>
      dataOf(api.POST("/question-sets/{id}/runs", { params: { path: { id } }, body: { setting } })),
    run: (id: string, run: string) =>
      dataOf(api.GET("/question-sets/{id}/runs/{run}", { params: { path: { id, run } }, fetch })),
    pageOf: (set: string, id: string) => `${baseUrl}/panel/evaluation/${set}/runs/${id}`,
    compare: (id: string, run: string, other: string) => {
      const params = { path: { id, run }, query: { with: other } };
      return dataOf(api.GET("/question-sets/{id}/runs/{run}/comparison", { params, fetch }));
    },
  };
}

export type EvaluationApi = ReturnType<typeof evaluationApi>;
