package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/server/v3/storage/wal"

	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const etcdName = "etcd-garden"

func TestMain(m *testing.M) {
	wal.SegmentSizeBytes = 1 << 20 // the directory is copied often
	os.Exit(m.Run())
}

// kept makes a state directory with keys, the data of an etcd and a further seed.
func kept(t *testing.T, id string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kept")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p, err := paths.New(dir)
	check(t, err)
	check(t, p.Create())
	s, err := store.Open(p.Store())
	check(t, err)
	check(t, s.SetIdentity(store.Identity{Name: "local", ID: id}))
	k, err := ledger.Keep(p, s)
	check(t, err)
	bundle, err := pki.New(p.PKI(), pki.Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now).Ensure()
	check(t, err)
	check(t, k.NoteKeys())
	runEtcd(t, p, bundle.Etcd, id, k)
	check(t, s.SetSeed(store.Seed{Name: "two"}))
	check(t, s.Close())
	return dir
}

func runEtcd(t *testing.T, p paths.Paths, certs pki.Etcd, id string, k *ledger.Keeper) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := etcd.New(etcd.Config{
		Name: etcdName, DataDir: p.Etcd(etcdName), ClientPort: testport.Free(t), CAFile: certs.CA, CertFile: certs.Server.Cert, KeyFile: certs.Server.Key,
		Token: id, Made: func(cluster string) error { return k.NoteEtcd(etcdName, cluster) }, Log: logr.Discard(),
	})
	check(t, server.Start(ctx))
	testwait.Until(t, "etcd is ready", func() error {
		select {
		case <-server.Done():
			t.Fatal(server.Err())
		default:
		}
		return server.Ready(ctx)
	})
	check(t, server.Stop(ctx))
}

