package testmutation

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Text is the content of all strings of a filled object. A test may have objects of this name, so that references lead to them.
const Text = "text"

// own is what types that encode themselves have in a filled object.
var own = map[reflect.Type]any{
	reflect.TypeFor[metav1.Time]():          metav1.Unix(1e9, 0),
	reflect.TypeFor[metav1.MicroTime]():     metav1.NewMicroTime(time.Unix(1e9, 0)),
	reflect.TypeFor[metav1.Duration]():      metav1.Duration{Duration: time.Hour},
	reflect.TypeFor[resource.Quantity]():    resource.MustParse("1"),
	reflect.TypeFor[intstr.IntOrString]():   intstr.FromInt32(1),
	reflect.TypeFor[metav1.FieldsV1]():      map[string]any{},
	reflect.TypeFor[runtime.RawExtension](): map[string]any{"apiVersion": "any.provider.extensions.gardener.cloud/v1alpha1", "kind": "Any", "list": []any{1, Text}},
	reflect.TypeFor[apiextensionsv1.JSON](): map[string]any{"list": []any{1, Text}},
	reflect.TypeFor[[]byte]():               []byte(Text),
}

var skeletons sync.Map // by type; nobody changes them

func filled(t reflect.Type) any {
	if known, ok := skeletons.Load(t); ok {
		return known
	}
	made, _ := skeletons.LoadOrStore(t, skeleton(t, nil))
	return made
}

// skeleton is an object of a type in which everything is set: lists and maps have one item.
func skeleton(t reflect.Type, above []reflect.Type) any {
	if value, known := own[t]; known {
		raw, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		return parsed(string(raw))
	}
	if slices.Contains(above, t) {
		return nil // types that contain themselves end here
	}
	switch t.Kind() {
	case reflect.Pointer:
		return skeleton(t.Elem(), above)
	case reflect.String:
		return Text
	case reflect.Bool:
		return true
	case reflect.Slice:
		return []any{skeleton(t.Elem(), above)}
	case reflect.Map:
		return map[string]any{Text: skeleton(t.Elem(), above)}
	case reflect.Struct:
		return fields(t, append(slices.Clone(above), t))
	case reflect.Interface:
		return nil
	}
	return float64(1) // a number
}

func fields(t reflect.Type, above []reflect.Type) map[string]any {
	out := map[string]any{}
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case field.Anonymous && name == "" || strings.Contains(options, "inline"):
			if inner, ok := skeleton(field.Type, above).(map[string]any); ok {
				for key, value := range inner {
					out[key] = value
				}
			}
		default:
			if name == "" {
				name = field.Name
			}
			out[name] = skeleton(field.Type, above)
		}
	}
	return out
}
