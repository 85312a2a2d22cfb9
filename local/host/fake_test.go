package host_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fakeDir is the environment variable by which the test binary becomes an engine: it names the directory with the engine's state.
const fakeDir = "FAKE_ENGINE"

// fakeContainer is what the fake engine knows of a container, in a form that is close to docker's answers.
type fakeContainer struct {
	ID, Name, Image string
	State           struct {
		Running   bool
		ExitCode  int
		StartedAt string
	}
	Config struct {
		Image  string
		Labels map[string]string
	}
	NetworkSettings struct {
		Networks map[string]struct{ IPAddress string }
	}
	Args []string
}

// fakeEngine answers one call as docker would. It knows what package containers asks for and nothing more.
func fakeEngine(dir string, args []string) error {
	path := func(name string) string { return filepath.Join(dir, "containers", name) }
	read := func(name string) (*fakeContainer, error) {
		data, err := os.ReadFile(path(name))
		if err != nil {
			return nil, fmt.Errorf("Error response from daemon: No such container: %s", name)
		}
		c := &fakeContainer{}
		return c, json.Unmarshal(data, c)
	}
	write := func(c *fakeContainer) error {
		data, err := json.Marshal(c)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path(c.Name)+".new", data, 0o600); err != nil {
			return err
		}
		return os.Rename(path(c.Name)+".new", path(c.Name))
	}
	last := args[len(args)-1]
	switch args[0] {
	case "info":
		fmt.Println("28.0.0")
		return nil
	case "ps":
		entries, err := os.ReadDir(filepath.Join(dir, "containers"))
		for _, entry := range entries {
			c, err := read(entry.Name())
			if err != nil {
				continue // it is being written
			}
			if !slices.ContainsFunc(args, func(arg string) bool {
				filter, isFilter := strings.CutPrefix(arg, "label=")
				key, value, _ := strings.Cut(filter, "=")
				return isFilter && c.Config.Labels[key] != value
			}) {
				fmt.Println(c.Name) // names do for identities
			}
		}
		return err
	case "container":
		var list []*fakeContainer
		var failed error
		for _, name := range args[2:] {
			c, err := read(name)
			if err != nil {
				failed = err
				continue
			}
			list = append(list, c)
		}
		data, _ := json.Marshal(list)
		fmt.Println(string(data))
		return failed
	case "run":
		if _, err := os.Stat(filepath.Join(dir, "run-fails")); err == nil {
			return fmt.Errorf("no space left on device")
		}
		c := &fakeContainer{Image: last, Args: args}
		c.ID = strconv.FormatInt(time.Now().UnixNano(), 36)
		c.Config.Image, c.Config.Labels = last, map[string]string{}
		c.NetworkSettings.Networks = map[string]struct{ IPAddress string }{"kind": {"172.18.0.9"}}
		for i, arg := range args {
			switch arg {
			case "--name":
				c.Name = args[i+1]
			case "--label":
				key, value, _ := strings.Cut(args[i+1], "=")
				c.Config.Labels[key] = value
			}
		}
		return fakeStart(c, write)
	case "start":
		c, err := read(last)
		if err != nil {
			return err
		}
		return fakeStart(c, write)
	case "stop":
		c, err := read(last)
		if err != nil {
			return err
		}
		c.State.Running = false
		return write(c)
	case "rm":
		if _, err := read(last); err != nil {
			return err
		}
		return os.Remove(path(last))
	case "exec":
		return fakeExec(dir, slices.DeleteFunc(args[1:], func(a string) bool { return a == "--interactive" }), read)
	}
	return fmt.Errorf("unknown command %v", args)
}

func fakeStart(c *fakeContainer, write func(*fakeContainer) error) error {
	c.State.Running, c.State.StartedAt = true, strconv.FormatInt(time.Now().UnixNano(), 10)
	return write(c)
}

// fakeExec notes what is run and with which input.
func fakeExec(dir string, args []string, read func(string) (*fakeContainer, error)) error {
	c, err := read(args[0])
	if err != nil {
		return err
	}
	if !c.State.Running {
		return fmt.Errorf("container %s is not running", c.Name)
	}
	command := strings.Join(args[1:], " ")
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	if strings.Contains(command, "/etc/hosts") {
		if err := os.WriteFile(filepath.Join(dir, "hosts-"+c.Name), input, 0o600); err != nil {
			return err
		}
	}
	if strings.Contains(command, "sha256sum") { // of the program that every machine has a copy of
		program, err := os.ReadFile(os.Args[0])
		if err != nil {
			return err
		}
		fmt.Printf("%x  gardener\n", sha256.Sum256(program))
	}
	log, err := os.OpenFile(filepath.Join(dir, "execs"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	_, err = fmt.Fprintf(log, "%s: %s\n", c.Name, command)
	return err
}
