// Calls operations by the clients of ogen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	ht "github.com/ogen-go/ogen/http"
	"github.com/ogen-go/ogen/ogenerrors"
	"quarry.example/real/calls"
	panel "quarry.example/real/ogen/panel"
	public "quarry.example/real/ogen/public"
)

var statuses = map[string]int{"NotFound": http.StatusNotFound, "UnprocessableEntity": http.StatusUnprocessableEntity}

// typed gives the answer without its headers; the type of a failure has the words of its status.
func typed(answer any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	value := reflect.ValueOf(answer).Elem()
	body := answer
	if field := value.FieldByName("Response"); field.IsValid() {
		body = field.Addr().Interface()
	}
	for words, status := range statuses {
		if strings.HasSuffix(value.Type().Name(), words) {
			text, _ := json.Marshal(body)
			return nil, &calls.Failure{Status: status, Body: string(text)}
		}
	}
	return body, nil
}

type credentials struct{}

func (credentials) Bearer(context.Context, public.OperationName) (public.Bearer, error) {
	return public.Bearer{Token: calls.Token}, nil
}

func (credentials) AutomationKey(context.Context, panel.OperationName) (panel.AutomationKey, error) {
	return panel.AutomationKey{Token: calls.Key}, nil
}

func (credentials) Session(context.Context, panel.OperationName) (panel.Session, error) {
	return panel.Session{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	ctx := context.Background()
	client, err := public.NewClient(calls.URL, credentials{})
	if err != nil {
		panic(err)
	}
	calls.Call("listRags", func() (any, error) { return typed(client.ListRags(ctx)) })
	for operation, name := range map[string]string{"getRag": "docs", "getRag none": "none"} {
		calls.Call(operation, func() (any, error) { return typed(client.GetRag(ctx, public.GetRagParams{Identifier: name})) })
	}
	calls.Call("listRagFiles", func() (any, error) {
		return typed(client.ListRagFiles(ctx, public.ListRagFilesParams{Identifier: "docs", Page: 1}))
	})
	search := &public.RagRetrieveRequest{
		SemanticSearch: calls.Queries,
		TopK:           public.NewOptTopK(2),
		IncludeSources: public.NewOptIncludeSources(true),
	}
	params := public.RetrieveFromRagParams{Identifier: "docs"}
	calls.Call("retrieveFromRag", func() (any, error) { return typed(client.RetrieveFromRag(ctx, search, params)) })
	calls.Call("retrieveFromRag by score", func() (any, error) {
		answer, err := typed(client.RetrieveFromRag(ctx, search, params))
		if err != nil {
			return nil, err
		}
		score := answer.(*public.RagRetrieveResponse).Chunks[0].Score
		search.SimilarityThreshold = public.NewOptFloat64(score)
		return typed(client.RetrieveFromRag(ctx, search, params))
	})
	scope := &public.Scope{Type: "path", Value: "notes/"}
	calls.Call("addRagScope", func() (any, error) {
		return typed(client.AddRagScope(ctx, scope, public.AddRagScopeParams{Identifier: "docs"}))
	})
	calls.Call("removeRagScope", func() (any, error) {
		return typed(client.RemoveRagScope(ctx, scope, public.RemoveRagScopeParams{Identifier: "docs"}))
	})
	calls.Call("listInferences", func() (any, error) { return typed(client.ListInferences(ctx)) })
	calls.Call("runInference", func() (any, error) {
		request := &public.InferenceRunRequest{Prompt: "How many days?", SemanticSearch: calls.Queries}
		return typed(client.RunInference(ctx, request, public.RunInferenceParams{Identifier: "answering"}))
	})
	calls.Call("retrieveForInference", func() (any, error) {
		request := public.NewOptInferenceRetrieveRequest(public.InferenceRetrieveRequest{SemanticSearch: calls.Queries})
		return typed(client.RetrieveForInference(ctx, request, public.RetrieveForInferenceParams{Identifier: "answering"}))
	})
	calls.Call("listInferenceFiles", func() (any, error) {
		return typed(client.ListInferenceFiles(ctx, public.ListInferenceFilesParams{Identifier: "answering", Page: 1}))
	})
	calls.Call("getFileStatus", func() (any, error) {
		file := public.GetFileStatusParams{Identifier: "answering", FileSourceIdentifier: "docs", File: "leave.md"}
		return typed(client.GetFileStatus(ctx, file))
	})
	callPanel(ctx)
}

func callPanel(ctx context.Context) {
	client, err := panel.NewClient(calls.URL+"/panel/api", credentials{})
	if err != nil {
		panic(err)
	}
	calls.Call("postFileSourcesIdFiles", func() (any, error) {
		request := &panel.PostFileSourcesIdFilesReq{}
		for _, name := range []string{"one.md", "two.md"} {
			request.File = append(request.File, ht.MultipartFile{Name: name, File: calls.File(name)})
		}
		return typed(client.PostFileSourcesIdFiles(ctx, request, panel.PostFileSourcesIdFilesParams{ID: "uploads"}))
	})
	calls.Call("getFileSources", func() (any, error) {
		return typed(client.GetFileSources(ctx, panel.GetFileSourcesParams{Page: panel.NewOptInt32(1)}))
	})
	calls.Call("getQuestionSets", func() (any, error) {
		return typed(client.GetQuestionSets(ctx, panel.GetQuestionSetsParams{Page: panel.NewOptInt32(1)}))
	})
	for operation, format := range map[string]panel.GetQuestionSetsIdExportFormat{"export as NDJSON": "jsonl", "export as CSV": "csv"} {
		calls.Call(operation, func() (string, error) {
			wanted := panel.NewOptGetQuestionSetsIdExportFormat(format)
			params := panel.GetQuestionSetsIdExportParams{ID: "asked", Format: wanted}
			return start(client.GetQuestionSetsIdExport(ctx, params))
		})
	}
	calls.Call("getArchive", func() (string, error) {
		answer, err := start(client.GetArchive(ctx, panel.GetArchiveParams{Rags: panel.NewOptString("docs")}))
		return answer[:min(2, len(answer))], err
	})
}

const longest = 10_000

func start(answer any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	body, isRead := answer.(io.Reader)
	if !isRead {
		return "", fmt.Errorf("no text: %T", answer)
	}
	return calls.Start(body, longest)
}
