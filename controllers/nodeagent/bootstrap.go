package nodeagent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
)

// bootstrap gets the token of a new machine by means of the bootstrap token, and waits until it exists. It does nothing
// if the machine already has a token.
func bootstrap(ctx context.Context, cfg config.Configuration, files Files, retry time.Duration, log logr.Logger) error {
	token, err := files.Read(config.PathToken)
	if err != nil {
		return fmt.Errorf("read token: %w", err)
	}
	i := slices.IndexFunc(cfg.Controllers.Token.SyncConfigs, func(s config.TokenSync) bool { return s.Path == config.PathToken })
	if i < 0 {
		return fmt.Errorf("the configuration names no source of the token for %s", config.PathToken)
	}
	for complained := false; len(token) == 0; complained = true {
		first, err := files.Read(config.PathBootstrapToken)
		if err != nil {
			return fmt.Errorf("read bootstrap token: %w", err)
		}
		restConfig := restConfigOf(cfg)
		restConfig.BearerToken = strings.TrimSpace(string(first))
		client, err := kubernetes.NewForConfig(restConfig)
		if err != nil {
			return fmt.Errorf("make client: %w", err)
		}
		agent := &Agent{Client: client, Files: files, Log: log, Clock: clock.RealClock{}}
		if err = agent.syncToken(ctx, cfg.Controllers.Token.SyncConfigs[i]); err == nil {
			break
		}
		if !complained {
			log.Error(err, "Waiting for the token of this machine")
		}
		if agent.sleep(ctx, retry); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := files.Remove(config.PathBootstrapToken); err != nil {
		return fmt.Errorf("remove bootstrap token: %w", err)
	}
	return nil
}

// restConfigOf returns a configuration without credentials.
func restConfigOf(cfg config.Configuration) *rest.Config {
	return &rest.Config{
		Host:            cfg.APIServer.Server,
		TLSClientConfig: rest.TLSClientConfig{CAData: cfg.APIServer.CABundle},
		UserAgent:       config.Name,
		Timeout:         time.Minute, // watches end by themselves before that
	}
}
