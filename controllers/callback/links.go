package callback

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

const (
	// firstPause is the pause before a pod is tried again. It doubles up to lastPause.
	firstPause = 250 * time.Millisecond
	lastPause  = 5 * time.Second
)

// links are the connections to pods. Each one is made again when it breaks, until its pod is dropped.
type links struct {
	connect func(context.Context, types.NamespacedName) (io.ReadWriteCloser, error)
	answer  func(context.Context, io.ReadWriteCloser, func()) error
	clock   clock.Clock
	log     logr.Logger

	mu      sync.Mutex
	wanted  map[types.NamespacedName]context.CancelFunc // nil before run
	running context.Context                             // nil before run
	wg      sync.WaitGroup
}

func newLinks(connect func(context.Context, types.NamespacedName) (io.ReadWriteCloser, error), answer func(context.Context, io.ReadWriteCloser, func()) error, c clock.Clock, log logr.Logger) *links {
	return &links{connect: connect, answer: answer, clock: c, log: log, wanted: map[types.NamespacedName]context.CancelFunc{}}
}

// run connects to the pods that are kept until ctx ends, and then ends all connections.
func (l *links) run(ctx context.Context) error {
	l.mu.Lock()
	l.running = ctx
	for pod := range l.wanted {
		l.start(pod)
	}
	l.mu.Unlock()
	<-ctx.Done()
	l.mu.Lock()
	l.running = nil
	l.mu.Unlock()
	l.wg.Wait()
	return nil
}

// keep connects to a pod. It does nothing if the pod is kept already.
func (l *links) keep(pod types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, kept := l.wanted[pod]; kept {
		return
	}
	l.wanted[pod] = nil
	if l.running != nil {
		l.start(pod)
	}
}

// drop ends the connection to a pod, if there is one.
func (l *links) drop(pod types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if end := l.wanted[pod]; end != nil {
		end()
	}
	delete(l.wanted, pod)
}

// start begins to connect. The caller holds the lock.
func (l *links) start(pod types.NamespacedName) {
	ctx, cancel := context.WithCancel(l.running)
	l.wanted[pod] = cancel
	l.wg.Go(func() {
		defer cancel()
		l.follow(ctx, pod)
	})
}

// follow connects again and again until ctx ends. It logs an error only if it differs from the one before.
func (l *links) follow(ctx context.Context, pod types.NamespacedName) {
	log := l.log.WithValues("pod", pod.Name)
	pause, said := firstPause, ""
	for {
		err := l.once(ctx, pod, func() {
			log.Info("Seed is connected for calls of its pods and its API server")
			pause, said = firstPause, ""
		})
		if ctx.Err() != nil {
			return
		}
		if text := err.Error(); text != said {
			log.Info("Seed is not connected, will try again", "reason", text)
			said = text
		}
		select {
		case <-ctx.Done():
			return
		case <-l.clock.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// once connects, and answers until the connection breaks. It has no time limit: an attempt at an API server that hangs ends when that goes on
// or its connection breaks, and attempts that begin meanwhile would hang as well.
func (l *links) once(ctx context.Context, pod types.NamespacedName, up func()) error {
	conn, err := l.connect(ctx, pod)
	if err != nil {
		return err
	}
	return l.answer(ctx, conn, up)
}
