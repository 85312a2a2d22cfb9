package compression

import (
	"bytes"
	"io"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	want := bytes.Repeat([]byte("etcd\x00\xff"), 100000)
	for algorithm := range suffixes {
		t.Run("algorithm "+algorithm, func(t *testing.T) {
			suffix, err := Suffix(algorithm)
			if err != nil {
				t.Fatal(err)
			}
			var packed bytes.Buffer
			w, err := Writer(&packed, suffix)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(want); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if suffix != "" && packed.Len() > len(want)/10 {
				t.Errorf("%d of %d bytes are left", packed.Len(), len(want))
			}
			r, err := Reader(&packed, suffix)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	if _, err := Suffix("rar"); err == nil {
		t.Error("an unknown algorithm is accepted")
	}
}
