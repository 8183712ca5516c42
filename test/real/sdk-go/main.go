// Calls /v1 and /mcp by the Go SDKs; prints a line for each thing that it tried.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const model = "inference/answering"

func check(title string, attempt func() error) {
	if err := attempt(); err != nil {
		fmt.Printf("failed %s: %v\n", title, err)
		return
	}
	fmt.Printf("ok %s\n", title)
}

func unless(isRight bool, value any) error {
	if isRight {
		return nil
	}
	return fmt.Errorf("got %v", value)
}

func question(name string) openai.ChatCompletionNewParams {
	message := openai.UserMessage("How many days of leave are there?")
	return openai.ChatCompletionNewParams{
		Model:    name,
		Messages: []openai.ChatCompletionMessageParamUnion{message},
	}
}

func refused(status int, err error) error {
	var failure *openai.Error
	if !errors.As(err, &failure) {
		return fmt.Errorf("no error of the API: %v", err)
	}
	return unless(failure.StatusCode == status && failure.Message != "", failure)
}

func checkOpenai(ctx context.Context, url, token string) {
	options := []option.RequestOption{option.WithBaseURL(url + "/v1"), option.WithMaxRetries(0)}
	client := openai.NewClient(append(options, option.WithAPIKey(token))...)
	check("models are listed", func() error {
		page, err := client.Models.List(ctx)
		if err != nil {
			return err
		}
		isListed := func(listed openai.Model) bool { return listed.ID == model }
		return unless(slices.ContainsFunc(page.Data, isListed), page.Data)
	})
	check("a chat is answered, with usage", func() error {
		answer, err := client.Chat.Completions.New(ctx, question(model))
		if err != nil {
			return err
		}
		hasText := answer.Choices[0].Message.Content != ""
		return unless(hasText && answer.Usage.TotalTokens > 0, answer)
	})
	check("a chat is streamed, usage last", func() error {
		params := question(model)
		params.StreamOptions.IncludeUsage = openai.Bool(true)
		stream := client.Chat.Completions.NewStreaming(ctx, params)
		whole := openai.ChatCompletionAccumulator{}
		for stream.Next() {
			whole.AddChunk(stream.Current())
		}
		if stream.Err() != nil {
			return stream.Err()
		}
		hasText := whole.Choices[0].Message.Content != ""
		return unless(hasText && whole.Usage.TotalTokens > 0, whole)
	})
	check("an unknown model is 404", func() error {
		_, err := client.Chat.Completions.New(ctx, question("inference/none"))
		return refused(http.StatusNotFound, err)
	})
	check("a wrong key is 401", func() error {
		wrong := openai.NewClient(append(options, option.WithAPIKey("wrong"))...)
		_, err := wrong.Models.List(ctx)
		return refused(http.StatusUnauthorized, err)
	})
}

type withToken struct{ token string }

func (transport withToken) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+transport.token)
	return http.DefaultTransport.RoundTrip(request)
}

func checkMcp(ctx context.Context, url, token string) {
	client := mcp.NewClient(&mcp.Implementation{Name: "quarry-real", Version: "1"}, nil)
	connect := func(token string) (*mcp.ClientSession, error) {
		httpClient := &http.Client{Transport: withToken{token}}
		transport := &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: httpClient}
		return client.Connect(ctx, transport, nil)
	}
	session, err := connect(token)
	check("it connects", func() error { return err })
	if err != nil {
		return
	}
	defer session.Close()
	check("tools are listed", func() error {
		list, err := session.ListTools(ctx, nil)
		if err != nil {
			return err
		}
		isSearch := func(tool *mcp.Tool) bool { return tool.Name == "search" }
		return unless(slices.ContainsFunc(list.Tools, isSearch), len(list.Tools))
	})
	check("a search finds a passage", func() error {
		arguments := map[string]any{"query": "days of leave"}
		answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "search", Arguments: arguments})
		if err != nil {
			return err
		}
		return unless(!answer.IsError && answer.StructuredContent != nil, answer)
	})
	check("wrong arguments are an error of the tool", func() error {
		arguments := map[string]any{}
		answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "search", Arguments: arguments})
		if err != nil {
			return err
		}
		return unless(answer.IsError, answer)
	})
	check("an unknown tool is an error of the call", func() error {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "none"})
		return unless(err != nil, "an answer")
	})
	check("a wrong token does not connect", func() error {
		_, err := connect("wrong")
		return unless(err != nil, "a session")
	})
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	url, token := os.Getenv("QUARRY_URL"), os.Getenv("QUARRY_TOKEN")
	checkOpenai(ctx, url, token)
	checkMcp(ctx, url, token)
	checkOauth(ctx, url)
}
