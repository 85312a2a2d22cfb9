package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/storage/wal"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/archive/sealed"
	"github.com/gardener-up/gardener-up/appliance/backup"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const (
	id   = "local-1"
	name = "etcd-garden"
)

// stored and access are what package servers says of the etcd.
func stored(p paths.Paths, id, name string) etcd.Config {
	return etcd.Config{Name: name, DataDir: p.Etcd(name), Token: id + "/" + name}
}

func access(p paths.Paths, name string, _ int32) snapshots.Access {
	return snapshots.Access{Endpoint: etcd.Config{Socket: p.Run().EtcdSocket(name)}.SocketEndpoint()}
}

// holding makes this binary hold the lock of a state directory, as the process of a landscape does.
const holding = "BACKUP_TEST_HOLDS"

func TestMain(m *testing.M) {
	wal.SegmentSizeBytes = 1 << 20
	if file := os.Getenv(holding); file != "" {
		if _, err := daemon.Acquire(file); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends it
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// landscape is a state directory with keys, an etcd, a backup and volumes of a shoot.
type landscape struct {
	*testing.T
	paths paths.Paths
	port  int
	certs pki.Etcd
}

func newLandscape(t *testing.T) *landscape {
	t.Helper()
	dir, err := os.MkdirTemp("", "backup")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p, err := paths.New(filepath.Join(dir, "state"))
	check(t, err)
	check(t, p.Create())
	l := &landscape{T: t, paths: p, port: testport.Free(t)}
	s, err := store.Open(p.Store())
	check(t, err)
	check(t, s.SetIdentity(store.Identity{Name: "local", ID: id, Seed: "local"}))
	check(t, s.SetPort(name, int32(l.port)))
	k, err := ledger.Keep(p, s)
	check(t, err)
	bundle, err := pki.New(p.PKI(), pki.Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now).Ensure()
	check(t, err)
	check(t, k.NoteKeys())
	l.certs = bundle.Etcd
	l.run(func(client *clientv3.Client) {
		_, err := client.Put(t.Context(), "/registry-garden/a", "kept")
		check(t, err)
	}, func(cluster string) error { return k.NoteEtcd(name, cluster) })
	check(t, s.Close())
	l.write("volumes/.shoots/sun/pv/data", "data")
	l.write("volumes/.shoots/sun/pv/new.etcd/mine", "a name that etcds of shoots have, too")
	check(t, os.Symlink("/etc/passwd", filepath.Join(p.Volumes(), ".shoots/sun/pv/link")))
	l.write("volumes/shoot--local--sun/etcd-main-0/new.etcd/member/snap/db", "database")
	l.write("backups/local/bucket/sun/etcd-main/v2/Full-00000000-00000001-1", "snapshot")
	return l
}

// in is the landscape in a subtest.
func (l *landscape) in(t *testing.T) *landscape {
	return &landscape{T: t, paths: l.paths, port: l.port, certs: l.certs}
}

func (l *landscape) write(file, text string) {
	l.Helper()
	file = filepath.Join(l.paths.Root(), file)
	check(l.T, os.MkdirAll(filepath.Dir(file), 0o700))
	check(l.T, os.WriteFile(file, []byte(text), 0o600))
}

// run runs the etcd of the garden while do uses it.
func (l *landscape) run(do func(*clientv3.Client), made func(string) error) {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), time.Minute)
	defer cancel()
	check(l.T, l.paths.Create()) // as each start does
	c := stored(l.paths, id, name)
	c.ClientPort, c.Log, c.Made = l.port, logr.Discard(), made
	c.CAFile, c.CertFile, c.KeyFile = l.certs.CA, l.certs.Server.Cert, l.certs.Server.Key
	c.Socket = l.paths.Run().EtcdSocket(name)
	server := etcd.New(c)
	check(l.T, server.Start(ctx))
	testwait.Until(l.T, "etcd is ready", func() error {
		select {
		case <-server.Done():
			l.Fatal(server.Err())
		default:
		}
		return server.Ready(ctx)
	})
	client, err := snapshots.Access{Endpoint: c.SocketEndpoint()}.Client()
	check(l.T, err)
	do(client)
	check(l.T, client.Close())
	check(l.T, server.Stop(ctx))
}

