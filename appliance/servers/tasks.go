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
	"github.com/gardener-up/gardener-up/local/cloudcontroller"
	"github.com/gardener-up/gardener-up/local/shootwebhook"
)

// tasks are the components that pods on the seed's node run inside this process. A process for each would cost a landscape
// 100 MB and a second. A task must follow the contract of runtime.Task. It must not use the working directory, the environment
// or the loggers of this process.
func tasks() map[string]runtime.Task {
	return map[string]runtime.Task{
		seedadmission.Component:   taskOf(seedadmission.Command),
		shootwebhook.Component:    taskOf(shootwebhook.Command),
		cloudcontroller.Component: taskOf(cloudcontroller.Command),
	}
}

// taskOf runs the command of a component as its own process would.
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
