// Package fastjson writes objects in JSON, byte for byte as encoding/json does, but finds out once for each Go type how that
// is done: lists of thousands of objects are little else than that. Reading stays as it is.
package fastjson

import (
	"io"
	"reflect"
	"sync"
	"unsafe"

	"k8s.io/apimachinery/pkg/runtime"
)

// jsonSerializer reads and writes JSON as another one does, but writes some kinds, and lists of them, faster.
type jsonSerializer struct {
	runtime.Serializer
	kinds map[reflect.Type]bool // structs
}

// Encode writes an object and a new line.
func (s jsonSerializer) Encode(object runtime.Object, w io.Writer) error {
	if cached, is := object.(runtime.CacheableObject); is {
		return cached.CacheEncode(s.Identifier(), s.encode, w)
	}
	return s.encode(object, w)
}

func (s jsonSerializer) encode(object runtime.Object, w io.Writer) error {
	kind := reflect.TypeOf(object)
	if kind.Kind() != reflect.Pointer || !s.kinds[kind.Elem()] {
		return s.Serializer.Encode(object, w)
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	out := output{Writer: w, text: (*buffer)[:0]}
	if items := itemsOf(reflect.ValueOf(object).Elem()); items.IsValid() {
		out.list(object, items)
	} else {
		out.write(kind.Elem(), reflect.ValueOf(object).UnsafePointer())
	}
	out.text = append(out.text, '\n')
	out.flush()
	if cap(out.text) <= maxKept {
		*buffer = out.text
	}
	return out.err
}

// flushAt is how many bytes of a list are collected before they are written, maxKept how large a buffer is kept.
const (
	flushAt = 32 << 10
	maxKept = 4 * flushAt
)

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// output collects text. After an error nothing happens.
type output struct {
	io.Writer
	text []byte
	err  error
}

func (o *output) write(kind reflect.Type, at unsafe.Pointer) {
	if o.err != nil {
		return
	}
	text, err := planOf(kind)(o.text, at)
	if o.err = err; err == nil {
		o.text = text
	}
}

func (o *output) flush() {
	if o.err == nil {
		_, o.err = o.Writer.Write(o.text)
		o.text = o.text[:0]
	}
}

// itemsOf returns the items of a list; others, and empty lists, have none.
func itemsOf(object reflect.Value) reflect.Value {
	items := object.FieldByName("Items")
	if !items.IsValid() || items.Kind() != reflect.Slice || items.Len() == 0 {
		return reflect.Value{}
	}
	return items
}

// list writes a list as its struct is written, but a part at a time.
func (o *output) list(object runtime.Object, items reflect.Value) {
	const end = "]}" // items come last
	head := reflect.New(reflect.TypeOf(object).Elem())
	head.Elem().Set(reflect.ValueOf(object).Elem())
	itemsOf(head.Elem()).SetLen(0)
	o.write(head.Type().Elem(), head.UnsafePointer())
	if o.err != nil {
		return
	}
	o.text = o.text[:len(o.text)-len(end)]
	for i := range items.Len() {
		if i > 0 {
			o.text = append(o.text, ',')
		}
		o.write(items.Type().Elem(), items.Index(i).Addr().UnsafePointer())
		if len(o.text) >= flushAt {
			o.flush()
		}
	}
	o.text = append(o.text, end...)
}
