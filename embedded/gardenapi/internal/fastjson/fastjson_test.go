package fastjson

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/yaml"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/internal/randomtest"
)

func encoder(tb testing.TB) runtime.Encoder {
	tb.Helper()
	scheme := runtime.NewScheme()
	if err := core.AddToScheme(scheme); err != nil {
		tb.Fatal(err)
	}
	types := Negotiated(serializer.NewCodecFactory(scheme), scheme)
	info, known := runtime.SerializerInfoForMediaType(types.SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !known {
		tb.Fatal("no JSON")
	}
	return info.Serializer
}

func TestSerializer(t *testing.T) {
	fast := encoder(t)
	written := func(object runtime.Object) string {
		var out strings.Builder
		if err := fast.Encode(object, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	compare := func(t *testing.T, object runtime.Object) {
		t.Helper()
		want, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(object); got != string(want)+"\n" {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	raw := func(text string) *core.Shoot {
		return &core.Shoot{Spec: core.ShootSpec{Provider: core.Provider{InfrastructureConfig: &runtime.RawExtension{Raw: []byte(text)}}}}
	}

	for name, text := range map[string]string{
		"HTML": "<a href=\"&\">", "control characters": "\x00\x01\b\f\n\r\t\x1f\x7f", "quotes": `"\/'`, "line separators": "\u2028 \u2029",
		"no UTF-8": "a\xff\xfeb\xc3", "beyond the basic plane": "😀𝔊", "empty": "",
	} {
		t.Run("strings: "+name, func(t *testing.T) {
			compare(t, &core.Shoot{ObjectMeta: metav1.ObjectMeta{Name: text, Labels: map[string]string{text: text, "b": "", "a": text}}})
		})
	}
	for name, object := range map[string]runtime.Object{
		"an object without anything": &core.Shoot{},
		"time and zones of it":       &core.Shoot{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(time.Unix(1e9, 5).In(time.FixedZone("", 3600)))}},
		"JSON of users":              raw(" {\n  \"b\": [1.50, \"<&>\"],\t\"a\": null } "),
		"no JSON of users":           &core.Shoot{Spec: core.ShootSpec{Provider: core.Provider{InfrastructureConfig: &runtime.RawExtension{}}}},
		"no fields of managers":      &core.Shoot{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{FieldsV1: &metav1.FieldsV1{}}, {}}}},
		"JSON of users that is null": raw("null"),
		"fields of managers":         &core.Shoot{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:a<b":{".":{}}}`)}}}}},
		"no list":                    &core.ShootList{},
		"an empty list":              &core.ShootList{Items: []core.Shoot{}},
		"a list of one":              &core.ShootList{TypeMeta: metav1.TypeMeta{Kind: "ShootList", APIVersion: "v1"}, ListMeta: metav1.ListMeta{ResourceVersion: "5", Continue: "more"}, Items: []core.Shoot{{}}},
		"a kind of others":           &metav1.Status{Message: "<"},
	} {
		t.Run(name, func(t *testing.T) { compare(t, object) })
	}

	t.Run("random objects, in a list that is written in several parts", func(t *testing.T) {
		var list core.ShootList
		randomtest.Filler(1).NumElements(40, 40).Fill(&list)
		for len(list.Items) < 40 {
			list.Items = append(list.Items, *raw(`{}`))
		}
		compare(t, &list)
		if text := written(&list); len(text) < 2*flushAt {
			t.Errorf("only %d bytes", len(text))
		}
	})

	t.Run("what users wrote and is no JSON is an error", func(t *testing.T) {
		for _, object := range []runtime.Object{raw("{"), &core.ShootList{Items: []core.Shoot{*raw("{}"), *raw("}")}}} {
			if err := fast.Encode(object, io.Discard); err == nil {
				t.Errorf("no error for %+v", object)
			}
		}
		compare(t, raw("{}")) // what was borrowed for it is clean again
	})

	t.Run("who cannot be written to says so", func(t *testing.T) {
		for _, object := range []runtime.Object{raw("{}"), &core.ShootList{Items: []core.Shoot{{}}}} {
			if err := fast.Encode(object, broken{}); err == nil || !strings.Contains(err.Error(), "gone") {
				t.Errorf("error is %v", err)
			}
		}
	})

	t.Run("what is written once for several readers is written so", func(t *testing.T) {
		object := &cached{}
		for range 2 {
			if got := written(object); got != "{\"metadata\":{},\"spec\":1}\n" {
				t.Errorf("got %q", got)
			}
		}
		if fmt.Sprint(object.asked) != fmt.Sprintf("[%[1]s %[1]s]", fast.Identifier()) {
			t.Errorf("asked for %v", object.asked)
		}
	})
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, fmt.Errorf("gone") }

// cached writes itself.
type cached struct {
	core.Shoot
	asked []runtime.Identifier
}

func (c *cached) CacheEncode(id runtime.Identifier, _ func(runtime.Object, io.Writer) error, w io.Writer) error {
	c.asked = append(c.asked, id)
	_, err := io.WriteString(w, "{\"metadata\":{},\"spec\":1}\n")
	return err
}

func (c *cached) GetObject() runtime.Object { return &c.Shoot }

func BenchmarkList(b *testing.B) {
	text, err := os.ReadFile("../../../../examples/90-shoot.yaml")
	if err != nil {
		b.Fatal(err)
	}
	list := core.ShootList{Items: make([]core.Shoot, 100)}
	for i := range list.Items {
		if err := yaml.Unmarshal(text, &list.Items[i]); err != nil {
			b.Fatal(err)
		}
	}
	fast := encoder(b)
	b.Run("fast", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := fast.Encode(&list, io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("standard", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := json.NewEncoder(io.Discard).Encode(&list); err != nil {
				b.Fatal(err)
			}
		}
	})
}
