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

// requestTimeout bounds one request but a watch.
const requestTimeout = time.Minute

// kind is one of the two kinds of objects with what was measured: times in seconds, memory in bytes.
type kind struct {
	name   string
	host   string // URL of the kube-apiserver
	url    string // of the collection
	client *http.Client
	body   func(name string) ([]byte, error)
	server int   // process of both API servers
	all    []int // that and etcd

	size                 int    // of one stored object as JSON
	watched              *watch // of creations; nil if nobody watches
	verbs                map[string]*done
	events, lists, pages stats.Sample
	listsCPU, pagesCPU   stats.Sample // processor time in seconds of etcd and both API servers
	memory               stats.Sample
}

// done is what was measured of a verb.
func (k *kind) done(v verb) *done {
	if k.verbs[v.name] == nil {
		k.verbs[v.name] = &done{}
	}
	return k.verbs[v.name]
}

// bothKinds are reached through the kube-apiserver as users reach them. The ConfigMap is made as large as a stored Shoot.
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

// measure returns the size of a stored object, by a dry run that leaves nothing behind.
func (k *kind) measure(ctx context.Context) (int, error) {
	body, err := k.body("size")
	if err != nil {
		return 0, err
	}
	answer, err := k.do(ctx, http.MethodPost, "?dryRun=All", "application/json", body)
	return len(answer), err
}

// do sends a request and reads the whole answer, which it does not decode: the server is measured, not a client.
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

// listed is what counts in an answer to a list.
type listed struct {
	Metadata struct {
		Continue        string `json:"continue"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`
}
