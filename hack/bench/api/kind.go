package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// requestTimeout limits every request except watches.
const requestTimeout = time.Minute

// kind is one of the two kinds of objects, with its measurements: times in seconds, memory in bytes.
type kind struct {
	name   string
	host   string // URL of the kube-apiserver
	url    string // of the collection
	client *http.Client
	body   func(name string) ([]byte, error)
	server int   // the process of both API servers
	all    []int // the process of both API servers, and etcd

	size                 int    // of one stored object as JSON
	watched              *watch // of creations; nil without a watch
	verbs                map[string]*done
	events, lists, pages stats.Sample
	listsCPU, pagesCPU   stats.Sample // processor time in seconds of etcd and both API servers
	memory               stats.Sample
}

// done returns the measurements of a verb.
func (k *kind) done(v verb) *done {
	if k.verbs[v.name] == nil {
		k.verbs[v.name] = &done{}
	}
	return k.verbs[v.name]
}

// bothKinds sends requests through the kube-apiserver, as users do. The ConfigMap is as large as a stored Shoot.
func bothKinds(ctx context.Context, garden *gardenapitest.Garden) (shoots, configMaps *kind, err error) {
	client, err := rest.HTTPClientFor(garden.Config)
	if err != nil {
		return nil, nil, err
	}
	shoots = &kind{
		name: "Shoot", host: garden.Config.Host, client: client, body: shoot, server: garden.PID(testenv.APIServer), verbs: map[string]*done{},
		url: garden.Config.Host + "/apis/core.gardener.cloud/v1beta1/namespaces/" + namespace + "/shoots",
	}
	configMaps = &kind{
		name: "ConfigMap", host: garden.Config.Host, client: client, server: garden.PID(testenv.APIServer), verbs: map[string]*done{},
		url: garden.Config.Host + "/api/v1/namespaces/" + namespace + "/configmaps",
	}
	shoots.all = []int{shoots.server, garden.PID(testenv.Etcd)}
	configMaps.all = shoots.all
	if shoots.size, err = shoots.measure(ctx); err != nil {
		return nil, nil, err
	}
	configMaps.body = func(name string) ([]byte, error) { return configMap(name, 1) }
	empty, err := configMaps.measure(ctx)
	if err != nil {
		return nil, nil, err
	}
	configMaps.body = func(name string) ([]byte, error) { return configMap(name, max(1, shoots.size-empty)) }
	configMaps.size, err = configMaps.measure(ctx)
	return shoots, configMaps, err
}

// measure returns the size of a stored object, by a dry run that stores nothing.
func (k *kind) measure(ctx context.Context) (int, error) {
	body, err := k.body("size")
	if err != nil {
		return 0, err
	}
	answer, err := k.do(ctx, http.MethodPost, "?dryRun=All", "application/json", body)
	return len(answer), err
}

// do sends a request and reads the whole response. It does not decode the response, since it measures the server and
// not a client.
func (k *kind) do(ctx context.Context, method, suffix, contentType string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, k.url+suffix, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := k.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %s: %.500s", method, k.url+suffix, response.Status, answer)
	}
	return answer, err
}

// listed contains the fields of a list response that are needed.
type listed struct {
	Metadata struct {
		Continue        string `json:"continue"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`
}