func TestCheck(t *testing.T) {
	mine, foreign := kept(t, "local-1"), kept(t, "local-2")
	type change = func(t *testing.T, p paths.Paths)
	removed := func(files ...string) change {
		return func(t *testing.T, p paths.Paths) {
			for _, file := range files {
				check(t, os.RemoveAll(filepath.Join(p.Root(), file)))
			}
		}
	}
	garbled := func(file string) change {
		return func(t *testing.T, p paths.Paths) {
			check(t, os.WriteFile(filepath.Join(p.Root(), file), []byte("garbled\n"), 0o600))
		}
	}
	halved := func(file string) change {
		return func(t *testing.T, p paths.Paths) {
			info, err := os.Stat(filepath.Join(p.Root(), file))
			check(t, err)
			check(t, os.Truncate(filepath.Join(p.Root(), file), info.Size()/2))
		}
	}
	cut := func(file string) change { // a page that is in use is missing
		return func(t *testing.T, p paths.Paths) { check(t, os.Truncate(filepath.Join(p.Root(), file), 12288)) }
	}
	emptied := func(file string) change {
		return func(t *testing.T, p paths.Paths) { check(t, os.Truncate(filepath.Join(p.Root(), file), 0)) }
	}
	ofAnother := func(file string) change {
		return func(t *testing.T, p paths.Paths) {
			check(t, os.RemoveAll(filepath.Join(p.Root(), file)))
			copyPath(t, filepath.Join(foreign, file), filepath.Join(p.Root(), file))
		}
	}
	all := func(changes ...change) change {
		return func(t *testing.T, p paths.Paths) {
			for _, change := range changes {
				change(t, p)
			}
		}
	}
	db, log := "etcd/etcd-garden/member/snap/db", "etcd/etcd-garden/member/wal"
	for name, tc := range map[string]struct {
		change change
		want   []string // in the error; none means that the start goes on
		cured  bool     // by the command in the hint
	}{
		"a directory that nobody touched goes on":              {change: removed()},
		"certificates and what signs them only are made again": {change: removed("pki/garden/kube-apiserver.crt", "pki/garden/kube-apiserver.key", "pki/garden/ca.crt", "pki/etcd", "kubeconfigs", "settings")},
		"the record is written again":                          {change: removed("etcd/record.json")},
		"a garbled record is written again":                    {change: garbled("etcd/record.json")},
		"the copy of the store is made again":                  {change: removed("last-good")},
		"a change that no record has seen goes on": {change: func(t *testing.T, p paths.Paths) {
			s, err := store.Open(p.Store())
			check(t, errors.Join(err, s.SetSeed(store.Seed{Name: "three"}), s.Close()))
		}},
		"the end of a journal may be torn": {change: func(t *testing.T, p paths.Paths) {
			s, err := store.Open(p.Store())
			check(t, errors.Join(err, s.Note(store.Entry{Step: "etcd", Time: time.Now()}), s.Close()))
			info, err := os.Stat(p.Store())
			check(t, err)
			check(t, os.Truncate(p.Store(), info.Size()-3))
		}},
		"a removed encryption key refuses":            {change: removed("pki/garden/encryption.yaml"), want: []string{"pki/garden/encryption.yaml is missing", "cannot be read"}},
		"an encryption key without key refuses":       {change: garbled("pki/garden/encryption.yaml"), want: []string{"pki/garden/encryption.yaml is damaged"}},
		"the encryption key of another refuses":       {change: ofAnother("pki/garden/encryption.yaml"), want: []string{"pki/garden/encryption.yaml is another key"}},
		"a removed CA refuses":                        {change: removed("pki/garden/ca.crt", "pki/garden/ca.key"), want: []string{"pki/garden/ca.key is missing"}},
		"a garbled CA refuses":                        {change: garbled("pki/garden/ca.key"), want: []string{"pki/garden/ca.key is damaged"}},
		"a removed client CA refuses":                 {change: removed("pki/garden/client-ca.key"), want: []string{"pki/garden/client-ca.key is missing"}},
		"a removed front-proxy CA refuses":            {change: removed("pki/seed/front-proxy-ca.key"), want: []string{"pki/seed/front-proxy-ca.key is missing"}},
		"removed service-account keys refuse":         {change: removed("pki/garden/service-account.key", "pki/seed/service-account.key"), want: []string{"pki/garden/service-account.key is missing", "pki/seed/service-account.key is missing"}},
		"all keys removed refuse":                     {change: removed("pki"), want: []string{"pki/garden/ca.key is missing", "pki/seed/pods.key is missing"}},
		"the keys of another landscape refuse":        {change: ofAnother("pki"), want: []string{"pki/garden/ca.key is another key", "pki/seed/pods.key is another key"}},
		"removed data of all etcds refuse":            {change: removed("etcd"), want: []string{"etcd/etcd-garden has no data", `all objects in the cluster "garden" are lost`}},
		"removed data of an etcd refuse":              {change: removed("etcd/etcd-garden"), want: []string{"etcd/etcd-garden has no data"}},
		"an etcd without its log refuses":             {change: removed(log), want: []string{"etcd/etcd-garden cannot be used", "without a write-ahead log"}},
		"an etcd without its database refuses":        {change: removed(db), want: []string{"etcd/etcd-garden cannot be used", "without a database"}},
		"an etcd with a part of its database refuses": {change: cut(db), want: []string{"etcd/etcd-garden cannot be used"}},
		"an etcd with a garbled database refuses":     {change: garbled(db), want: []string{"etcd/etcd-garden cannot be used"}},
		"the data of another landscape refuse":        {change: ofAnother("etcd/etcd-garden"), want: []string{"etcd/etcd-garden has the data of another cluster"}},
		"all data of another landscape refuse":        {change: ofAnother("etcd"), want: []string{"two landscapes", "local-1", "local-2"}},
		"a removed store refuses":                     {change: removed("appliance.db"), want: []string{"appliance.db is missing"}, cured: true},
		"an emptied store refuses":                    {change: emptied("appliance.db"), want: []string{"appliance.db is empty"}, cured: true},
		"half a store refuses":                        {change: halved("appliance.db"), want: []string{"appliance.db has lost some of its content"}, cured: true},
		"a garbled store refuses":                     {change: garbled("appliance.db"), want: []string{"appliance.db is damaged"}, cured: true},
		"a store with another value refuses": {change: func(t *testing.T, p paths.Paths) {
			text, err := os.ReadFile(p.Store())
			check(t, err)
			check(t, os.WriteFile(p.Store(), []byte(strings.ReplaceAll(string(text), `"two"`, `"owt"`)), 0o600))
		}, want: []string{"appliance.db has lost some of its content"}, cured: true},
		"an older copy of the store refuses": {change: func(t *testing.T, p paths.Paths) {
			before, err := os.ReadFile(p.Store())
			check(t, err)
			s, err := store.Open(p.Store())
			check(t, err)
			_, err = ledger.Keep(p, s)
			check(t, errors.Join(err, s.SetSeed(store.Seed{Name: "three"}), s.Close(), os.WriteFile(p.Store(), before, 0o600)))
		}, want: []string{"is an older copy"}, cured: true},
		"the store of another landscape refuses":      {change: ofAnother("appliance.db"), want: []string{"two landscapes"}},
		"a removed store and a removed record refuse": {change: removed("appliance.db", "etcd/record.json"), want: []string{"appliance.db is missing"}, cured: true},
		"keys without a store and data refuse":        {change: removed("appliance.db", "etcd", "last-good"), want: []string{"appliance.db is missing"}},
		"data without a store and keys refuse":        {change: removed("appliance.db", "pki", "etcd/record.json", "last-good"), want: []string{"appliance.db is missing"}},
		"a removed store without a copy refuses":      {change: removed("appliance.db", "last-good"), want: []string{"appliance.db is missing"}},
		"several losses are told at once":             {change: all(removed("pki/garden/ca.key"), removed("etcd/etcd-garden")), want: []string{"pki/garden/ca.key is missing", "etcd/etcd-garden has no data"}},
	} {
		t.Run("APP-4 "+name, func(t *testing.T) {
			p, err := paths.New(filepath.Join(t.TempDir(), "it's a copy"))
			check(t, err)
			copyPath(t, mine, p.Root())
			tc.change(t, p)
			before := content(t, p.Root())
			err = ledger.Check(p)
			if after := content(t, p.Root()); after != before {
				t.Errorf("files were %s, are %s", before, after)
			}
			loss, isLoss := ledger.Lost(err)
			if len(tc.want) == 0 {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if !isLoss {
				t.Fatalf("error is %v, want one with %q", err, tc.want)
			}
			for _, part := range tc.want {
				if !strings.Contains(loss.Text, part) {
					t.Errorf("error is %q, want %q in it", loss.Text, part)
				}
			}
			if !strings.Contains(loss.Cure, "backup") || !strings.Contains(loss.Cure, "--purge") {
				t.Errorf("the cure is %q", loss.Cure)
			}
			_, command, offered := strings.Cut(loss.Cure, "put them back:\n")
			if offered != tc.cured {
				t.Fatalf("a command is offered: %t, want %t", offered, tc.cured)
			}
			if offered {
				if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", command, err, out)
				}
				check(t, ledger.Check(p))
			}
		})
	}
}

