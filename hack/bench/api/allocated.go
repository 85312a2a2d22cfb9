package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// allocatedMetric counts the bytes that the process of the API servers has ever allocated. Unlike times, it hardly
// depends on the load of the machine.
const allocatedMetric = "go_memstats_alloc_bytes_total "

// allocated reads from the API server how many bytes its process has allocated so far.
func (k *kind) allocated(ctx context.Context) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.host+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := k.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), allocatedMetric); found {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("metrics of the API server: no %s", allocatedMetric)
}
