package state

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

func TestPaused(t *testing.T) {
	p, err := paths.New(t.TempDir())
	if err == nil {
		err = p.Create()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, paused := Paused(p); paused {
		t.Error("APP-23 a landscape is paused that nobody has paused")
	}
	pause := NewPause("v1")
	if err := NotePaused(p, pause); err != nil {
		t.Fatal(err)
	}
	if got, paused := Paused(p); !paused || got != pause || got.Since.IsZero() {
		t.Errorf("APP-23 got %v, %v, want %v", got, paused, pause)
	}
	t.Run("APP-23 a short pause is one of the same system and binary", func(t *testing.T) {
		later := pause
		later.Boot = "another"
		if !pause.Short("v1") || pause.Short("v2") || later.Short("v1") || (Pause{Version: "v1"}).Short("v1") {
			t.Errorf("of %+v", pause)
		}
	})
	t.Run("APP-23 a damaged note still says that it is paused", func(t *testing.T) {
		if err := os.WriteFile(paths.Paused(p), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, paused := Paused(p); !paused || !got.Since.Equal(time.Time{}) {
			t.Errorf("got %v, %v", got, paused)
		}
	})
	t.Run("APP-23 what runs can neither be noted as paused nor as stopped", func(t *testing.T) {
		lock, err := daemon.Acquire(p.Lock())
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Release()
		if err := NotePaused(p, pause); !errors.Is(err, daemon.ErrRunning) {
			t.Errorf("got %v", err)
		}
		if _, err := ForgetPaused(p); !errors.Is(err, daemon.ErrRunning) {
			t.Errorf("got %v", err)
		}
	})
	if paused, err := ForgetPaused(p); !paused || err != nil {
		t.Errorf("APP-23 got %v, %v", paused, err)
	}
	if paused, err := ForgetPaused(p); paused || err != nil {
		t.Errorf("APP-23 a second time: %v, %v", paused, err)
	}
}
