package component

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Supervisor starts parts in the order of their dependencies, watches them, and stops them in reverse. Parts that do not
// depend on each other start in parallel. Create it with NewSupervisor; Run may be called once.
type Supervisor struct {
	parts   []Part
	observe func(Status)

	mu       sync.Mutex
	statuses map[string]*Status
	lacking  map[string]bool // names of parts that do not run because a user has stopped a part, see orders.go
	touched  []string        // names in the order of Start, added before Start so that a half-started part is stopped, too
	ready    chan struct{}

	orders map[string]chan order // by name of the part; see orders.go
	failed func(error)
}

// order stops or starts one part while the others go on.
type order struct {
	stop bool
	done chan<- error // buffered for the one answer
}

// NewSupervisor checks the parts: names are unique, and every name in After and Uses belongs to an earlier part of the list. observe
// is called on each change of a status. It may be nil and must not block.
func NewSupervisor(parts []Part, observe func(Status)) (*Supervisor, error) {
	s := &Supervisor{parts: parts, observe: observe, statuses: map[string]*Status{}, ready: make(chan struct{}), orders: map[string]chan order{}, lacking: map[string]bool{}, failed: func(error) {}}
	needed := dependents(parts)
	for _, p := range parts {
		if _, exists := s.statuses[p.Name()]; exists {
			return nil, fmt.Errorf("part %q exists twice", p.Name())
		}
		for _, before := range slices.Concat(p.After, p.Uses) {
			if _, exists := s.statuses[before]; !exists {
				return nil, fmt.Errorf("part %q comes after %q, which is not listed before it", p.Name(), before)
			}
		}
		s.statuses[p.Name()] = &Status{Name: p.Name(), Title: p.Title, State: Waiting, Health: p.Health, NeededBy: needed[p.Name()], Once: isStep(p.Component)}
		s.orders[p.Name()] = make(chan order)
	}
	return s, nil
}

// OnFailure calls a function with the reason when a part ends that cannot be restarted, before the others are stopped. It may be
// called again for parts that end as a consequence. Call it before Run.
func (s *Supervisor) OnFailure(failed func(error)) { s.failed = failed }

// AllReady is closed once every part is ready for the first time.
func (s *Supervisor) AllReady() <-chan struct{} { return s.ready }

// Statuses returns the current status of every part in the order of the list.
func (s *Supervisor) Statuses() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Status
	for _, p := range s.parts {
		all = append(all, *s.statuses[p.Name()])
	}
	return all
}

func (s *Supervisor) set(p Part, change func(*Status)) {
	s.mu.Lock()
	status := s.statuses[p.Name()]
	before := *status
	change(status)
	status.Message = oneLine(status.Message)
	after := *status
	s.mu.Unlock()
	if s.observe != nil && before != after {
		s.observe(after)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// dependents returns, for each part, the names of the parts that need it, directly or through others, separated by commas.
func dependents(parts []Part) map[string]string {
	out := map[string]string{}
	for i, needed := range parts {
		lost := map[string]bool{needed.Name(): true}
		var names []string
		for _, p := range parts[i+1:] {
			if slices.ContainsFunc(slices.Concat(p.After, p.Uses), func(name string) bool { return lost[name] }) {
				lost[p.Name()] = true
				names = append(names, p.Name())
			}
		}
		out[needed.Name()] = strings.Join(names, ",")
	}
	return out
}
