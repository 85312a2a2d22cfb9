// Package azure opens containers of Azure Blob Storage as buckets, with the key of a storage account. What was uploaded of an object that was
// never complete is removed by the store after a week.
package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

const (
	// attempts after the first one of a request that fails for reasons that may pass, with pauses that double.
	attempts   = 4
	firstPause = 200 * time.Millisecond
	// answerTime bounds the wait for the beginning of an answer.
	answerTime = time.Minute
)

// Open opens a container. It does not reach it before the first use. It reads the key again before each request, so that a rotation needs
// no restart. Another account does.
func Open(ctx context.Context, name string, secret secretfiles.Source) (*blob.Bucket, error) {
	now, err := ReadCredentials(secret)
	if err != nil {
		return nil, err
	}
	shared, err := azblob.NewSharedKeyCredential(now.Account, now.Key)
	if err != nil {
		return nil, errKey // the error of the library may repeat a part of the key
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = answerTime
	transport.DisableCompression = true // snapshots are stored as they are
	client, err := container.NewClientWithSharedKeyCredential(now.base.JoinPath(name).String(), shared, &container.ClientOptions{ClientOptions: azcore.ClientOptions{
		PerCallPolicies: []policy.Policy{rotation{shared, secret}},
		Retry:           policy.RetryOptions{MaxRetries: attempts, RetryDelay: firstPause},
		Telemetry:       policy.TelemetryOptions{Disabled: true},
		Transport: &http.Client{
			Transport: transport,
			// A signature is for one host only.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}})
	if err != nil {
		return nil, err
	}
	return azureblob.OpenBucket(ctx, client, nil)
}

// rotation signs requests with the present key.
type rotation struct {
	shared *azblob.SharedKeyCredential
	secret secretfiles.Source
}

// Do implements policy.Policy.
func (r rotation) Do(request *policy.Request) (*http.Response, error) {
	now, err := ReadCredentials(r.secret)
	if err != nil {
		return nil, err
	}
	if is := r.shared.AccountName(); now.Account != is {
		return nil, fmt.Errorf("the Secret of the store has account %q now, and the store was opened with %q: restart the process", now.Account, is)
	}
	if r.shared.SetAccountKey(now.Key) != nil {
		return nil, errKey
	}
	response, err := request.Next()
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		return nil, refusal(response)
	}
	return response, err
}

// refused is an answer of the store in one line. That of the library has the whole request and answer.
type refused struct{ answer *azcore.ResponseError }

func (r refused) Error() string {
	return fmt.Sprintf("the object store answers %d %s", r.answer.StatusCode, r.answer.ErrorCode)
}

// Unwrap lets others see the code.
func (r refused) Unwrap() error { return r.answer }

func refusal(response *http.Response) error {
	err := runtime.NewResponseError(response)
	if answer, is := errors.AsType[*azcore.ResponseError](err); is {
		return refused{answer}
	}
	return err
}