func TestCureBySnapshots(t *testing.T) {
	t.Run("APP-4 the cure of an etcd without data restores the snapshots that it has", func(t *testing.T) {
		p, err := paths.New(kept(t, "local-1"))
		check(t, err)
		check(t, os.RemoveAll(p.Etcd(etcdName)))
		command := "gardener etcd restore " + etcdName + " --state-dir " + paths.Quoted(p.Root())
		offered := func() bool {
			loss, isLoss := ledger.Lost(ledger.Check(p))
			return isLoss && strings.HasSuffix(loss.Cure, "put them back:\n"+command)
		}
		if offered() {
			t.Error("it restores snapshots that do not exist")
		}
		check(t, os.MkdirAll(filepath.Join(p.Snapshots(), etcdName), 0o700))
		check(t, os.WriteFile(filepath.Join(p.Snapshots(), etcdName, "one"), nil, 0o600))
		if !offered() {
			t.Errorf("%v is not cured by %s", ledger.Check(p), command)
		}
	})
}

func TestCheckOfNewAndOldDirectories(t *testing.T) {
	t.Run("APP-4 a directory that does not exist is new", func(t *testing.T) {
		p, err := paths.New(filepath.Join(t.TempDir(), "new"))
		check(t, errors.Join(err, ledger.Check(p)))
	})
	t.Run("APP-4 a directory without files is new", func(t *testing.T) {
		p, err := paths.New(t.TempDir())
		check(t, errors.Join(err, p.Create(), ledger.Check(p)))
	})
	t.Run("APP-6 a directory of an older binary is taken over with what it has", func(t *testing.T) {
		p, err := paths.New(t.TempDir())
		check(t, errors.Join(err, p.Create()))
		s, err := store.Open(p.Store())
		check(t, errors.Join(err, s.SetIdentity(store.Identity{Name: "local", ID: "x"})))
		defer s.Close()
		_, err = pki.New(p.PKI(), pki.Hosts{Seed: "local"}, time.Now).Ensure()
		check(t, errors.Join(err, ledger.Check(p)))
		k, err := ledger.Keep(p, s)
		check(t, errors.Join(err, k.NoteKeys(), ledger.Check(p)))
		check(t, os.Remove(filepath.Join(p.PKI(), "seed", "ca.key")))
		if _, isLoss := ledger.Lost(ledger.Check(p)); !isLoss {
			t.Error("the key is not missed")
		}
	})
	t.Run("OPR-29 a rotation that is killed at any point leaves a directory that starts", func(t *testing.T) {
		p, err := paths.New(kept(t, "local-4"))
		check(t, err)
		s, err := store.Open(p.Store())
		check(t, err)
		k, err := ledger.Keep(p, s)
		check(t, err)
		keys := pki.New(p.PKI(), pki.Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now)
		errKilled := errors.New("killed")
		for number := 1; ; number++ { // of the notes before the one at which it is killed
			left := number
			rotation := pki.Rotation{PKI: keys, Note: func(file string, fingerprints ...string) error {
				if left--; left == 0 {
					return errKilled
				}
				return k.NoteRotation(file, fingerprints...)
			}}
			err := rotation.NewEncryptionKey("one")
			for _, step := range []func(pki.Rotation, string) error{
				pki.Rotation.NewServiceAccountKey, pki.Rotation.TrustNextAuthorities, pki.Rotation.UseNextClientAuthorities, pki.Rotation.UseNextServerAuthority,
			} {
				if err == nil {
					err = step(rotation, "one")
				}
				check(t, ledger.Check(p))
			}
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
		}
		check(t, pki.Rotation{PKI: keys, Note: k.NoteRotation}.TrustNextAuthorities("two"))
		check(t, s.Close())
		for _, file := range []string{"service-account.key", "encryption.yaml", "client-ca.key", "ca.key", "ca.next.key"} {
			key := filepath.Join(p.PKI(), "garden", file)
			content, err := os.ReadFile(key)
			check(t, err)
			check(t, os.Remove(key))
			if _, isLoss := ledger.Lost(ledger.Check(p)); !isLoss {
				t.Errorf("%s is not missed", file)
			}
			check(t, os.WriteFile(key, content, 0o600))
		}
	})
	t.Run("APP-4 a key is put back from a copy of an upgrade", func(t *testing.T) {
		p, err := paths.New(kept(t, "local-3"))
		check(t, err)
		copyPath(t, p.PKI(), filepath.Join(p.Upgrade("20260101-000000-format-4-kubernetes-1.36"), "pki"))
		check(t, os.Remove(filepath.Join(p.PKI(), "garden", "ca.key")))
		loss, isLoss := ledger.Lost(ledger.Check(p))
		if !isLoss {
			t.Fatal("the key is not missed")
		}
		_, command, _ := strings.Cut(loss.Cure, "put them back:\n")
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
		check(t, ledger.Check(p))
	})
}

// content names all files below a directory with their sizes and times.
func content(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	check(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		fmt.Fprintln(&text, path, info.Size(), info.ModTime())
		return err
	}))
	return text.String()
}

func copyPath(t *testing.T, from, to string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(to), 0o700))
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v\n%s", err, out)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
