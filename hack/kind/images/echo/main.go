// Command echo is the container that end-to-end tests run on real nodes. It needs nothing from its image and can be
//
//	echo print WORD...             print the words and end
//	echo serve [flags]             serve HTTP (also HTTPS with --tls-cert and --tls-key)
//	echo get URL                   print what the URL answers; fails unless that is 200
//	echo lookup NAME               print the addresses of the name
//	echo dial HOST:PORT            connect and end; fails if that takes over 3 seconds
//	echo reach HOST:PORT...        print those that can be connected to
//	echo sleep DURATION            do nothing
//
// The server answers /env/NAME with a variable, /hostname with the pod's name, /healthz with ok, /validate and /mutate as
// an admission webhook (see webhook.go), below /apis as an aggregated API (see api.go), and every other path with what was asked. It prints one line for each request.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	dialTimeout = 3 * time.Second
	getTimeout  = 10 * time.Second
)

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"serve"}
	}
	if err := run(args[0], args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}

func run(verb string, args []string) error {
	if verb == "print" {
		fmt.Println(strings.Join(args, " "))
		return nil
	}
	if verb == "serve" {
		return serve(args)
	}
	if verb == "reach" {
		reach(args)
		return nil
	}
	if len(args) != 1 {
		return fmt.Errorf("%s needs exactly one argument", verb)
	}
	switch verb {
	case "get":
		return get(args[0])
	case "lookup":
		return lookup(args[0])
	case "dial":
		conn, err := net.DialTimeout("tcp", args[0], dialTimeout)
		if err != nil {
			return err
		}
		return conn.Close()
	case "sleep":
		duration, err := time.ParseDuration(args[0])
		if err != nil {
			return err
		}
		time.Sleep(duration)
		return nil
	default:
		return fmt.Errorf("unknown verb %q", verb)
	}
}

func get(url string) error {
	client := http.Client{Timeout: getTimeout}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", url, response.Status)
	}
	return nil
}

func lookup(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), getTimeout)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(addresses, " "))
	return nil
}