// runs makes another process hold the lock of the landscape until the test ends.
func (l *landscape) runs() (end func()) {
	l.Helper()
	cmd := exec.CommandContext(l.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), holding+"="+l.paths.Lock())
	stdin, err := cmd.StdinPipe()
	check(l.T, err)
	stdout, err := cmd.StdoutPipe()
	check(l.T, err)
	check(l.T, cmd.Start())
	said := make([]byte, 4)
	if _, err := stdout.Read(said); err != nil || string(said) != "held" {
		l.Fatalf("the lock is not held: %q, %v", said, err)
	}
	return func() { _ = stdin.Close(); _ = cmd.Wait() }
}

func (l *landscape) create(shoots func(context.Context) ([]string, error)) backup.Made {
	l.Helper()
	made, err := backup.Creation{Paths: l.paths, Version: "v1", To: filepath.Join(filepath.Dir(l.paths.Root()), "backups"), Now: time.Now, Shoots: shoots, Access: access}.Create(l.Context())
	check(l.T, err)
	return made
}

func (l *landscape) restore(file string) error {
	l.Helper()
	_, err := backup.Restoration{Paths: l.paths, Archive: backup.Source{Location: file}, Etcd: stored, Supports: func(archive.Header) error { return nil }}.Restore(l.Context())
	return err
}

func (l *landscape) purge() { check(l.T, os.RemoveAll(l.paths.Root())) }

func (l *landscape) read(file string) string {
	text, _ := os.ReadFile(filepath.Join(l.paths.Root(), file))
	return string(text)
}

// isBack looks whether the landscape is what it was.
func (l *landscape) isBack(want string) {
	l.Helper()
	check(l.T, ledger.Check(l.paths))
	if got := l.read("volumes/.shoots/sun/pv/data"); got != "data" {
		l.Errorf("the volume has %q", got)
	}
	if got := l.read("volumes/.shoots/sun/pv/new.etcd/mine"); got == "" {
		l.Error("a directory of a user is missing")
	}
	if got := l.read("backups/local/bucket/sun/etcd-main/v2/Full-00000000-00000001-1"); got != "snapshot" {
		l.Errorf("the backup of the shoot is %q", got)
	}
	l.run(func(client *clientv3.Client) {
		got, err := client.Get(l.Context(), "/registry-garden/a")
		check(l.T, err)
		if len(got.Kvs) != 1 || string(got.Kvs[0].Value) != want {
			l.Errorf("etcd has %v, want %q", got.Kvs, want)
		}
	}, func(string) error { return nil })
}

