"""Calls operations by the clients of openapi-generator."""

import os

import panel_client
import public_client
from calls import FILES, KEY, QUERIES, TOKEN, URL, Failure, call


def client_of(package, host, token):
    return package.ApiClient(package.Configuration(host=host, access_token=token))


def typed(attempt):
    def wrapped():
        try:
            return attempt()
        except (public_client.ApiException, panel_client.ApiException) as failure:
            raise Failure(failure.status, failure.body) from failure

    return wrapped


public = client_of(public_client, URL, TOKEN)
rags = public_client.RAGsApi(public)
inferences = public_client.InferencesApi(public)
search = public_client.RagRetrieveRequest(semanticSearch=QUERIES, topK=2, includeSources=True)
scope = public_client.Scope(type="path", value="notes/")


def by_score():
    score = rags.retrieve_from_rag("docs", search).chunks[0].score
    return rags.retrieve_from_rag(
        "docs",
        public_client.RagRetrieveRequest(semanticSearch=QUERIES, similarityThreshold=score),
    )


run = public_client.InferenceRunRequest(prompt="How many days?", semanticSearch=QUERIES)
retrieval = public_client.InferenceRetrieveRequest(semanticSearch=QUERIES)
call("listRags", typed(rags.list_rags))
call("getRag", typed(lambda: rags.get_rag("docs")))
call("getRag none", typed(lambda: rags.get_rag("none")))
call("listRagFiles", typed(lambda: rags.list_rag_files("docs", page=1)))
call("retrieveFromRag", typed(lambda: rags.retrieve_from_rag("docs", search)))
call("retrieveFromRag by score", typed(by_score))
call("addRagScope", typed(lambda: rags.add_rag_scope("docs", scope)))
call("removeRagScope", typed(lambda: rags.remove_rag_scope("docs", scope)))
call("listInferences", typed(inferences.list_inferences))
call("runInference", typed(lambda: inferences.run_inference("answering", run)))
call("retrieveForInference", typed(lambda: inferences.retrieve_for_inference("answering", retrieval)))
call("listInferenceFiles", typed(lambda: inferences.list_inference_files("answering", page=1)))
call("getFileStatus", typed(lambda: inferences.get_file_status("answering", "docs", "leave.md")))

panel = client_of(panel_client, f"{URL}/panel/api", KEY)
sources = panel_client.SourcesApi(panel)
evaluation = panel_client.EvaluationApi(panel)
service = panel_client.ServiceApi(panel)
paths = [os.path.join(FILES, name) for name in ("one.md", "two.md")]
call("postFileSourcesIdFiles", typed(lambda: sources.post_file_sources_id_files("uploads", file=paths)))
call("getFileSources", typed(lambda: sources.get_file_sources(page=1)))
call("getQuestionSets", typed(lambda: evaluation.get_question_sets(page=1)))


def export(form):
    return typed(lambda: evaluation.get_question_sets_id_export("asked", format=form).decode())


call("export as NDJSON", export("jsonl"))
call("export as CSV", export("csv"))
call("getArchive", typed(lambda: service.get_archive(rags="docs")[:2].decode()))
