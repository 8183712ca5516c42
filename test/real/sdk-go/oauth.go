package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// anHourLater makes every access token one that has ended for the client, which refreshes it then.
type anHourLater struct{ refreshes atomic.Int32 }

func (later *anHourLater) RoundTrip(request *http.Request) (*http.Response, error) {
	var form string
	if request.Body != nil && request.Method == http.MethodPost {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		form = string(body)
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || !strings.Contains(form, "grant_type=") {
		return response, err
	}
	if strings.Contains(form, "grant_type=refresh_token") && response.StatusCode == http.StatusOK {
		later.refreshes.Add(1)
	}
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if _, hasTokens := answer["access_token"]; hasTokens {
		answer["expires_in"] = 1
	}
	text, err := json.Marshal(answer)
	response.Body = io.NopCloser(bytes.NewReader(text))
	response.ContentLength = int64(len(text))
	return response, err
}

// visit has a person allow the program; the helper's browser tells where it was led to.
func visit(ctx context.Context, address string) (url.Values, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, os.Getenv("BROWSER_URL")+"/visit?to="+url.QueryEscape(address), nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%d %s", response.StatusCode, text)
	}
	return url.ParseQuery(string(text))
}

type program struct {
	handler  *auth.AuthorizationCodeHandler
	clientID string
	visits   int
}

func newProgram(client *http.Client) (*program, error) {
	made := &program{}
	redirect := os.Getenv("BROWSER_URL") + "/callback"
	var err error
	made.handler, err = auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName:              "Go program",
				RedirectURIs:            []string{redirect},
				GrantTypes:              []string{"authorization_code", "refresh_token"},
				TokenEndpointAuthMethod: "none",
			},
		},
		RedirectURL:         redirect,
		RequestRefreshToken: true,
		Client:              client,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			made.visits++
			address, err := url.Parse(args.URL)
			if err != nil {
				return nil, err
			}
			made.clientID = address.Query().Get("client_id")
			answer, err := visit(ctx, args.URL)
			if err != nil {
				return nil, err
			}
			return &auth.AuthorizationResult{Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss")}, nil
		},
	})
	return made, err
}

func listTools(ctx context.Context, session *mcp.ClientSession) error {
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	return unless(len(list.Tools) > 0, list)
}

func checkOauth(ctx context.Context, service string) {
	later := &anHourLater{}
	client := &http.Client{Transport: later}
	made, err := newProgram(client)
	if err != nil {
		check("OAuth: a handler", func() error { return err })
		return
	}
	transport := &mcp.StreamableClientTransport{Endpoint: service + "/mcp", HTTPClient: client, OAuthHandler: made.handler}
	var session *mcp.ClientSession
	check("OAuth: it discovers, registers, is allowed and connects", func() error {
		session, err = mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil).Connect(ctx, transport, nil)
		if err != nil {
			return err
		}
		return listTools(ctx, session)
	})
	if session == nil {
		return
	}
	defer session.Close()
	check("OAuth: an hour later it refreshes, and nobody is asked again", func() error {
		for range 3 {
			if err := listTools(ctx, session); err != nil {
				return err
			}
		}
		return unless(later.refreshes.Load() > 2 && made.visits == 1, fmt.Sprint(later.refreshes.Load(), made.visits))
	})
	check("OAuth: restarted, it goes on with its refresh token", func() error {
		source, err := made.handler.TokenSource(ctx)
		if err != nil {
			return err
		}
		token, err := source.Token()
		if err != nil {
			return err
		}
		return restarted(ctx, service, made.clientID, token.RefreshToken)
	})
}

// restarted knows what a program stores: its client id and its refresh token.
func restarted(ctx context.Context, service, clientID, refreshToken string) error {
	metadata, err := auth.GetAuthServerMetadata(ctx, service, http.DefaultClient)
	if err != nil {
		return err
	}
	config := &oauth2.Config{
		ClientID: clientID,
		Endpoint: oauth2.Endpoint{TokenURL: metadata.TokenEndpoint, AuthStyle: oauth2.AuthStyleInParams},
	}
	source := config.TokenSource(ctx, &oauth2.Token{RefreshToken: refreshToken})
	transport := &mcp.StreamableClientTransport{Endpoint: service + "/mcp", HTTPClient: oauth2.NewClient(ctx, source)}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	return listTools(ctx, session)
}
