package nodes

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
)

// listed returns what is found at a server.
func listed(t *testing.T, handler http.HandlerFunc) ([]model.LabelSet, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := (&lister{client: server.Client(), server: at}).refresh(t.Context())
	if err != nil {
		return nil, err
	}
	return groups[0].Targets, nil
}

// begin writes how an answer begins.
func begin(w io.Writer, next int) {
	_, _ = fmt.Fprintf(w, `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1","continue":"%d"},"items":[`, next)
}

func TestNodes(t *testing.T) {
	t.Run("KON-4 of a node the name and the address are kept, nothing else that users write", func(t *testing.T) {
		all, err := listed(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"kind":"NodeList","metadata":{},"items":[{"metadata":{"name":"one","labels":{"a.b/c":"d"},"annotations":{"e":"f"}},"status":{
				"addresses":[{"type":"Long","address":"x"},{"type":"InternalIP","address":"no address"},{"type":"InternalIP","address":"10.0.0.1"},{"type":"InternalIP","address":"fd00::1"}],
				"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}}}},{"metadata":{"name":"two"}}]}`)
		})
		want := `[{__address__="10.0.0.1:10250", __meta_kubernetes_node_address_InternalIP="10.0.0.1", __meta_kubernetes_node_name="one", instance="one"} ` +
			`{__address__="two:0", __meta_kubernetes_node_name="two", instance="two"}]`
		if got := fmt.Sprint(all); err != nil || got != want {
			t.Errorf("found %s (%v), want %s", got, err, want)
		}
	})
	t.Run("KON-4 a cluster without nodes has none", func(t *testing.T) {
		for _, items := range []string{"null", "[]"} {
			all, err := listed(t, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `{"metadata":{},"items":`+items+`}`)
			})
			if err != nil || len(all) != 0 {
				t.Errorf("items %s: found %v (%v)", items, all, err)
			}
		}
	})
	t.Run("KON-4 the number of nodes is bounded", func(t *testing.T) {
		pages := 0
		all, err := listed(t, func(w http.ResponseWriter, r *http.Request) {
			pages++
			limit, _ := strconv.Atoi(r.FormValue("limit"))
			begin(w, pages)
			for i := range limit {
				_, _ = fmt.Fprintf(w, `%s{"metadata":{"name":"node-%d-%d"}}`, strings.Repeat(",", min(i, 1)), pages, i)
			}
			_, _ = io.WriteString(w, "]}")
		})
		if err != nil || len(all) != mostNodes || pages != mostNodes/pageSize {
			t.Errorf("found %d in %d pages (%v)", len(all), pages, err)
		}
	})
	t.Run("KON-4 a page that is too long does not hide other pages", func(t *testing.T) {
		all, err := listed(t, func(w http.ResponseWriter, r *http.Request) {
			if r.FormValue("continue") != "" {
				_, _ = io.WriteString(w, `{"metadata":{},"items":[{"metadata":{"name":"last"}}]}`)
				return
			}
			begin(w, 1)
			_, _ = io.WriteString(w, `{"metadata":{"name":"first"}}`)
			fat := strings.Repeat("x", 8<<20)
			for range longest / len(fat) {
				_, _ = fmt.Fprintf(w, `,{"metadata":{"name":"fat","labels":{"a":"%s"}}}`, fat)
			}
			_, _ = io.WriteString(w, "]}")
		})
		if err != nil || len(all) < 2 || all[0]["instance"] != "first" || all[len(all)-1]["instance"] != "last" {
			t.Errorf("found %v (%v)", all, err)
		}
	})
	t.Run("KON-4 an answer that breaks off is an error: nodes do not vanish by it", func(t *testing.T) {
		all, err := listed(t, func(w http.ResponseWriter, _ *http.Request) {
			begin(w, 1)
			_, _ = io.WriteString(w, `{"metadata":{"name":"first"}}`)
		})
		if err == nil {
			t.Errorf("found %v", all)
		}
	})
}
