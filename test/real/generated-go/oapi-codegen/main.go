// Calls operations by the clients of oapi-codegen.
package main

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"reflect"

	"quarry.example/real/calls"
	panel "quarry.example/real/oapi-codegen/panel"
	public "quarry.example/real/oapi-codegen/public"
)

// typed gives the answer of status 200, which each response type has in a field JSON200.
func typed(response any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	value := reflect.ValueOf(response).Elem()
	answered := value.FieldByName("HTTPResponse").Interface().(*http.Response)
	if answered.StatusCode >= http.StatusBadRequest {
		return nil, &calls.Failure{Status: answered.StatusCode, Body: string(value.FieldByName("Body").Bytes())}
	}
	return value.FieldByName("JSON200").Interface(), nil
}

func with(credential string) func(context.Context, *http.Request) error {
	return func(_ context.Context, request *http.Request) error {
		calls.Authorize(request, credential)
		return nil
	}
}

func main() {
	ctx := context.Background()
	client, err := public.NewClientWithResponses(calls.URL, public.WithRequestEditorFn(with(calls.Token)))
	if err != nil {
		panic(err)
	}
	calls.Call("listRags", func() (any, error) { return typed(client.ListRagsWithResponse(ctx)) })
	calls.Call("getRag", func() (any, error) { return typed(client.GetRagWithResponse(ctx, "docs")) })
	calls.Call("getRag none", func() (any, error) { return typed(client.GetRagWithResponse(ctx, "none")) })
	calls.Call("listRagFiles", func() (any, error) {
		return typed(client.ListRagFilesWithResponse(ctx, "docs", &public.ListRagFilesParams{Page: 1}))
	})
	topK, sources := public.TopK(2), public.IncludeSources(true)
	search := public.RagRetrieveRequest{SemanticSearch: calls.Queries, TopK: &topK, IncludeSources: &sources}
	calls.Call("retrieveFromRag", func() (any, error) { return typed(client.RetrieveFromRagWithResponse(ctx, "docs", search)) })
	calls.Call("retrieveFromRag by score", func() (any, error) {
		response, err := client.RetrieveFromRagWithResponse(ctx, "docs", search)
		if err != nil {
			return nil, err
		}
		search.SimilarityThreshold = &response.JSON200.Chunks[0].Score
		return typed(client.RetrieveFromRagWithResponse(ctx, "docs", search))
	})
	scope := public.Scope{Type: "path", Value: "notes/"}
	calls.Call("addRagScope", func() (any, error) { return typed(client.AddRagScopeWithResponse(ctx, "docs", scope)) })
	calls.Call("removeRagScope", func() (any, error) { return typed(client.RemoveRagScopeWithResponse(ctx, "docs", scope)) })
	calls.Call("listInferences", func() (any, error) { return typed(client.ListInferencesWithResponse(ctx)) })
	calls.Call("runInference", func() (any, error) {
		request := public.InferenceRunRequest{Prompt: "How many days?", SemanticSearch: &calls.Queries}
		return typed(client.RunInferenceWithResponse(ctx, "answering", request))
	})
	calls.Call("retrieveForInference", func() (any, error) {
		request := public.InferenceRetrieveRequest{SemanticSearch: &calls.Queries}
		return typed(client.RetrieveForInferenceWithResponse(ctx, "answering", request))
	})
	calls.Call("listInferenceFiles", func() (any, error) {
		return typed(client.ListInferenceFilesWithResponse(ctx, "answering", &public.ListInferenceFilesParams{Page: 1}))
	})
	calls.Call("getFileStatus", func() (any, error) {
		params := &public.GetFileStatusParams{File: "leave.md"}
		return typed(client.GetFileStatusWithResponse(ctx, "answering", "docs", params))
	})
	callPanel(ctx)
}

func callPanel(ctx context.Context) {
	client, err := panel.NewClientWithResponses(calls.URL+"/panel/api", panel.WithRequestEditorFn(with(calls.Key)))
	if err != nil {
		panic(err)
	}
	page := int32(1)
	calls.Call("postFileSourcesIdFiles", func() (any, error) {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for _, name := range []string{"one.md", "two.md"} {
			part, _ := form.CreateFormFile("file", name)
			_, _ = io.Copy(part, calls.File(name))
		}
		form.Close()
		return typed(client.PostFileSourcesIdFilesWithBodyWithResponse(ctx, "uploads", form.FormDataContentType(), &body))
	})
	calls.Call("getFileSources", func() (any, error) {
		return typed(client.GetFileSourcesWithResponse(ctx, &panel.GetFileSourcesParams{Page: &page}))
	})
	calls.Call("getQuestionSets", func() (any, error) {
		return typed(client.GetQuestionSetsWithResponse(ctx, &panel.GetQuestionSetsParams{Page: &page}))
	})
	for operation, format := range map[string]panel.GetQuestionSetsIdExportParamsFormat{"export as NDJSON": "jsonl", "export as CSV": "csv"} {
		calls.Call(operation, func() (string, error) {
			response, err := client.GetQuestionSetsIdExportWithResponse(ctx, "asked", &panel.GetQuestionSetsIdExportParams{Format: &format})
			if err != nil {
				return "", err
			}
			return string(response.Body), nil
		})
	}
	calls.Call("getArchive", func() (string, error) {
		rags := "docs"
		response, err := client.GetArchiveWithResponse(ctx, &panel.GetArchiveParams{Rags: &rags})
		if err != nil {
			return "", err
		}
		return string(response.Body[:2]), nil
	})
}
