package equal

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/internal/randomtest"
)

type everything struct {
	Flag     bool
	Small    int8
	Middle   uint16
	Number   int32
	Large    int64
	Fraction float64
	Near     float32
	Text     string
	Pointer  *string
	List     []string
	Octets   []byte
	Array    [2]string
	Map      map[string]int
	Structs  map[string]inner
	Any      any
	Quantity resource.Quantity
	Time     metav1.Time
	Exact    metav1.MicroTime
	Self     *everything
}

type inner struct{ Values []string }

func TestEqual(t *testing.T) {
	text, same, other := "a", "a", "b"
	now := metav1.Now()
	changes := map[string][2]everything{
		"nothing":               {},
		"bool":                  {{Flag: true}, {}},
		"int8":                  {{Small: -1}, {Small: 1}},
		"uint16":                {{Middle: 256}, {}},
		"int32":                 {{Number: 1}, {Number: 1 << 16}},
		"int64":                 {{Large: 1 << 40}, {}},
		"float64":               {{Fraction: 0.5}, {Fraction: 0.25}},
		"float32":               {{Near: 0.5}, {}},
		"string":                {{Text: "a"}, {Text: "b"}},
		"same string":           {{Text: "a"}, {Text: "a"}},
		"pointer":               {{Pointer: &text}, {Pointer: &other}},
		"same pointer":          {{Pointer: &text}, {Pointer: &text}},
		"pointer to the same":   {{Pointer: &text}, {Pointer: &same}},
		"pointer or not":        {{Pointer: &text}, {}},
		"list":                  {{List: []string{"a"}}, {List: []string{"b"}}},
		"longer list":           {{List: []string{"a"}}, {List: []string{"a", "b"}}},
		"same list":             {{List: []string{"a"}}, {List: []string{"a"}}},
		"empty list or none":    {{List: []string{}}, {}},
		"octets":                {{Octets: []byte("a")}, {Octets: []byte("b")}},
		"same octets":           {{Octets: []byte("a")}, {Octets: []byte("a")}},
		"array":                 {{Array: [2]string{"", "a"}}, {}},
		"map":                   {{Map: map[string]int{"a": 1}}, {Map: map[string]int{"a": 2}}},
		"other key":             {{Map: map[string]int{"a": 0}}, {Map: map[string]int{"b": 0}}},
		"same map":              {{Map: map[string]int{"a": 1}}, {Map: map[string]int{"a": 1}}},
		"empty map or none":     {{Map: map[string]int{}}, {}},
		"map of structs":        {{Structs: map[string]inner{"a": {[]string{"a"}}}}, {Structs: map[string]inner{"a": {[]string{"b"}}}}},
		"same map of structs":   {{Structs: map[string]inner{"a": {[]string{"a"}}}}, {Structs: map[string]inner{"a": {[]string{"a"}}}}},
		"interface":             {{Any: 1}, {Any: 2}},
		"type in interface":     {{Any: 1}, {Any: "1"}},
		"interface or not":      {{Any: 1}, {}},
		"same interface":        {{Any: []string{"a"}}, {Any: []string{"a"}}},
		"quantity":              {{Quantity: resource.MustParse("1")}, {Quantity: resource.MustParse("2")}},
		"quantity in other":     {{Quantity: resource.MustParse("1")}, {Quantity: resource.MustParse("1000m")}},
		"time":                  {{Time: now}, {}},
		"time in other zone":    {{Time: now}, {Time: metav1.Time{Time: now.UTC()}}},
		"exact time":            {{Exact: metav1.NowMicro()}, {}},
		"time in other words":   {{Time: now}, {Time: metav1.Time{Time: now.In(time.FixedZone("there", 3600))}}},
		"type in itself":        {{Self: &everything{Text: "a"}}, {Self: &everything{Text: "b"}}},
		"same type in itself":   {{Self: &everything{Text: "a"}}, {Self: &everything{Text: "a"}}},
		"type deeply in itself": {{Self: &everything{Self: &everything{Self: &everything{Number: 1}}}}, {Self: &everything{Self: &everything{Self: &everything{}}}}},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) { compare(t, &change[0], &change[1]) })
	}

	t.Run("what is identical in Go is identical", func(t *testing.T) {
		for name, change := range changes {
			got := Identical(reflect.ValueOf(&change[0]).Elem(), reflect.ValueOf(&change[1]).Elem())
			if want := reflect.DeepEqual(change[0], change[1]); got != want {
				t.Errorf("%s: %v instead of %v", name, got, want)
			}
		}
	})

	t.Run("random objects", func(t *testing.T) {
		for seed := range int64(200) {
			object, again, changed := &core.Shoot{}, &core.Shoot{}, &core.Shoot{}
			randomtest.Filler(seed).Fill(object)
			randomtest.Filler(seed).Fill(again)
			randomtest.Filler(seed).Fill(changed)
			randomtest.Filler(-1 - seed).Fill(&changed.Spec.Provider.Workers)
			changed.Spec.Provider.Workers = append(changed.Spec.Provider.Workers, core.Worker{Name: "one more"})
			compare(t, object, again)
			compare(t, object, changed)
			compare(t, changed, object)
			if !Identical(reflect.ValueOf(object).Elem(), reflect.ValueOf(again).Elem()) || Identical(reflect.ValueOf(object).Elem(), reflect.ValueOf(changed).Elem()) {
				t.Errorf("seed %d: not told apart", seed)
			}
		}
	})
}

// compare holds that the library says the same.
func compare[T any](t *testing.T, a, b *T) {
	t.Helper()
	if got, want := Semantic(a, b), apiequality.Semantic.DeepEqual(a, b); got != want {
		t.Errorf("%v instead of %v for\n%s\n%s", got, want, fmt.Sprintf("%+v", *a), fmt.Sprintf("%+v", *b))
	}
}

func BenchmarkSemantic(b *testing.B) {
	object, again := &core.Shoot{}, &core.Shoot{}
	randomtest.Filler(1).Fill(object)
	randomtest.Filler(1).Fill(again)
	for name, same := range map[string]func() bool{
		"here":    func() bool { return Semantic(&object.Spec, &again.Spec) },
		"library": func() bool { return apiequality.Semantic.DeepEqual(object.Spec, again.Spec) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !same() {
					b.Fatal("different")
				}
			}
		})
	}
}
