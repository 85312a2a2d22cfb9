package pki

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gardener-up/gardener-up/embedded/wallclock"
	"github.com/gardener-up/gardener-up/embedded/wallclock/wallclocktest"
)

func TestRenewalAfterSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		laptop := wallclocktest.New(time.Now())
		p := New(t.TempDir(), Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, laptop.Now)
		first := ensure(t, p)
		before := read(t, first.Garden.Server.Cert)
		ctx, cancel := context.WithCancel(t.Context())
		ended, renewals := make(chan error, 1), 0
		go func() {
			ended <- p.RunRenewal(ctx, laptop, func(_ *Bundle, err error) {
				renewals++
				if err != nil {
					t.Error(err)
				}
			})
		}()
		synctest.Wait()
		laptop.Step(wallclock.Look)
		synctest.Wait()
		if renewals != 0 {
			t.Errorf("certificates were looked at after a minute")
		}
		laptop.Sleep(leafValidity) // all certificates have ended meanwhile
		laptop.Step(wallclock.Look)
		synctest.Wait()
		if renewals != 1 || read(t, first.Garden.Server.Cert) == before {
			t.Errorf("APP-10 a minute after the machine woke, there were %d renewals, and the certificate is the same: %t", renewals, read(t, first.Garden.Server.Cert) == before)
		}
		cancel()
		synctest.Wait()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the loop ends with %v", err)
		}
	})
}

func TestRenewalAfterTheClockWasAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		right := time.Now()
		laptop := wallclocktest.New(right.Add(24 * time.Hour))
		p := New(t.TempDir(), Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, laptop.Now)
		first := ensure(t, p)
		renewals := 0
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _ = p.RunRenewal(ctx, laptop, func(*Bundle, error) { renewals++ }) }()
		synctest.Wait()
		laptop.Sleep(-24 * time.Hour) // somebody sets the clock
		laptop.Step(wallclock.Look)
		synctest.Wait()
		cert, err := readCertificate(first.Garden.Server.Cert)
		if err != nil {
			t.Fatal(err)
		}
		if renewals != 1 || laptop.Now().Before(cert.NotBefore) {
			t.Errorf("APP-10 a minute after the clock was set back to %s, there were %d renewals, and the certificate is valid from %s", laptop.Now(), renewals, cert.NotBefore)
		}
		cancel()
		synctest.Wait()
	})
}
