package delta

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"go.etcd.io/etcd/api/v3/mvccpb"
)

func sample(t testing.TB, events int) []byte {
	var out, records bytes.Buffer
	for i := range events {
		event := &mvccpb.Event{Kv: &mvccpb.KeyValue{Key: fmt.Appendf(nil, "key-%d", i), Value: []byte("value"), ModRevision: int64(i + 2)}}
		if err := Append(&records, event); err != nil {
			t.Fatal(err)
		}
	}
	w := NewWriter(&out)
	if err := errors.Join(w.Copy(&records), w.Lease(7, 60), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRoundTrip(t *testing.T) {
	var keys []string
	leases := map[int64]int64{}
	err := Read(bytes.NewReader(sample(t, 3)), Contents{
		Event: func(e *mvccpb.Event) error { keys = append(keys, string(e.Kv.Key)); return nil },
		Lease: func(id, ttl int64) error { leases[id] = ttl; return nil },
	})
	if err != nil || fmt.Sprint(keys, leases) != "[key-0 key-1 key-2] map[7:60]" {
		t.Errorf("%v %v %v", keys, leases, err)
	}
}

func TestDamage(t *testing.T) {
	good := sample(t, 3)
	t.Run("ETC-10 each changed byte is found", func(t *testing.T) {
		for i := range good {
			bad := bytes.Clone(good)
			bad[i] ^= 0x20
			if err := Check(bytes.NewReader(bad)); !errors.Is(err, ErrCorrupt) {
				t.Errorf("byte %d: %v", i, err)
			}
		}
	})
	t.Run("ETC-10 each cut is found", func(t *testing.T) {
		for i := range good {
			if err := Check(bytes.NewReader(good[:i])); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%d bytes: %v", i, err)
			}
		}
	})
	t.Run("what follows the sum is found", func(t *testing.T) {
		if err := Check(bytes.NewReader(append(bytes.Clone(good), 0))); !errors.Is(err, ErrCorrupt) {
			t.Error(err)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f, 2))
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := Check(bytes.NewReader(content)); err != nil && !errors.Is(err, ErrCorrupt) {
			t.Error(err)
		}
	})
}
