package webhook_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"maps"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/webhook"
)

func TestRenew(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	hosts := []string{"grm.garden.svc", "127.0.0.1"}
	renew := func(t *testing.T, data map[string][]byte, at time.Duration) (map[string][]byte, bool) {
		t.Helper()
		data, changed, err := webhook.Renew(data, hosts, begin.Add(at))
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.X509KeyPair(data["tls.crt"], data["tls.key"])
		if err != nil {
			t.Fatal(err)
		}
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(webhook.Bundle(data))
		for _, host := range hosts {
			if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: host, CurrentTime: begin.Add(at)}); err != nil {
				t.Fatalf("certificate for %s: %v", host, err)
			}
		}
		return data, changed
	}
	first, changed := renew(t, nil, 0)
	if !changed {
		t.Error("nothing was made")
	}
	for name, tc := range map[string]struct {
		change          func(map[string][]byte)
		at              time.Duration
		cert, authority bool // are new
	}{
		"a fresh certificate is kept":                       {at: day},
		"at 80 % of its life it is replaced":                {at: 25 * day, cert: true},
		"the authority is replaced at 80 % of its own life": {at: 73 * day, cert: true, authority: true},
		"after a clock that ran ahead both are replaced":    {at: -30 * day, cert: true, authority: true},
		"a broken certificate is replaced":                  {change: func(d map[string][]byte) { d["tls.crt"] = []byte("x") }, cert: true},
		"a broken authority is replaced":                    {change: func(d map[string][]byte) { d["ca.key"] = nil }, cert: true, authority: true},
	} {
		t.Run(name, func(t *testing.T) {
			data := maps.Clone(first)
			if tc.change != nil {
				tc.change(data)
			}
			next, changed := renew(t, data, tc.at)
			if got := !bytes.Equal(next["tls.crt"], first["tls.crt"]); got != tc.cert || changed != tc.cert {
				t.Errorf("new certificate: %v, changed: %v; want %v", got, changed, tc.cert)
			}
			if got := !bytes.Equal(next["ca.crt"], first["ca.crt"]); got != tc.authority {
				t.Errorf("new authority: %v, want %v", got, tc.authority)
			}
			if !bytes.Contains(webhook.Bundle(next), first["ca.crt"]) {
				t.Error("the old authority is not trusted any more")
			}
		})
	}
	t.Run("another host needs another certificate", func(t *testing.T) {
		next, changed, err := webhook.Renew(first, []string{"other.garden.svc"}, begin.Add(day))
		if err != nil || !changed || !bytes.Equal(next["ca.crt"], first["ca.crt"]) {
			t.Errorf("changed %v, %v", changed, err)
		}
	})
}

// TestRenewAnnounced walks through the life of an authority, in steps of a server that looks every five minutes.
func TestRenewAnnounced(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const announced = time.Hour
	hosts := []string{"webhooks.extension-example.svc"}
	data, _, err := webhook.RenewAnnounced(nil, hosts, now, announced)
	if err != nil {
		t.Fatal(err)
	}
	bundles := []struct {
		at     time.Time
		bundle []byte
	}{{now, webhook.Bundle(data)}}
	authorities := map[string]bool{}
	for step := 0; step < 200*24*12; step += 7 {
		at := now.Add(time.Duration(step) * 5 * time.Minute)
		next, changed, err := webhook.RenewAnnounced(data, hosts, at, announced)
		if err != nil {
			t.Fatal(err)
		}
		if changed {
			data = next
			bundles = append(bundles, struct {
				at     time.Time
				bundle []byte
			}{at, webhook.Bundle(data)})
		}
		if !changed && step > 0 {
			continue
		}
		authorities[string(data["ca.crt"])] = true
		pair, err := tls.X509KeyPair(data["tls.crt"], data["tls.key"])
		if err != nil {
			t.Fatal(err)
		}
		// what an API server knows that is told of each bundle almost an hour later
		known := bundles[0].bundle
		for _, b := range bundles {
			if !b.at.Add(announced - 10*time.Minute).After(at) {
				known = b.bundle
			}
		}
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(known)
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: hosts[0], CurrentTime: at}); err != nil {
			t.Fatalf("after %v the server's certificate is not trusted by an API server that learns late: %v", at.Sub(now), err)
		}
	}
	if len(authorities) < 3 {
		t.Errorf("%d authorities in 200 days, want three", len(authorities))
	}
}

func TestRenewAnnouncedAtOnce(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	hosts := []string{"webhooks.extension-example.svc"}
	first, _, err := webhook.RenewAnnounced(nil, hosts, begin, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]time.Duration{"an authority that has expired": 91 * 24 * time.Hour, "one of a clock that ran ahead": -24 * time.Hour} {
		t.Run(name+" is replaced at once", func(t *testing.T) {
			next, changed, err := webhook.RenewAnnounced(first, hosts, begin.Add(at), time.Hour)
			if err != nil || !changed || bytes.Equal(next["ca.crt"], first["ca.crt"]) {
				t.Errorf("changed %v, %v", changed, err)
			}
		})
	}
	announcing, _, err := webhook.RenewAnnounced(first, hosts, begin.Add(73*24*time.Hour), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(map[string][]byte){"has expired": func(map[string][]byte) {}, "is broken": func(d map[string][]byte) { d["ca.crt"] = []byte("x") }} {
		t.Run("EXT-24 an authority that "+name+" is replaced by the one that was announced", func(t *testing.T) {
			data := maps.Clone(announcing)
			change(data)
			next, changed, err := webhook.RenewAnnounced(data, hosts, begin.Add(91*24*time.Hour), time.Hour)
			if err != nil || !changed || !bytes.Equal(next["ca.crt"], announcing["ca-next.crt"]) || len(next["ca-next.crt"]) > 0 {
				t.Errorf("changed %v, %v", changed, err)
			}
			if old := next["ca-old.crt"]; len(old) > 0 && !bytes.Equal(old, first["ca.crt"]) {
				t.Errorf("it trusts %q as well", old)
			}
		})
	}
	t.Run("a certificate for another host is made while the next authority is announced", func(t *testing.T) {
		at := begin.Add(73 * 24 * time.Hour)
		during, _, err := webhook.RenewAnnounced(first, hosts, at, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		next, changed, err := webhook.RenewAnnounced(during, []string{"other.extension-example.svc"}, at.Add(time.Minute), time.Hour)
		if err != nil || !changed || !bytes.Equal(next["ca.crt"], first["ca.crt"]) || !bytes.Equal(next["ca-next.crt"], during["ca-next.crt"]) {
			t.Errorf("changed %v, %v", changed, err)
		}
	})
}
