package runtime

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Annotations of a pod say what its simulated containers do: how long one takes to start and how long it runs, as durations such as 1.5s, and
// the code from 0 to 255 with which it ends. Followed by a dot and the name of a container, they count for that one only. A container
// with one of the last two ends. Without them, init containers and those of Jobs end at once with 0, and others run on.
const (
	startDelayAnnotation = "simulation.gardener.local/start-delay"
	runForAnnotation     = "simulation.gardener.local/run-for"
	exitCodeAnnotation   = "simulation.gardener.local/exit-code"
)

// longestDelay bounds the first duration: the kubelet waits for a container to start.
const longestDelay = 10 * time.Minute

// acting is what a simulated container does.
type acting struct {
	Delay time.Duration `json:"delay,omitempty"`
	Ends  bool          `json:"ends,omitempty"`
	Runs  time.Duration `json:"runs,omitempty"` // if it ends
	Code  int           `json:"code,omitempty"`
}

// actingOf reads the annotations of a pod. completes is whether the container ends if they do not say otherwise.
func actingOf(annotations map[string]string, container string, completes bool) (acting, error) {
	a, problems := acting{Ends: completes}, []error(nil)
	read := func(key string, take func(value string) error) bool {
		value, own := annotations[key+"."+container]
		if !own {
			if value, own = annotations[key]; !own {
				return false
			}
		}
		if err := take(value); err != nil {
			problems = append(problems, fmt.Errorf("annotation %s is %q: %w", key, value, err))
		}
		return true
	}
	duration := func(into *time.Duration, most time.Duration) func(string) error {
		return func(value string) (err error) {
			*into, err = time.ParseDuration(value)
			if err != nil || *into < 0 || *into > most {
				return fmt.Errorf("it must be a duration from 0s to %s, such as 1.5s", most)
			}
			return nil
		}
	}
	read(startDelayAnnotation, duration(&a.Delay, longestDelay))
	runs := read(runForAnnotation, duration(&a.Runs, 1<<63-1))
	code := read(exitCodeAnnotation, func(value string) (err error) {
		a.Code, err = strconv.Atoi(value)
		if err != nil || a.Code < 0 || a.Code > 255 {
			return errors.New("it must be a number from 0 to 255")
		}
		return nil
	})
	a.Ends = a.Ends || runs || code
	return a, errors.Join(problems...)
}

// delay waits until the container starts.
func (a acting) delay(ctx context.Context) error {
	if a.Delay == 0 {
		return nil
	}
	timer := time.NewTimer(a.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endLater ends a simulated container in time, unless something else does. The caller must hold Runtime.mu, or be the only user of the Runtime.
func (r *Runtime) endLater(c *container) {
	if !c.record.Acting.Ends {
		return
	}
	c.timer = time.AfterFunc(time.Until(c.record.StartedAt.Add(c.record.Acting.Runs)), func() {
		r.mu.Lock()
		running := c.record.State == stateRunning && r.containers[c.record.ID] == c && !r.stopping
		var err error
		if running {
			c.acted()
			err = c.save()
		}
		r.mu.Unlock()
		if err != nil {
			r.log.Error(err, "Cannot record the end of a simulated container", "container", c.record.Name, "pod", c.sandbox.record.Name)
		}
		if running {
			r.notify(c.sandbox.record.PodUID)
		}
	})
}

// acted records the end. The caller must hold Runtime.mu.
func (c *container) acted() {
	reason := "Completed"
	if c.record.Acting.Code != 0 {
		reason = "Error"
		c.record.Message = "simulated: " + exitCodeAnnotation + " asks for this code"
	}
	c.exited(c.record.Acting.Code, reason)
}
