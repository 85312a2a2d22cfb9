// Package fastjson writes objects in JSON, byte for byte as encoding/json does, but finds out once for each Go type how that
// is done: lists of thousands of objects are little else than that. Reading stays as it is.
package fastjson

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"k8s.io/apimachinery/pkg/runtime"
)

// Serializer reads and writes as another one does, but writes some kinds, and lists of them, faster.
type Serializer struct {
	runtime.Serializer
	kinds map[reflect.Type]bool // structs
}

// New makes a Serializer from one of JSON. It writes these structs itself.
func New(standard runtime.Serializer, kinds map[reflect.Type]bool) Serializer {
	return Serializer{standard, kinds}
}

// Encode writes an object and a new line.
func (s Serializer) Encode(object runtime.Object, w io.Writer) error {
	if cached, is := object.(runtime.CacheableObject); is {
		return cached.CacheEncode(s.Identifier(), s.encode, w)
	}
	return s.encode(object, w)
}

func (s Serializer) encode(object runtime.Object, w io.Writer) error {
	kind := reflect.TypeOf(object)
	if kind.Kind() != reflect.Pointer || !s.kinds[kind.Elem()] {
		return s.Serializer.Encode(object, w)
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	out := output{Writer: w, text: (*buffer)[:0]}
	if items := list(reflect.ValueOf(object).Elem()); items.IsValid() {
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

// list returns the items of a list; others have none.
func list(object reflect.Value) reflect.Value {
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
	list(head.Elem()).SetLen(0)
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

// negotiated offers the media types of another one.
type negotiated struct {
	runtime.NegotiatedSerializer
	types []runtime.SerializerInfo
}

// Negotiated offers what another one does, but kinds that live in scheme's groups and are ours are written faster.
func Negotiated(standard runtime.NegotiatedSerializer, scheme *runtime.Scheme) runtime.NegotiatedSerializer {
	kinds := map[reflect.Type]bool{}
	for _, kind := range scheme.AllKnownTypes() {
		if strings.HasPrefix(kind.PkgPath(), ours) {
			kinds[kind] = true
		}
	}
	out := negotiated{standard, slices.Clone(standard.SupportedMediaTypes())}
	for i := range out.types {
		if info := &out.types[i]; info.MediaType == runtime.ContentTypeJSON {
			info.Serializer = New(info.Serializer, kinds)
			streamed := *info.StreamSerializer
			streamed.Serializer = New(streamed.Serializer, kinds)
			info.StreamSerializer = &streamed
		}
	}
	return out
}

// ours is where types come from that are known to be written like encoding/json does: a test compares them all.
const ours = "github.com/gardener-up/gardener-up/embedded/apis/"

func (n negotiated) SupportedMediaTypes() []runtime.SerializerInfo { return n.types }
