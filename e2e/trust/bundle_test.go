package trust

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// planted are secrets that users put where they do not belong.
var planted = []string{"planted-Annotation-1f4c9d", "planted-Environment-8ab27e", "planted-Event-77aa01d9"}

// supportBundle looks in a bundle for all secrets of the run: those of all clusters, of all files, and some in odd places.
func supportBundle(f *fixture) {
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", name, "example.com/note="+planted[0])
	before := f.Env
	f.Env = append(slices.Clone(before), "GOPROXY=http://user:"+planted[1]+"@proxy.example.com")
	defer func() { f.Env = before }()
	f.Kubectl(f.Garden(), "-n", project, "create", "secret", "generic", "planted", "--from-literal=word="+planted[2])
	f.Kubectl(f.Garden(), "create", "-f", f.File("event.yaml", strings.ReplaceAll(eventYAML, "WORD", planted[2])))
	file := filepath.Join(f.public, "bundle.tar.gz")
	said := f.Gardener("support-bundle", "--to", file)
	if !strings.Contains(said, file) {
		f.t.Errorf("the command says %q", said)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		f.t.Errorf("the bundle: %v, %v", info, err)
	}
	if r := f.Run("support-bundle", "--to", file); r.Code != 2 {
		f.t.Errorf("exit code %d for a file that exists: %s", r.Code, r.Stderr)
	}
	files := unpack(f, file)
	for name, part := range map[string]string{
		"logs/gardener.log": "Part is ready", "status.json": "front-door", "versions.json": "kubernetes", "configuration.json": "frontDoor", "manifest.json": `"format": 1`,
		"garden/shoot.core.gardener.cloud.yaml": "name: " + name, "garden/event.yaml": "Planted", "seeds/local/pod.yaml": technical, "machine.txt": "processors", "files.txt": "appliance.db",
		"seeds/local/logs/" + technical + "/etcd-main-0/etcd.log": "etcd", "goroutines.txt": "goroutine",
	} {
		if !strings.Contains(files[name], part) {
			f.t.Errorf("%s has no %q but %d bytes", name, part, len(files[name]))
		}
	}
	secrets := secretsOf(f)
	for _, word := range planted {
		secrets[word] = "a planted word"
	}
	for name, text := range files {
		for secret, where := range secrets {
			if strings.Contains(text, secret) {
				f.t.Errorf("%s contains %s", name, where)
			}
		}
		if strings.Contains(text, "PRIVATE KEY-----\n") || strings.Contains(text, "\nkind: Secret\n") {
			f.t.Errorf("%s contains a key or a Secret", name)
		}
	}
}

const eventYAML = `apiVersion: v1
kind: Event
metadata: {name: planted, namespace: ` + project + `}
involvedObject: {apiVersion: core.gardener.cloud/v1beta1, kind: Shoot, name: ` + name + `, namespace: ` + project + `}
reason: Planted
message: "logged in with WORD"
type: Normal
`

// unpack returns the files of a bundle.
func unpack(f *fixture, name string) map[string]string {
	file, err := os.Open(name)
	if err != nil {
		f.t.Fatal(err)
	}
	defer file.Close()
	zip, err := gzip.NewReader(file)
	if err != nil {
		f.t.Fatal(err)
	}
	archive, files := tar.NewReader(zip), map[string]string{}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			f.t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			f.t.Fatal(err)
		}
		files[strings.TrimPrefix(header.Name, "gardener-support/")] = string(text)
	}
}
