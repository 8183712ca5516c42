"""Calls operations by the clients of openapi-python-client."""

import os
from io import BytesIO

from calls import FILES, KEY, QUERIES, TOKEN, URL, Failure, call
from panel_client import AuthenticatedClient as PanelClient
from panel_client.api.evaluation import get_question_sets, get_question_sets_id_export
from panel_client.api.service import get_archive
from panel_client.api.sources import get_file_sources, post_file_sources_id_files
from panel_client.models import GetQuestionSetsIdExportFormat as Format
from panel_client.models import PostFileSourcesIdFilesBody
from panel_client.types import File
from public_client import AuthenticatedClient
from public_client.api.inferences import (
    get_file_status,
    list_inference_files,
    list_inferences,
    retrieve_for_inference,
    run_inference,
)
from public_client.api.ra_gs import (
    add_rag_scope,
    get_rag,
    list_rag_files,
    list_rags,
    remove_rag_scope,
    retrieve_from_rag,
)
from public_client.models import (
    InferenceRetrieveRequest,
    InferenceRunRequest,
    RagRetrieveRequest,
    Scope,
    ScopeType,
)


def typed(operation, *args, client, **fields):
    def wrapped():
        response = operation.sync_detailed(*args, client=client, **fields)
        if response.status_code >= 400:
            raise Failure(response.status_code, response.content.decode())
        return response.parsed

    return wrapped


public = AuthenticatedClient(URL, TOKEN)
search = RagRetrieveRequest(QUERIES, top_k=2, include_sources=True)
scope = Scope(ScopeType.PATH, "notes/")


def by_score():
    score = retrieve_from_rag.sync("docs", client=public, body=search).chunks[0].score
    body = RagRetrieveRequest(QUERIES, similarity_threshold=score)
    return retrieve_from_rag.sync("docs", client=public, body=body)


run = InferenceRunRequest("How many days?", semantic_search=QUERIES)
retrieval = InferenceRetrieveRequest(semantic_search=QUERIES)
call("listRags", typed(list_rags, client=public))
call("getRag", typed(get_rag, "docs", client=public))
call("getRag none", typed(get_rag, "none", client=public))
call("listRagFiles", typed(list_rag_files, "docs", client=public, page=1))
call("retrieveFromRag", typed(retrieve_from_rag, "docs", client=public, body=search))
call("retrieveFromRag by score", by_score)
call("addRagScope", typed(add_rag_scope, "docs", client=public, body=scope))
call("removeRagScope", typed(remove_rag_scope, "docs", client=public, body=scope))
call("listInferences", typed(list_inferences, client=public))
call("runInference", typed(run_inference, "answering", client=public, body=run))
call("retrieveForInference", typed(retrieve_for_inference, "answering", client=public, body=retrieval))
call("listInferenceFiles", typed(list_inference_files, "answering", client=public, page=1))
call("getFileStatus", typed(get_file_status, "answering", "docs", client=public, file="leave.md"))


def file(name):
    with open(os.path.join(FILES, name), "rb") as opened:
        return File(BytesIO(opened.read()), name, "text/markdown")


panel = PanelClient(f"{URL}/panel/api", KEY)
body = PostFileSourcesIdFilesBody([file("one.md"), file("two.md")])
call("postFileSourcesIdFiles", typed(post_file_sources_id_files, "uploads", client=panel, body=body))
call("getFileSources", typed(get_file_sources, client=panel, page=1))
call("getQuestionSets", typed(get_question_sets, client=panel, page=1))



def text_of(operation, *args, **fields):
    return lambda: typed(operation, *args, client=panel, **fields)().payload.read().decode()


export = get_question_sets_id_export
call("export as NDJSON", text_of(export, "asked", format_=Format.JSONL))
call("export as CSV", text_of(export, "asked", format_=Format.CSV))
call("getArchive", lambda: typed(get_archive, client=panel, rags="docs")().payload.read(2).decode())
