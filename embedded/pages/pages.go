// Package pages reads lists of objects that users of a cluster can write, who may write many of them, and long ones. Only one page is in
// memory at a time, and a list ends at a bound. It is for clients with a configuration of package shortanswers, and without a cache.
package pages

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/shortanswers"
)

// sizes are how many objects a page has. If a page is longer than a client reads, the next size is tried: ten objects fit if each is as
// long as an etcd accepts, 1.5 MiB, and one also if its JSON is several times as long.
var sizes = []int{100, 10, 1}

// TooMany is the error of a list that ended at its bound.
type TooMany struct {
	// Kind of the objects, Most of which were read.
	Kind string
	Most int
}

// Error implements error.
func (t *TooMany) Error() string {
	return fmt.Sprintf("the cluster has more than %d objects of kind %s. Delete those that nobody needs", t.Most, t.Kind)
}

// Of reads a list page by page, and yields each as a list of its own. After an error it ends. It yields *TooMany instead of a page with
// which there would be more objects than most. The given list says what to list and does not change.
func Of[L client.ObjectList](ctx context.Context, from client.Reader, list L, most int, options ...client.ListOption) iter.Seq2[L, error] {
	return func(yield func(L, error) bool) {
		r := reader[L]{from: from, list: list, options: options}
		for read := 0; ; {
			page, err := r.next(ctx)
			if err != nil {
				yield(list, err)
				return
			}
			if read += max(1, meta.LenList(page)); read > most {
				yield(list, &TooMany{Kind: kindOf(list), Most: most})
				return
			}
			if !yield(page, nil) || page.GetContinue() == "" {
				return
			}
			r.token = page.GetContinue()
		}
	}
}

// First reads the first page of a list into a new list.
func First[L client.ObjectList](ctx context.Context, from client.Reader, list L, options ...client.ListOption) (L, error) {
	r := reader[L]{from: from, list: list, options: options}
	return r.next(ctx)
}

type reader[L client.ObjectList] struct {
	from    client.Reader
	list    L
	options []client.ListOption
	token   string // of the next page
	size    int    // index into sizes
}

// next reads the next page. Pages that were too long once stay short.
func (r *reader[L]) next(ctx context.Context) (L, error) {
	for {
		page := r.list.DeepCopyObject().(L)
		options := append([]client.ListOption{client.Limit(int64(sizes[r.size])), client.Continue(r.token)}, r.options...)
		err := r.from.List(ctx, page, options...)
		if errors.Is(err, shortanswers.ErrLong) && r.size+1 < len(sizes) {
			r.size++
			continue
		}
		return page, err
	}
}

func kindOf(list client.ObjectList) string {
	kind := list.GetObjectKind().GroupVersionKind().Kind
	if kind == "" {
		kind = fmt.Sprintf("%T", list)
		kind = kind[strings.LastIndex(kind, ".")+1:]
	}
	return strings.TrimSuffix(kind, "List")
}
