package resourcesize_test

import (
	"encoding/json"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/resourcesize"
)

// FuzzSize looks for an object whose size is not that of what its author wrote.
func FuzzSize(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"a","managedFields":[]},"spec":{"a":"b"},"status":{}}`))
	f.Add([]byte(`{"metadata":null,"Status":1,"spec":"<"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		size, err := resourcesize.Size(raw)
		object := map[string]any{}
		if (err == nil) != (json.Unmarshal(raw, &object) == nil) {
			if _, isObject := object["metadata"].(map[string]any); isObject || object["metadata"] == nil {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if err != nil {
			return
		}
		delete(object, "status")
		smaller, err := json.Marshal(object)
		if err != nil {
			t.Skip("a mutation of the fuzzer that JSON cannot have: ", err)
		}
		object["status"] = "any"
		larger, _ := json.Marshal(object)
		a, errA := resourcesize.Size(smaller)
		b, errB := resourcesize.Size(larger)
		if errA != nil || errB != nil || a != b {
			t.Errorf("%q: %d (%v), with a status %d (%v)", raw, a, errA, b, errB)
		}
		if size < 0 || a > int64(len(smaller)) {
			t.Errorf("%q: %d and %d bytes of %d", raw, size, a, len(smaller))
		}
	})
}
