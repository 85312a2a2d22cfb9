package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func node(name, podRange, address string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{PodCIDR: podRange}}
	if address != "" {
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}, {Type: corev1.NodeInternalIP, Address: address}}
	}
	return n
}

func TestPlan(t *testing.T) {
	for name, tc := range map[string]struct {
		nodes      []*corev1.Node
		wantOwn    string
		wantRoutes map[string]string
	}{
		"a node alone has its range and no routes": {
			nodes: []*corev1.Node{node("a", "10.0.0.0/24", "1.1.1.1")}, wantOwn: "10.0.0.0/24", wantRoutes: map[string]string{},
		},
		"other nodes are reached by their internal address": {
			nodes:   []*corev1.Node{node("a", "10.0.0.0/24", "1.1.1.1"), node("b", "10.0.1.0/24", "1.1.1.2")},
			wantOwn: "10.0.0.0/24", wantRoutes: map[string]string{"10.0.1.0/24": "1.1.1.2"},
		},
		"nodes without address or range are left for later": {
			nodes:   []*corev1.Node{node("a", "10.0.0.0/24", ""), node("b", "", "1.1.1.2"), node("c", "10.0.2.0/24", "")},
			wantOwn: "10.0.0.0/24", wantRoutes: map[string]string{},
		},
		"a node without range has nothing to write": {nodes: []*corev1.Node{node("a", "", "")}, wantRoutes: map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			own, routes := plan(tc.nodes, "a")
			if own != tc.wantOwn {
				t.Errorf("own range %q, want %q", own, tc.wantOwn)
			}
			if diff := cmp.Diff(tc.wantRoutes, routes); diff != "" {
				t.Errorf("routes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSettingsAreDue(t *testing.T) {
	begin := time.Unix(1000, 0)
	last := settings{own: "10.0.0.0/24", routes: map[string]string{"10.0.1.0/24": "1.1.1.2"}, at: begin}
	for name, tc := range map[string]struct {
		own    string
		routes map[string]string
		after  time.Duration
		want   bool
	}{
		"settings that have not changed are not":          {own: last.own, routes: map[string]string{"10.0.1.0/24": "1.1.1.2"}, after: interval},
		"another range is":                                {own: "10.0.9.0/24", routes: last.routes, after: interval, want: true},
		"a node with another address is":                  {own: last.own, routes: map[string]string{"10.0.1.0/24": "1.1.1.3"}, after: interval, want: true},
		"a node that has gone is":                         {own: last.own, routes: map[string]string{}, after: interval, want: true},
		"what somebody may have removed is, after a time": {own: last.own, routes: last.routes, after: repair, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := last.due(tc.own, tc.routes, begin.Add(tc.after)); got != tc.want {
				t.Errorf("due is %t, want %t", got, tc.want)
			}
		})
	}
	if !(settings{}).due(last.own, last.routes, begin) {
		t.Error("the first settings are not due")
	}
}

func TestWriteConfigLeavesAnEqualFileAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, configFile)
	if err := writeConfig(dir, "10.0.0.0/24"); err != nil {
		t.Fatal(err)
	}
	old := time.Unix(1, 0)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	for range 2 { // containerd reads the directory again whenever something changes in it
		if err := writeConfig(dir, "10.0.0.0/24"); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.ModTime().Equal(old) {
		t.Error("an equal configuration was written again")
	}
	if err := writeConfig(dir, "10.0.1.0/24"); err != nil {
		t.Fatal(err)
	}
	if info, err = os.Stat(path); err != nil || info.ModTime().Equal(old) {
		t.Errorf("a changed configuration was not written (error %v)", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory has %d files (error %v), want the configuration only", len(entries), err)
	}
}
