package unpack

import (
	"errors"
	"os"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
)

func compressed(t *testing.T, text string) *fstest.MapFile {
	t.Helper()
	writer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: writer.EncodeAll([]byte(text), nil)}
}

func TestProgram(t *testing.T) {
	missing, dir := errors.New("boom"), t.TempDir()
	if _, err := Program(fstest.MapFS{}, dir, "one", missing); !errors.Is(err, missing) {
		t.Errorf("a program that is not built in: %v", err)
	}
	first, err := Program(fstest.MapFS{"bin/one.zst": compressed(t, "first")}, dir, "one", missing)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Program(fstest.MapFS{"bin/one.zst": compressed(t, "second")}, dir, "one", missing)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{first: "first", second: "second"} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil || string(content) != want || info.Mode().Perm() != 0o755 {
			t.Errorf("%s has %q and mode %s, want %q: %v", path, content, info.Mode(), want, err)
		}
	}
	if _, err := Program(fstest.MapFS{"bin/one.zst": {Data: []byte("damaged")}}, dir, "one", missing); err == nil {
		t.Error("a damaged program is unpacked")
	}
}
