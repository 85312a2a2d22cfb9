package app

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/bundle"
)

func TestTheQuietAreToldWhatMatters(t *testing.T) {
	made := restoredEtcd{
		Etcd: "etcd-garden", Revision: 7, Deltas: 1, Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local), Former: "/state/etcd/etcd-garden.1",
		Refused: map[string]string{"v2/Full-b": "its digest is wrong", "v2/Full-a": "it is cut off"},
	}
	restored := "restored to 2026-01-02 03:04:05 (revision 7, deltas applied: 1)"
	opened := &bundle.Bundle{Key: ed25519.PublicKey(make([]byte, ed25519.PublicKeySize))}
	fingerprint := bundle.Fingerprint(opened.Key)
	key := filepath.Join(t.TempDir(), "bundle.key")
	for name, tc := range map[string]struct {
		tell   func(*testing.T, *cobra.Command, *display)
		notes  string // also to the quiet
		says   string
		events []event
	}{
		"of a restored etcd": {
			tell:  func(_ *testing.T, cmd *cobra.Command, shown *display) { made.tell(cmd, shown) },
			notes: "warning: v2/Full-a was not used: it is cut off\nwarning: v2/Full-b was not used: its digest is wrong\nnote: the former data of etcd-garden are in /state/etcd/etcd-garden.1\n",
			says:  "etcd-garden is " + restored + "\n",
			events: []event{
				{Object: "command", State: "warning", Message: "v2/Full-a was not used: it is cut off"}, {Object: "command", State: "warning", Message: "v2/Full-b was not used: its digest is wrong"},
				{Object: "etcd etcd-garden", State: "former data kept", Message: made.Former}, {Object: "etcd etcd-garden", State: "restored", Message: restored},
			},
		},
		"of a signature": {
			tell: func(_ *testing.T, cmd *cobra.Command, shown *display) {
				tellSignature(cmd.ErrOrStderr(), shown, "a.bundle", opened)
			},
			notes:  "note: bundle a.bundle is signed by " + fingerprint + "\n",
			events: []event{{Object: "bundle a.bundle", State: "signed", Message: fingerprint}},
		},
		"of a new key": {
			tell: func(t *testing.T, cmd *cobra.Command, shown *display) {
				file := filepath.Join(t.TempDir(), "bundle.key")
				var told bytes.Buffer
				if _, err := (bundleFlags{key: file}).request(&told, &globalFlags{display: shown}, "a.bundle"); err != nil {
					t.Fatal(err)
				}
				_, _ = io.WriteString(cmd.ErrOrStderr(), strings.ReplaceAll(told.String(), file, key))
			},
			notes:  "note: made the key " + key + "; hand " + key + ".pub to the site\n",
			events: []event{{Object: "key " + key, State: "made", Message: "made the key " + key + "; hand " + key + ".pub to the site"}},
		},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			told := func(flag string) (string, string) {
				shown, err := withFlags(t, flag)
				if err != nil {
					t.Fatal(err)
				}
				var out, errs bytes.Buffer
				cmd := &cobra.Command{}
				cmd.SetOut(&out)
				cmd.SetErr(&errs)
				tc.tell(t, cmd, shown)
				return out.String(), errs.String()
			}
			if out, errs := told("--progress=auto"); out != tc.says || errs != tc.notes {
				t.Errorf("it says %q, and notes %q", out, errs)
			}
			if out, errs := told("-q"); out != "" || errs != tc.notes {
				t.Errorf("it says %q to the quiet, and notes %q", out, errs)
			}
			out, errs := told("--progress=json")
			var events []event
			for line := range strings.Lines(errs + out) {
				var e event
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Fatal(err)
				}
				e.Time = time.Time{}
				events = append(events, e)
			}
			if diff := cmp.Diff(tc.events, events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
