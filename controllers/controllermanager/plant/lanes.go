package plant

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// slowAfter is how long a look may take without being slow. API servers nearby answer within a part of a second.
	slowAfter = 2 * time.Second
	// fullPause is after how long a Plant without a free worker tries again.
	fullPause = 2 * time.Second
	// longestPause is the longest time between two looks at a Plant whose server is slow.
	longestPause = 10 * time.Minute
)

// lanes share out the workers, so that users whose servers are slow do not take the time of others. The Plants of a namespace have half
// of the workers at most. So have all Plants together whose server is slow or has not answered yet. The zero value is ready for use,
// from many goroutines.
type lanes struct {
	mu      sync.Mutex
	plants  map[types.NamespacedName]lane
	looking map[string]int // by namespace
	slow    int            // looks at servers that are slow or unknown
}

// lane is what is known of a Plant.
type lane struct {
	quick bool // the last look was
	late  int  // slow looks in a row
}

// enter reserves a worker. Without a free one it returns false. Otherwise the caller has to call leave once, with the time that the look
// took. leave returns by which factor the period until the next look is longer than usual.
func (l *lanes) enter(plant types.NamespacedName, workers int) (leave func(took time.Duration) int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	most, quick := max(1, workers/2), l.plants[plant].quick
	if l.looking[plant.Namespace] >= most || !quick && l.slow >= most {
		return nil, false
	}
	if l.looking == nil {
		l.plants, l.looking = map[types.NamespacedName]lane{}, map[string]int{}
	}
	l.looking[plant.Namespace]++
	if !quick {
		l.slow++
	}
	return func(took time.Duration) int { return l.leave(plant, quick, took) }, true
}

func (l *lanes) leave(plant types.NamespacedName, quick bool, took time.Duration) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.looking[plant.Namespace]--; l.looking[plant.Namespace] == 0 {
		delete(l.looking, plant.Namespace)
	}
	if !quick {
		l.slow--
	}
	now := lane{quick: took <= slowAfter}
	if !now.quick {
		now.late = min(l.plants[plant].late+1, 10)
	}
	l.plants[plant] = now
	return 1 << now.late
}

// forget drops what is known of a Plant that is gone.
func (l *lanes) forget(plant types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.plants, plant)
}
