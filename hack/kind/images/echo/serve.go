package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// serve answers HTTP until the process ends.
func serve(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	listen := flags.String("listen", ":8080", "address of HTTP")
	listenTLS := flags.String("listen-tls", ":8443", "address of HTTPS")
	cert := flags.String("tls-cert", "", "file of the certificate; no HTTPS without")
	key := flags.String("tls-key", "", "file of the key")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- http.ListenAndServe(*listen, handler()) }()
	if *cert != "" {
		go func() { ended <- http.ListenAndServeTLS(*listenTLS, *cert, *key, handler()) }()
	}
	fmt.Println("serving", *listen)
	return <-ended
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/hostname", func(w http.ResponseWriter, _ *http.Request) {
		name, _ := os.Hostname()
		fmt.Fprintln(w, name)
	})
	mux.HandleFunc("/env/{name}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, os.Getenv(r.PathValue("name"))) })
	addAPI(mux)
	mux.HandleFunc("POST /validate", validate)
	mux.HandleFunc("POST /mutate", mutate)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s from %s\n", r.Method, r.URL.Path, strings.TrimSpace(r.RemoteAddr))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.URL.Path, r.RemoteAddr)
		mux.ServeHTTP(w, r)
	})
}
