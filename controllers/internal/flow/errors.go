package flow

import (
	"errors"
	"fmt"
	"strings"
)

// TaskError is the failure of one step.
type TaskError struct {
	// Task is the name of the step.
	Task string
	Err  error
}

func (e *TaskError) Error() string { return fmt.Sprintf("task %q failed: %v", e.Task, e.Err) }

// Unwrap returns the cause.
func (e *TaskError) Unwrap() error { return e.Err }

// Errors are the failures of a flow, in the order in which its steps were given.
type Errors struct {
	Flow  string
	Tasks []*TaskError
}

func (e *Errors) Error() string {
	texts := make([]string, 0, len(e.Tasks))
	for _, task := range e.Tasks {
		texts = append(texts, task.Error())
	}
	return fmt.Sprintf("flow %q encountered task errors: %s", e.Flow, strings.Join(texts, "; "))
}

// Unwrap returns the failures, for errors.Is and errors.As.
func (e *Errors) Unwrap() []error {
	errs := make([]error, 0, len(e.Tasks))
	for _, task := range e.Tasks {
		errs = append(errs, task)
	}
	return errs
}

// TaskErrors returns the failures of the steps of a flow. It returns nil if err has another origin.
func TaskErrors(err error) []*TaskError {
	var errs *Errors
	if errors.As(err, &errs) {
		return errs.Tasks
	}
	return nil
}

type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// Permanent marks an error after which the same flow must not retry the step.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanentError{err}
}

func isPermanent(err error) bool {
	var permanent permanentError
	return errors.As(err, &permanent)
}
