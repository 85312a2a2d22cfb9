package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/transfer"
)

func TestErrorsHaveIDs(t *testing.T) {
	p, err := paths.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &landscape{paths: p, display: newDisplay()}
	errBoom := errors.New("boom")
	for name, tc := range map[string]struct {
		err  error
		want string
		code int
	}{
		"any failure":                       {errBoom, "error: boom (GRD-100)\nhint:  " + lastResort + "\n", 1},
		"a mistake that cobra finds":        {errors.New("unknown flag: --x"), "error: unknown flag: --x (GRD-200)\nhint:  see \"gardener --help\"\n", 2},
		"a mistake of ours":                 {usageError(errBoom, "try x"), "error: boom (GRD-200)\nhint:  try x\n", 2},
		"MIG-17 a copy from an empty store": {fmt.Errorf("copy: %w", transfer.ErrNothing), "error: copy: " + transfer.ErrNothing.Error() + " (GRD-600)\nhint:  see whether the store and its prefix are those to copy from\n", location.ExitEmpty},
		"one with an ID of its own":         {sleeps("p", "s"), "error: shoot p/s is hibernated: it has no nodes, and its API server does not run (GRD-901)\nhint:  wake it up with: gardener shoot wake p/s\n", 9},
		"one of preflight keeps its ID":     {explainStart(l, fault.New(fault.Files, errBoom)), fmt.Sprintf("error: boom (GRD-103)\nhint:  the log is %s; try \"gardener logs\"\n", p.Logs().Current()), 1},
		"one with a code keeps it":          {explainStart(l, &exitError{code: codeInUse, err: fault.New(fault.Ranges, errBoom)}), "error: boom (GRD-801)\n", 8},
		"a loss":                            {explainStart(l, fmt.Errorf("%w: %w", state.ErrDirectory, &ledger.LossError{Text: "key is missing", Cure: "put it back"})), "error: state directory: key is missing (GRD-701)\nhint:  put it back\n", 7},
		"a loss whose text has the cure":    {explainStart(l, fmt.Errorf("cluster: %w (put it back)", &ledger.LossError{Text: "key is missing", Cure: "put it back"})), "error: cluster: key is missing (GRD-701)\nhint:  put it back\n", 7},
		"a landscape that ended":            {notRunning("x", "gardener up", fault.New(fault.Files, errBoom)), "error: landscape \"x\" is not running. Its last start ended by itself: boom (GRD-300)\nhint:  start it with \"gardener up\"\n", 3},
		"a port in use":                     {explainStart(l, &state.InUseError{Address: "a:1", For: "front door", Setting: "--port", Err: errBoom}), "error: a:1 is in use, but the front door needs it: boom (GRD-800)\nhint:  end the process that listens there, or choose another address with --port\n", 8},
		"an interrupt is no error":          {fmt.Errorf("wait: %w", context.Canceled), "interrupted\n", 130},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var out strings.Builder
			if code := report(tc.err, newDisplay(), &out); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorsOfPrograms(t *testing.T) {
	for output, want := range map[string]string{
		"json": "{\n  \"error\": \"boom\",\n  \"id\": \"GRD-200\",\n  \"exitCode\": 2,\n  \"hint\": \"try x\"\n}\n",
		"yaml": "error: boom\nexitCode: 2\nhint: try x\nid: GRD-200\n",
	} {
		t.Run("APP-35 -o "+output+" prints errors as data", func(t *testing.T) {
			var out strings.Builder
			report(usageError(errors.New("boom"), "try x"), &display{color: colorAlways, output: output}, &out)
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInterruptionsOfPrograms(t *testing.T) {
	interrupted := &exitError{code: codeInterrupted, err: fmt.Errorf("wait: %w", context.Canceled), hint: "try x"}
	for want, shown := range map[string]*display{
		"interrupted\nhint:  try x\n":                                                        {},
		"{\"error\":\"interrupted\",\"exitCode\":130,\"hint\":\"try x\"}\n":                  {progress: progressJSON},
		"{\n  \"error\": \"interrupted\",\n  \"exitCode\": 130,\n  \"hint\": \"try x\"\n}\n": {output: "json"},
	} {
		t.Run(fmt.Sprintf("APP-35 with --progress=%s and -o %s", shown.progress, shown.output), func(t *testing.T) {
			var out strings.Builder
			if code := report(interrupted, shown, &out); code != codeInterrupted {
				t.Errorf("exit code %d", code)
			}
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorsAreDataIfAsked(t *testing.T) {
	for args, want := range map[string]string{
		"kubeconfig garden x": "", "kubeconfig garden x -o json": "json", "status x": "", "status x -o yaml": "yaml", "down x": "", "kubectl get x -o json": "",
	} {
		root := newRoot(newDisplay())
		cmd, flags, err := root.Find(strings.Fields(args))
		if err == nil && !cmd.DisableFlagParsing {
			err = cmd.ParseFlags(flags)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := chosenOutput(cmd); got != want {
			t.Errorf("APP-35 the errors of %q are printed as %q, not %q", args, got, want)
		}
	}
}

func TestExitCodesHaveIDs(t *testing.T) {
	known := []fault.ID{fault.Other, fault.Usage, fault.NotRunning, fault.Running, fault.Timeout, fault.NotFound, fault.Directory, fault.Port, fault.Attention}
	for i, c := range exitCodes[1 : len(exitCodes)-1] { // success and an interrupt are no errors
		if i >= len(known) || fault.OfExit(c.code) != known[i] {
			t.Errorf("APP-35 exit code %d has no ID", c.code)
		}
	}
}
