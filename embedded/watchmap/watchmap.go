// Package watchmap changes the events of a watch on their way. It differs from watch.Filter of apimachinery in one respect: it
// leaves no goroutine behind if a watch is stopped while an event waits for its reader. It imports apimachinery only.
package watchmap

import (
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// New returns a watch with the events of the given one, each as change returns it. Stopping the new watch stops the given one.
func New(events watch.Interface, change func(watch.Event) watch.Event) watch.Interface {
	m := &mapped{events: events, result: make(chan watch.Event), stopped: make(chan struct{})}
	go m.run(change)
	return m
}

type mapped struct {
	events  watch.Interface
	result  chan watch.Event
	once    sync.Once
	stopped chan struct{}
}

// ResultChan implements watch.Interface.
func (m *mapped) ResultChan() <-chan watch.Event { return m.result }

// Stop implements watch.Interface. It may be called more than once.
func (m *mapped) Stop() {
	m.once.Do(func() { close(m.stopped) })
	m.events.Stop()
}

func (m *mapped) run(change func(watch.Event) watch.Event) {
	defer close(m.result)
	for event := range m.events.ResultChan() {
		select {
		case m.result <- change(event):
		case <-m.stopped:
			return
		}
	}
}
