package kubeapi

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/api/meta"
)

type resets struct {
	meta.RESTMapper
	served *[]string
	seen   [][]string // what was served at each reset
}

func (r *resets) Reset() { r.seen = append(r.seen, slices.Clone(*r.served)) }

func TestPolicyKinds(t *testing.T) {
	definitions := func(context.Context) ([]string, error) { return []string{"one.example", "two.example"}, nil }
	// learn answers the question which groups are served with the next of the answers, and then with the last one. nil is an error.
	learn := func(ctx context.Context, answers ...[]string) ([][]string, error) {
		var served []string
		mapper := &resets{served: &served}
		k := &policyKinds{}
		k.SetRESTMapper(mapper)
		err := k.learn(ctx, definitions, func(context.Context) ([]string, error) {
			if served = answers[0]; len(answers) > 1 {
				answers = answers[1:]
			}
			if served == nil {
				return nil, errors.New("the server is starting")
			}
			return served, nil
		})
		return mapper.seen, err
	}
	t.Run("OPR-27 policies learn the kinds of custom resources as soon as these are served", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			seen, err := learn(t.Context(), nil, []string{"apps"}, []string{"apps", "one.example"}, []string{"apps", "one.example", "two.example"})
			if err != nil || len(seen) != 1 || len(seen[0]) != 3 {
				t.Errorf("resets with %v, error %v", seen, err)
			}
		})
	})
	t.Run("OPR-27 a kind that is never served holds back no other one for longer than before", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), policyKindsTimeout)
			defer cancel()
			seen, err := learn(ctx, []string{"apps", "one.example"})
			if err == nil || len(seen) != 1 {
				t.Errorf("resets with %v, error %v", seen, err)
			}
		})
	})
	t.Run("a mapper that cannot be reset is refused", func(t *testing.T) {
		k := &policyKinds{}
		k.SetRESTMapper(meta.NewDefaultRESTMapper(nil))
		if k.ValidateInitialization() == nil {
			t.Error("it is not")
		}
	})
}
