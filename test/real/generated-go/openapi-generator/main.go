// Calls operations by the clients of openapi-generator.
package main

import (
	"context"
	"io"
	"net/http"
	"os"

	"quarry.example/real/calls"
	panel "quarry.example/real/openapi-generator/panel"
	public "quarry.example/real/openapi-generator/public"
)

func typed[Answer any](answer Answer, response *http.Response, err error) (Answer, error) {
	if response != nil && response.StatusCode >= http.StatusBadRequest {
		body, _ := io.ReadAll(response.Body)
		return answer, &calls.Failure{Status: response.StatusCode, Body: string(body)}
	}
	return answer, err
}

func main() {
	ctx := context.Background()
	config := public.NewConfiguration()
	config.Servers = public.ServerConfigurations{{URL: calls.URL}}
	config.AddDefaultHeader("Authorization", "Bearer "+calls.Token)
	client := public.NewAPIClient(config)
	rags, inferences := client.RAGsAPI, client.InferencesAPI
	calls.Call("listRags", func() ([]public.RagItem, error) { return typed(rags.ListRags(ctx).Execute()) })
	for operation, name := range map[string]string{"getRag": "docs", "getRag none": "none"} {
		calls.Call(operation, func() (*public.RagDetail, error) { return typed(rags.GetRag(ctx, name).Execute()) })
	}
	calls.Call("listRagFiles", func() (*public.RagFilePage, error) {
		return typed(rags.ListRagFiles(ctx, "docs").Page(1).Execute())
	})
	search := public.NewRagRetrieveRequest(calls.Queries)
	search.SetTopK(2)
	search.SetIncludeSources(true)
	retrieve := func() (*public.RagRetrieveResponse, error) {
		return typed(rags.RetrieveFromRag(ctx, "docs").RagRetrieveRequest(*search).Execute())
	}
	calls.Call("retrieveFromRag", retrieve)
	calls.Call("retrieveFromRag by score", func() (*public.RagRetrieveResponse, error) {
		answer, err := retrieve()
		if err != nil {
			return nil, err
		}
		search.SetSimilarityThreshold(answer.Chunks[0].Score)
		return retrieve()
	})
	scope := *public.NewScope("path", "notes/")
	calls.Call("addRagScope", func() (*public.Done, error) { return typed(rags.AddRagScope(ctx, "docs").Scope(scope).Execute()) })
	calls.Call("removeRagScope", func() (*public.Done, error) {
		return typed(rags.RemoveRagScope(ctx, "docs").Scope(scope).Execute())
	})
	calls.Call("listInferences", func() ([]public.InferenceItem, error) {
		return typed(inferences.ListInferences(ctx).Execute())
	})
	calls.Call("runInference", func() (*public.InferenceRunResponse, error) {
		request := public.NewInferenceRunRequest("How many days?")
		request.SetSemanticSearch(calls.Queries)
		return typed(inferences.RunInference(ctx, "answering").InferenceRunRequest(*request).Execute())
	})
	calls.Call("retrieveForInference", func() (*public.InferenceRetrieveResponse, error) {
		request := public.NewInferenceRetrieveRequest()
		request.SetSemanticSearch(calls.Queries)
		return typed(inferences.RetrieveForInference(ctx, "answering").InferenceRetrieveRequest(*request).Execute())
	})
	calls.Call("listInferenceFiles", func() (*public.InferenceFilePage, error) {
		return typed(inferences.ListInferenceFiles(ctx, "answering").Page(1).Execute())
	})
	calls.Call("getFileStatus", func() (*public.FileState, error) {
		return typed(inferences.GetFileStatus(ctx, "answering", "docs").File("leave.md").Execute())
	})
	callPanel(ctx)
}

const longest = 10_000

func callPanel(ctx context.Context) {
	config := panel.NewConfiguration()
	config.Servers = panel.ServerConfigurations{{URL: calls.URL + "/panel/api"}}
	config.AddDefaultHeader("Authorization", "Bearer "+calls.Key)
	client := panel.NewAPIClient(config)
	calls.Call("postFileSourcesIdFiles", func() (*panel.BatchAnswer, error) {
		files := []*os.File{calls.File("one.md"), calls.File("two.md")}
		return typed(client.SourcesAPI.PostFileSourcesIdFiles(ctx, "uploads").File(files).Execute())
	})
	calls.Call("getFileSources", func() (*panel.GetFileSources200Response, error) {
		return typed(client.SourcesAPI.GetFileSources(ctx).Page(1).Execute())
	})
	calls.Call("getQuestionSets", func() (*panel.GetQuestionSets200Response, error) {
		return typed(client.EvaluationAPI.GetQuestionSets(ctx).Page(1).Execute())
	})
	for operation, format := range map[string]string{"export as NDJSON": "jsonl", "export as CSV": "csv"} {
		calls.Call(operation, func() (string, error) {
			file, err := typed(client.EvaluationAPI.GetQuestionSetsIdExport(ctx, "asked").Format(format).Execute())
			if err != nil {
				return "", err
			}
			return calls.Start(file, longest)
		})
	}
	calls.Call("getArchive", func() (string, error) {
		file, err := typed(client.ServiceAPI.GetArchive(ctx).Rags("docs").Execute())
		if err != nil {
			return "", err
		}
		return calls.Start(file, 2)
	})
}
