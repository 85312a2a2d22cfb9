package servers

import (
	"context"
	"io"

	"github.com/go-logr/logr"
	"github.com/go-logr/zapr"
	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	seedadmission "github.com/gardener-up/gardener-up/controllers/admission/seed"
	"github.com/gardener-up/gardener-up/embedded/incluster"
	"github.com/gardener-up/gardener-up/embedded/node/runtime"
)

// tasks are the components of pods on the seed's node that do without a process, each of which would cost a landscape
// 100 MB and a second. They must keep to what runtime.Task says, and share nothing with this process: neither its working
// directory nor its environment nor its loggers.
func tasks() map[string]runtime.Task {
	return map[string]runtime.Task{
		seedadmission.Component: taskOf(seedadmission.Command),
	}
}

// taskOf runs the command of a component as it would be run in a process.
func taskOf(command func(incluster.Surroundings) *cobra.Command) runtime.Task {
	return func(ctx context.Context, run runtime.TaskRun) error {
		cmd := command(incluster.Surroundings{Dir: run.Dir, Getenv: run.Getenv})
		cmd.SetArgs(run.Args)
		cmd.SetOut(run.Log)
		cmd.SetErr(run.Log)
		return cmd.ExecuteContext(logr.NewContext(ctx, logInto(run.Log)))
	}
}

// logInto logs as components do in processes of their own.
func logInto(w io.Writer) logr.Logger {
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	return zapr.NewLogger(zap.New(zapcore.NewCore(encoder, zapcore.AddSync(w), zapcore.InfoLevel)))
}
