package layers_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/erofs/go-erofs"
	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/imagestore/internal/layers"
)

func TestTree(t *testing.T) {
	for name, tc := range map[string]struct {
		layers []string // the lowest first, one entry per line
		want   string
	}{
		"upper files replace lower ones": {
			layers: []string{"file etc/a old", "file etc/a new\nfile etc/b b"},
			want:   "etc/ 755 0:0\netc/a 644 0:0 new\netc/b 644 0:0 b",
		},
		"owners, modes and links are kept": {
			layers: []string{"dir var 711 5:6\nfile var/x x 4755 101:102\nlink var/y x\nfifo var/p"},
			want:   "var/ 711 5:6\nvar/p p644 0:0\nvar/x u755 101:102 x\nvar/y -> x",
		},
		"a whiteout deletes files and directories of lower layers only": {
			layers: []string{"file a/x x\nfile a/y y\nfile b/z z", "file a/.wh.x -\nfile .wh.b -\nfile b/new new"},
			want:   "a/ 755 0:0\na/y 644 0:0 y\nb/ 755 0:0\nb/new 644 0:0 new",
		},
		"an opaque directory hides what lower layers have in it": {
			layers: []string{"file a/x x\nfile a/d/y y", "dir a 750 1:1\nfile a/.wh..wh..opq -\nfile a/z z"},
			want:   "a/ 750 1:1\na/z 644 0:0 z",
		},
		"the mode of a directory is that of the uppermost layer that lists it": {
			layers: []string{"dir tmp 1777 0:0\ndir opt 700 3:3", "file tmp/x x\ndir opt 755 0:0"},
			want:   "opt/ 755 0:0\ntmp/ t777 0:0\ntmp/x 644 0:0 x",
		},
		"a file in an upper layer replaces a directory": {
			layers: []string{"file a/b/c c", "file a/b b"},
			want:   "a/ 755 0:0\na/b 644 0:0 b",
		},
		"a directory in an upper layer replaces a file": {
			layers: []string{"file a old", "file a/b b"},
			want:   "a/ 755 0:0\na/b 644 0:0 b",
		},
		"a hard link has the content of its target": {
			layers: []string{"file bin/a a 755\nhard bin/b bin/a 755"},
			want:   "bin/ 755 0:0\nbin/a 755 0:0 a\nbin/b 755 0:0 a",
		},
		"a hard link keeps its content when its target is replaced or deleted above": {
			layers: []string{"file a old\nhard b a\nfile c c\nhard d c", "file a new\nfile .wh.c -"},
			want:   "a 644 0:0 new\nb 644 0:0 old\nd 644 0:0 c",
		},
		"names cannot leave the root": {
			layers: []string{"file ../../etc/passwd x\nfile /abs y\nfile ./dot/../here z"},
			want:   "abs 644 0:0 y\netc/ 755 0:0\netc/passwd 644 0:0 x\nhere 644 0:0 z",
		},
		"devices are left out": {layers: []string{"device dev/sda\nfile a a"}, want: "a 644 0:0 a"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, files(t, join(t, tc.layers...))); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBrokenLink(t *testing.T) {
	out := create(t)
	tree := layers.NewTree(erofs.Create(out), t.TempDir())
	if err := tree.AddLayer(archive(t, "hard a nowhere")); err != nil {
		t.Fatal(err)
	}
	if err := tree.Finish(); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("error %v, want one that names the missing target", err)
	}
}

func TestDamagedLayer(t *testing.T) {
	content, err := io.ReadAll(archive(t, "file a "+strings.Repeat("x", 2000)))
	if err != nil {
		t.Fatal(err)
	}
	tree := layers.NewTree(erofs.Create(create(t)), t.TempDir())
	if err := tree.AddLayer(bytes.NewReader(content[:1000])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

// join returns the path of an EROFS file.
func join(t *testing.T, lowestFirst ...string) string {
	t.Helper()
	out := create(t)
	writer := erofs.Create(out)
	tree := layers.NewTree(writer, t.TempDir())
	for i := len(lowestFirst) - 1; i >= 0; i-- {
		if err := tree.AddLayer(archive(t, lowestFirst[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tree.Finish(), writer.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Name()
}

func create(t *testing.T) *os.File {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "root.erofs"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// archive makes a layer of lines: kind, name, and by kind content or target, mode, owner.
func archive(t *testing.T, lines string) io.Reader {
	t.Helper()
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for line := range strings.Lines(lines) {
		header, content := entry(t, strings.Fields(line))
		if err := writer.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return &buffer
}

func entry(t *testing.T, fields []string) (*tar.Header, string) {
	t.Helper()
	header := &tar.Header{Name: fields[1], Mode: 0o644}
	rest, content := fields[2:], ""
	switch fields[0] {
	case "dir":
		header.Typeflag = tar.TypeDir
	case "file":
		header.Typeflag, content, rest = tar.TypeReg, rest[0], rest[1:]
		header.Size = int64(len(content))
	case "link":
		header.Typeflag, header.Linkname, rest = tar.TypeSymlink, rest[0], nil
	case "hard":
		header.Typeflag, header.Linkname, rest = tar.TypeLink, rest[0], rest[1:]
	case "fifo":
		header.Typeflag = tar.TypeFifo
	case "device":
		header.Typeflag = tar.TypeBlock
	default:
		t.Fatalf("kind %q", fields[0])
	}
	scan := func(format, text string, values ...any) {
		if _, err := fmt.Sscanf(text, format, values...); err != nil {
			t.Fatal(err)
		}
	}
	if len(rest) > 0 {
		scan("%o", rest[0], &header.Mode)
	}
	if len(rest) > 1 {
		scan("%d:%d", rest[1], &header.Uid, &header.Gid)
	}
	return header, content
}

// files describes an EROFS file, one line per entry.
func files(t *testing.T, image string) string {
	t.Helper()
	file, err := os.Open(image)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	root, err := erofs.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	err = fs.WalkDir(root, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		lines = append(lines, describe(t, root, name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func describe(t *testing.T, root fs.FS, name string) string {
	t.Helper()
	info, err := fs.Lstat(root, name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := fs.ReadLink(root, name)
		if err != nil {
			t.Fatal(err)
		}
		return name + " -> " + target
	}
	stat, ok := info.Sys().(*erofs.Stat)
	if !ok {
		t.Fatalf("%s: %T", name, info.Sys())
	}
	special := strings.Trim((stat.Mode &^ fs.ModePerm &^ fs.ModeDir).String(), "-")
	line := fmt.Sprintf("%s %s%o %d:%d", name, special, info.Mode().Perm(), stat.UID, stat.GID)
	switch {
	case info.IsDir():
		return strings.Replace(line, " ", "/ ", 1)
	case info.Mode().IsRegular():
		content, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		return line + " " + string(content)
	}
	return line
}
