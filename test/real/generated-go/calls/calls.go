// Package calls prints the typed answer of each operation as JSON.
package calls

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

var (
	URL     = os.Getenv("QUARRY_URL")
	Token   = os.Getenv("QUARRY_TOKEN")
	Key     = os.Getenv("QUARRY_KEY")
	Queries = []string{"days of leave"}
)

// Failure is an answer with a status of failure and its body.
type Failure struct {
	Status int
	Body   string
}

func (failure *Failure) Error() string {
	return fmt.Sprintf("failed %d %s", failure.Status, failure.Body)
}

// Call prints what an operation answers.
func Call[Answer any](operation string, attempt func() (Answer, error)) {
	answer, err := attempt()
	if failure, isFailure := any(err).(*Failure); isFailure {
		fmt.Printf("%s\t%s\n", operation, failure.Error())
		return
	}
	if err != nil {
		fmt.Printf("%s\tthrown %q\n", operation, err.Error())
		return
	}
	text, err := json.Marshal(answer)
	if err != nil {
		text = []byte("thrown " + err.Error())
	}
	fmt.Printf("%s\t%s\n", operation, text)
}

// File opens one of the files to upload.
func File(name string) *os.File {
	file, err := os.Open(filepath.Join(os.Getenv("QUARRY_FILES"), name))
	if err != nil {
		panic(err)
	}
	return file
}

// Start reads the first bytes of an answer.
func Start(body io.Reader, length int) (string, error) {
	text, err := io.ReadAll(io.LimitReader(body, int64(length)))
	return string(text), err
}

// Authorize adds a credential to a request.
func Authorize(request *http.Request, credential string) {
	request.Header.Set("Authorization", "Bearer "+credential)
}
