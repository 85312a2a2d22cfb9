package cluster

import (
	"encoding/json"
	"fmt"
	"sync"

	kindlog "sigs.k8s.io/kind/pkg/log"
)

// teller tells the landscape what the kind library logs.
type teller struct {
	mu  sync.Mutex
	out *json.Encoder
}

var _ kindlog.Logger = &teller{}

func (t *teller) tell(line told) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.out.Encode(line) // fails only if the landscape has ended, and then this process does
}

func (t *teller) Warn(message string)                      { t.tell(told{Warning: message}) }
func (t *teller) Warnf(format string, args ...any)         { t.Warn(fmt.Sprintf(format, args...)) }
func (t *teller) Error(message string)                     { t.tell(told{Error: message}) }
func (t *teller) Errorf(format string, args ...any)        { t.Error(fmt.Sprintf(format, args...)) }
func (t *teller) V(level kindlog.Level) kindlog.InfoLogger { return infoTeller{t, level} }

type infoTeller struct {
	teller *teller
	level  kindlog.Level
}

func (t infoTeller) Info(message string)              { t.teller.tell(told{Info: message, Level: t.level}) }
func (t infoTeller) Infof(format string, args ...any) { t.Info(fmt.Sprintf(format, args...)) }
func (t infoTeller) Enabled() bool                    { return true }