func TestBackup(t *testing.T) {
	l := newLandscape(t)
	var file string
	t.Run("APP-21 a landscape that is stopped is backed up as it is", func(t *testing.T) {
		l := l.in(t)
		made := l.create(func(context.Context) ([]string, error) { t.Error("the shoots do not run"); return nil, nil })
		if info, err := os.Stat(made.File); err != nil || info.Mode().Perm() != 0o600 || len(made.Warnings) != 0 {
			t.Errorf("made %+v: %v, %v", made, info, err)
		}
		l.purge()
		check(t, l.restore(made.File))
		if l.read("volumes/shoot--local--sun/etcd-main-0/new.etcd/member/snap/db") != "database" {
			t.Error("the data of the shoot's etcd are missing")
		}
		l.isBack("kept")
	})
	t.Run("APP-21 a landscape is backed up while it runs and is written", func(t *testing.T) {
		l := l.in(t)
		end := l.runs()
		asked := false
		l.run(func(client *clientv3.Client) {
			_, err := client.Put(t.Context(), "/registry-garden/a", "newer")
			check(t, err)
			file = l.create(func(context.Context) ([]string, error) { asked = true; return []string{"sun sleeps badly"}, nil }).File
		}, func(string) error { return nil })
		if err := l.restore(file); !errors.Is(err, daemon.ErrRunning) {
			t.Errorf("restoring to a landscape that runs: %v", err)
		}
		end()
		if !asked {
			t.Error("the etcds of shoots were not asked for their last changes")
		}
		l.purge()
		check(t, l.restore(file))
		if l.read("volumes/shoot--local--sun/etcd-main-0/new.etcd/member/snap/db") != "" {
			t.Error("the data of the shoot's etcd were copied while it wrote")
		}
		l.isBack("newer")
		opened, err := os.Open(file)
		check(t, err)
		defer opened.Close()
		if _, manifest, err := archive.Verify(t.Context(), opened); err != nil || !cmp.Equal(manifest.Warnings, []string{"sun sleeps badly"}) {
			t.Errorf("warnings %v, %v", manifest.Warnings, err)
		}
	})
	t.Run("APP-21 OPR-29 keys cannot change while etcds are taken, but while the backup is uploaded", func(t *testing.T) {
		l := l.in(t)
		end := l.runs()
		defer end()
		used := func() error {
			lock, err := backup.Keys(l.paths)
			if err == nil {
				err = lock.Release()
			}
			return err
		}
		uploads := make(chan error, 1)
		bucket := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				uploads <- used()
			}
			_, _ = io.Copy(io.Discard, r.Body)
		}))
		defer bucket.Close()
		t.Setenv("AWS_ACCESS_KEY_ID", "id")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "key")
		t.Setenv("AWS_REGION", "local")
		taken := 0
		l.run(func(*clientv3.Client) {
			c := backup.Creation{Paths: l.paths, Version: "v1", To: "s3://bucket/prefix?use_path_style=true&endpoint=" + bucket.URL, Now: time.Now}
			c.Access = func(p paths.Paths, name string, port int32) snapshots.Access {
				taken++
				if err := used(); !errors.Is(err, backup.ErrKeys) {
					t.Errorf("while an etcd is taken: %v", err)
				}
				return access(p, name, port)
			}
			if _, err := c.Create(t.Context()); err != nil {
				t.Error(err)
			}
		}, func(string) error { return nil })
		select {
		case err := <-uploads:
			if err != nil || taken == 0 {
				t.Errorf("%d etcds were taken; while the backup is uploaded: %v", taken, err)
			}
		default:
			t.Error("nothing was uploaded")
		}
	})
	t.Run("APP-21 a directory that is not empty is left alone", func(t *testing.T) {
		l := l.in(t)
		if err := l.restore(file); !errors.Is(err, backup.ErrNotEmpty) {
			t.Errorf("got %v", err)
		}
		l.isBack("newer")
	})
	t.Run("APP-21 a damaged archive changes nothing", func(t *testing.T) {
		l := l.in(t)
		l.purge()
		text, err := os.ReadFile(file)
		check(t, err)
		other := filepath.Join(t.TempDir(), "other.tar.zst")
		check(t, os.WriteFile(other, text[:len(text)*9/10], 0o600))
		if err := l.restore(other); !errors.Is(err, archive.ErrDamaged) {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(l.paths.Root()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the state directory exists: %v", err)
		}
	})
	t.Run("APP-21 another path of the state directory is refused", func(t *testing.T) {
		p, err := paths.New(filepath.Join(t.TempDir(), "state"))
		check(t, err)
		_, err = backup.Restoration{Paths: p, Archive: backup.Source{Location: file}, Etcd: stored, Supports: func(archive.Header) error { return nil }}.Restore(t.Context())
		if !errors.Is(err, backup.ErrElsewhere) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("APP-21 what a newer binary has stored changes nothing", func(t *testing.T) {
		boom := errors.New("boom")
		_, err := backup.Restoration{Paths: l.paths, Archive: backup.Source{Location: file}, Etcd: stored, Supports: func(archive.Header) error { return boom }}.Restore(t.Context())
		if _, exists := os.Stat(l.paths.Root()); !errors.Is(err, boom) || exists == nil {
			t.Errorf("got %v, the directory: %v", err, exists)
		}
	})
	t.Run("APP-21 an encrypted archive without its key changes nothing, and with it all is back", func(t *testing.T) {
		l := l.in(t)
		check(t, l.restore(file))
		recipients, keys := pair(t)
		made, err := backup.Creation{Paths: l.paths, To: t.TempDir(), Recipients: recipients, Now: time.Now}.Create(t.Context())
		check(t, err)
		l.purge()
		for _, other := range []sealed.Keys{{}, second(pair(t))} {
			restoration := backup.Restoration{Paths: l.paths, Archive: backup.Source{Location: made.File, Keys: other}, Etcd: stored, Supports: func(archive.Header) error { return nil }}
			if _, err := restoration.Restore(t.Context()); !errors.Is(err, sealed.ErrLocked) && !errors.Is(err, sealed.ErrKey) {
				t.Errorf("got %v", err)
			}
			if _, err := os.Stat(l.paths.Root()); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the state directory exists: %v", err)
			}
		}
		_, err = backup.Restoration{Paths: l.paths, Archive: backup.Source{Location: made.File, Keys: keys}, Etcd: stored, Supports: func(archive.Header) error { return nil }}.Restore(t.Context())
		check(t, err)
		l.isBack("newer")
		l.purge()
	})
	t.Run("APP-21 an interrupted restoration is told, and done again", func(t *testing.T) {
		l := l.in(t)
		check(t, l.paths.Create())
		l.write("restoring.json", "{}")
		l.write("pki/garden/ca.key", "half")
		loss, lost := ledger.Lost(ledger.Check(l.paths))
		if !lost || !strings.Contains(loss.Cure, "gardener backup restore") {
			t.Errorf("a landscape may start in it: %v", loss)
		}
		check(t, l.restore(file))
		l.isBack("newer")
	})
}

func TestLists(t *testing.T) {
	l := newLandscape(t)
	dir := filepath.Join(t.TempDir(), "back[ups]*")
	var files []string
	for i := range 4 {
		made, err := backup.Creation{Paths: l.paths, To: dir, Now: func() time.Time { return time.Unix(int64(i), 0) }}.Create(t.Context())
		check(t, err)
		files = append(files, made.File)
	}
	check(t, os.WriteFile(filepath.Join(dir, "other.tar.zst"), []byte("something else"), 0o600))
	t.Run("APP-21 backups are listed by time, and what is none is told", func(t *testing.T) {
		all, err := backup.List(t.Context(), dir)
		check(t, err)
		var got []string
		problems := 0
		for _, one := range all {
			if one.Problem != "" {
				problems++
				continue
			}
			got = append(got, one.File)
		}
		if !cmp.Equal(got, files) || problems != 1 {
			t.Errorf("listed %+v", all)
		}
	})
	t.Run("APP-21 the oldest backups of a landscape are removed, and nothing else", func(t *testing.T) {
		if removed, err := backup.Prune(t.Context(), dir, "another", 0); err != nil || len(removed) != 0 {
			t.Errorf("of another landscape: %v, %v", removed, err)
		}
		removed, err := backup.Prune(t.Context(), dir, id, 2)
		if err != nil || !cmp.Equal(removed, files[:2]) {
			t.Errorf("removed %v, %v", removed, err)
		}
		made, err := backup.Creation{Paths: l.paths, To: filepath.Join(t.TempDir(), "monday.tar.zst"), Now: time.Now}.Create(t.Context())
		if removed, pruneErr := backup.Prune(t.Context(), made.Place, id, 1); err != nil || pruneErr != nil || len(removed) != 0 {
			t.Errorf("beside %s: removed %v, %v, %v", made.File, removed, err, pruneErr)
		}
		if all, err := backup.List(t.Context(), dir); err != nil || len(all) != 3 {
			t.Errorf("left %+v, %v", all, err)
		}
	})
	t.Run("APP-21 encrypted backups are listed and removed by their names", func(t *testing.T) { encryptedLists(t, l) })
	t.Run("APP-21 the name of a backup says whether it is encrypted", func(t *testing.T) {
		to := filepath.Join(t.TempDir(), "monday.tar.zst.age")
		if _, err := (backup.Creation{Paths: l.paths, To: to, Now: time.Now}).Create(t.Context()); !errors.Is(err, backup.ErrName) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("APP-21 a directory without a landscape is not backed up", func(t *testing.T) {
		p, err := paths.New(t.TempDir())
		check(t, err)
		if _, err := (backup.Creation{Paths: p, To: dir, Now: time.Now}).Create(t.Context()); !errors.Is(err, backup.ErrNone) {
			t.Errorf("got %v", err)
		}
	})
}

func encryptedLists(t *testing.T, l *landscape) {
	dir := t.TempDir()
	recipients, keys := pair(t)
	var files []string
	for i := range 3 {
		made, err := backup.Creation{Paths: l.paths, To: dir, Recipients: recipients, Now: func() time.Time { return time.Unix(int64(i), 0) }}.Create(t.Context())
		check(t, err)
		files = append(files, made.File)
	}
	all, err := backup.List(t.Context(), dir)
	if err != nil || len(all) != 3 || all[0].File != files[0] || !all[0].Encrypted || all[0].Landscape != "local" || !all[0].Created.Equal(time.Unix(0, 0)) || all[0].Identity != "" {
		t.Fatalf("listed %+v, %v", all, err)
	}
	if removed, err := backup.Prune(t.Context(), dir, "another", 0); err != nil || len(removed) != 0 {
		t.Errorf("of another landscape: %v, %v", removed, err)
	}
	if removed, err := backup.Prune(t.Context(), dir, id, 1); err != nil || !cmp.Equal(removed, files[:2]) {
		t.Errorf("removed %v, %v", removed, err)
	}
	for name, tc := range map[string]struct {
		keys sealed.Keys
		want error
	}{"its key": {keys, nil}, "no key": {sealed.Keys{}, sealed.ErrLocked}, "another key": {second(pair(t)), sealed.ErrKey}} {
		p, err := paths.New(l.paths.Root())
		check(t, err)
		header, _, err := backup.Source{Location: files[2], Keys: tc.keys}.Verify(t.Context())
		if !errors.Is(err, tc.want) || err == nil && (header.Identity != id || header.StateDir != p.Root()) {
			t.Errorf("with %s: %+v, %v", name, header, err)
		}
	}
	text, err := os.ReadFile(files[2])
	check(t, err)
	text[len(text)/2] ^= 1
	check(t, os.WriteFile(files[2], text, 0o600))
	if _, _, err := (backup.Source{Location: files[2], Keys: keys}).Verify(t.Context()); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("a changed archive: %v", err)
	}
}

// pair makes a public and a secret key.
func pair(t *testing.T) (sealed.Recipients, sealed.Keys) {
	t.Helper()
	secret, public, err := sealed.NewKey()
	check(t, err)
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "secret"), []byte(secret), 0o600))
	check(t, os.WriteFile(filepath.Join(dir, "public"), []byte(public), 0o600))
	recipients, err := sealed.Files{Keys: filepath.Join(dir, "public")}.Recipients()
	check(t, err)
	keys, err := sealed.Files{Keys: filepath.Join(dir, "secret")}.Secrets()
	check(t, err)
	return recipients, keys
}

func second(_ sealed.Recipients, keys sealed.Keys) sealed.Keys { return keys }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
