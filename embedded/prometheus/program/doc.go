// Command program is Prometheus, reduced to what the monitoring of a seed or a shoot needs: it scrapes, stores, evaluates rules and answers
// queries. It is a module and a program of its own because its libraries would make every process of gardener larger. `make build` compiles
// it into the folder bin beside it. Package prometheus contains it compressed.
//
// It discovers static targets and nodes of a cluster. It sends nothing anywhere: no remote write, no Alertmanager. Modules in the
// folder stubs take the place of client libraries of clouds that the format of the configuration would bring.
package main
