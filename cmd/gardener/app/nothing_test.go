package app

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/appliance/component"
)

func TestLogsOfUnknownParts(t *testing.T) {
	running := []component.Status{{Name: "garden-etcd"}, {Name: "silent"}}
	for part, want := range map[string]string{
		"nosuch":    "error: there is no part \"nosuch\", and the log has no lines of it (GRD-600)\nhint:  there are etcd, etcd-client, garden-etcd, gardenlet, seed-operators, silent\n",
		"silent":    "",
		"gardenlet": "",
		"":          "",
	} {
		t.Run("APP-35 part "+part, func(t *testing.T) {
			logs := logging{tail: 0, filter: logFilter{part: part}}
			var out bytes.Buffer
			if err := logs.printTail(&filteredWriter{w: &out, filter: &logs.filter}, strings.NewReader(someLog)); err != nil {
				t.Fatal(err)
			}
			report(logs.filter.unknownPart(running), newDisplay(), &out)
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEventsOfUnknownShoots(t *testing.T) {
	t.Run("APP-35 a shoot that does not exist is an error", func(t *testing.T) {
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		cmd.SetOut(&out)
		garden := fake.NewClientBuilder().WithScheme(gardenScheme()).Build()
		_, err := (&eventListing{output: "table"}).print(cmd, garden, sun.Namespace, &sun)
		if code := report(err, newDisplay(), &out); code != codeNotFound || !strings.HasPrefix(out.String(), "error: shoot garden-sky/sun does not exist") {
			t.Errorf("exit code %d: %s", code, out.String())
		}
	})
}

func TestNothingToList(t *testing.T) {
	t.Run("APP-35 a namespace without events says so", func(t *testing.T) {
		var out, said bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		cmd.SetOut(&out)
		cmd.SetErr(&said)
		garden := fake.NewClientBuilder().WithScheme(gardenScheme()).Build()
		_, err := (&eventListing{output: "table", shown: newDisplay()}).print(cmd, garden, "dev", nil)
		if err != nil || out.Len() > 0 || said.String() != "no events in namespace dev\n" {
			t.Errorf("%v, printed %q, said %q", err, out.String(), said.String())
		}
	})
	t.Run("APP-35 a directory without backups says so", func(t *testing.T) {
		var out, said bytes.Buffer
		dir := t.TempDir()
		root := newRoot(newDisplay())
		root.SetOut(&out)
		root.SetErr(&said)
		root.SetArgs([]string{"backup", "list", "--in", dir})
		if err := root.Execute(); err != nil || out.Len() > 0 || !strings.HasPrefix(said.String(), "no backups in "+dir+"; ") {
			t.Errorf("%v, printed %q, said %q", err, out.String(), said.String())
		}
	})
	t.Run("APP-35 for programs, an empty list is one", func(t *testing.T) {
		var out bytes.Buffer
		root := newRoot(newDisplay())
		root.SetOut(&out)
		root.SetArgs([]string{"backup", "list", "--in", t.TempDir(), "-o", "json"})
		if err := root.Execute(); err != nil || strings.TrimSpace(out.String()) != "[]" {
			t.Errorf("%v, printed %q", err, out.String())
		}
	})
}

func TestNoShoots(t *testing.T) {
	t.Run("APP-35 the hint names the namespace", func(t *testing.T) {
		for namespace, want := range map[string]string{
			"":    `no shoots; create one with "gardener shoot create NAME"`,
			"dev": `no shoots in namespace dev; create one with "gardener shoot create NAME -n dev"`,
		} {
			if got := noShoots(namespace); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
}
