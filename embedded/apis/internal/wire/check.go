package wire

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// check refuses a decoded value that could not be encoded as JSON.
type check func(v reflect.Value) error

// checks for types of k8s.io, by type name.
var checks = map[string]check{"RawExtension": checkRaw, "JSON": checkRaw, "IntOrString": checkIntOrString}

func checkRaw(v reflect.Value) error {
	if raw := v.FieldByName("Raw").Bytes(); len(raw) > 0 && !json.Valid(raw) {
		return fmt.Errorf("%d bytes are not JSON", len(raw))
	}
	return nil
}

func checkIntOrString(v reflect.Value) error {
	if kind := v.Interface().(intstr.IntOrString).Type; kind != intstr.Int && kind != intstr.String {
		return fmt.Errorf("neither number nor text, but type %d", kind)
	}
	return nil
}
