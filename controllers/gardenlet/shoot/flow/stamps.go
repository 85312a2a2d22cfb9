package flow

import (
	"sync"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// stamps remembers the requests of this run, so that waiting tells their answers from older ones.
type stamps struct {
	lock sync.Mutex
	of   map[string]string
}

func (s *stamps) set(object extensionsv1alpha1.Object, kind, stamp string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.of == nil {
		s.of = map[string]string{}
	}
	s.of[kind+"/"+object.GetName()] = stamp
}

func (s *stamps) get(object extensionsv1alpha1.Object, kind string) string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.of[kind+"/"+object.GetName()]
}
