// Package decisions measures how long the seed authorizer takes for a decision, within this process: without network, TLS and JSON.
package decisions

import (
	"context"
	"fmt"
	"time"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedauthorizer"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// question is a request of a gardenlet, and whether it is allowed.
type question struct {
	seedauthorizer.Question
	allowed bool
}

// questions are about shoots of two seeds, and about a profile of all shoots, for a seed that has none: all ways from it are walked.
var questions = []question{
	{seedauthorizer.Question{Seed: "seed-7", Verb: "get", Resource: "secrets", Namespace: "garden-7", Name: "shoot-7-cloud"}, true},
	{seedauthorizer.Question{Seed: "seed-7", Verb: "patch", Group: "core.gardener.cloud", Resource: "shoots", Subresource: "status", Namespace: "garden-7", Name: "shoot-7"}, true},
	{seedauthorizer.Question{Seed: "seed-8", Verb: "get", Resource: "secrets", Namespace: "garden-7", Name: "shoot-7-cloud"}, false},
	{seedauthorizer.Question{Seed: apart, Verb: "get", Group: "core.gardener.cloud", Resource: "cloudprofiles", Name: profile}, false},
}

// Measure asks all questions a number of times in each run, in a garden with so many shoots and seeds. It returns the 99th percentile of
// each run in milliseconds, and an error if an answer is wrong.
func Measure(ctx context.Context, runs, times, shoots, seeds int) (stats.Sample, error) {
	authorizer := seedauthorizer.New(landscape(shoots, seeds))
	ended, cancel := context.WithCancel(ctx)
	cancel() // so that refusals do not wait for another state of the graph
	var percentiles stats.Sample
	for range runs {
		if err := ctx.Err(); err != nil {
			return percentiles, err
		}
		var took stats.Sample
		for range times {
			for _, q := range questions {
				begin := time.Now()
				allowed := authorizer.Allowed(ended, q.Question)
				took = append(took, time.Since(begin).Seconds()*1000)
				if allowed != q.allowed {
					return percentiles, fmt.Errorf("allowed is %t: %+v", allowed, q.Question)
				}
			}
		}
		percentiles = append(percentiles, took.Percentile(99))
	}
	return percentiles, nil
}
