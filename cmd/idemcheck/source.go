package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/intake"
)

// source is where a create request comes from, and how its records are counted.
type source struct {
	curl      string
	request   string
	headers   []string
	data      string
	keyHeader string
	count     string
	items     string
	id        string
	read      string
	rate      string
}

func (s *source) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.curl, "curl", "", "the request that creates, as a curl command (or on standard input)")
	f.StringVar(&s.request, "request", "", "the request that creates, without curl: 'POST https://…'")
	f.StringArrayVarP(&s.headers, "header", "H", nil, "with --request: a header, 'Name: value'")
	f.StringVarP(&s.data, "data", "d", "", "with --request: the body")
	f.StringVar(&s.keyHeader, "key-header", "", "the header that carries the key (default: that of the curl command, of the profile, or Idempotency-Key)")
	f.StringVar(&s.count, "count", "", "the list call that shows the records: 'GET https://…?reference={{marker}}'")
	f.StringVar(&s.items, "items", "", "JSONPath of the records in its answer: '$.data[*]' (default: the list that is there)")
	f.StringVar(&s.id, "id", "", "JSONPath of the record's id in the answer to the create (default: found out)")
	f.StringVar(&s.read, "read", "", "how a record is read: 'GET https://…/{{id}}' (default: found out)")
	f.StringVar(&s.rate, "rate", "", "requests at most, as 10/s or 100/m (default: 10/s for a host that is not this machine)")
}

// draft makes a draft of what was given.
func (s *source) draft(cmd *cobra.Command) (*intake.Draft, error) {
	d, err := s.given(cmd)
	if err != nil {
		return nil, err
	}
	return d, s.complete(d)
}

// given reads the request.
func (s *source) given(cmd *cobra.Command) (*intake.Draft, error) {
	switch {
	case s.curl != "" && s.request != "":
		return nil, errors.New("--curl and --request exclude each other")
	case s.request != "":
		return s.fromFlags()
	case len(s.headers) > 0 || s.data != "":
		return nil, errors.New("-H and -d belong to --request; a curl command has its own")
	}
	command := s.curl
	if command == "" {
		if isTerminal(cmd.InOrStdin()) {
			return nil, errors.New("give the request that creates: --curl '…', --request 'POST https://…', or a curl command on standard input")
		}
		data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), 1<<21))
		if err != nil {
			return nil, fmt.Errorf("read the curl command: %w", err)
		}
		command = string(data)
	}
	return intake.Curl(command, intake.CurlOptions{Env: os.LookupEnv, ReadFile: readBody, KeyHeader: s.keyHeader})
}

// fromFlags builds the request of --request, -H and -d.
func (s *source) fromFlags() (*intake.Draft, error) {
	method, address, ok := strings.Cut(strings.TrimSpace(s.request), " ")
	if !ok {
		return nil, fmt.Errorf("--request %q: expected 'POST https://…'", s.request)
	}
	d := intake.New("flags")
	if err := d.SetRequest(method, address); err != nil {
		return nil, fmt.Errorf("--request: %w", err)
	}
	for _, line := range s.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, errors.New("-H: a header is written Name: value")
		}
		if err := d.SetHeader(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return nil, fmt.Errorf("-H: %w", err)
		}
	}
	if err := d.SetBody(s.data); err != nil {
		return nil, fmt.Errorf("-d: %w", err)
	}
	return d, nil
}

// complete adds what the other flags say.
func (s *source) complete(d *intake.Draft) error {
	if s.keyHeader != "" {
		d.Key.In, d.Key.Name = targets.InHeader, s.keyHeader
	}
	if s.items != "" && s.count == "" {
		return errors.New("--items belongs to --count")
	}
	if s.count != "" {
		if err := d.SetList(s.count, s.items); err != nil {
			return fmt.Errorf("--count: %w", err)
		}
	}
	d.ID, d.Rate = s.id, s.rate
	if d.Rate == "" && d.Remote {
		d.Rate = "10/s"
	}
	if s.read == "" {
		return nil
	}
	address := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s.read), "GET "))
	path := strings.TrimPrefix(address, d.URL)
	if !strings.HasPrefix(path, "/") || !strings.Contains(path, "{{") {
		return fmt.Errorf("--read: expected 'GET %s/…/{{id}}'", d.URL)
	}
	d.Read = "GET " + path
	return nil
}

// readBody reads the file of -d @file.
func readBody(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const most = 1 << 20
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(data) > most {
		return nil, fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return data, err
}

// unwritten refuses a path that is taken, before anything is sent.
func unwritten(path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists already; it is not overwritten", path)
	}
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write %s: there is such a file already, and it is left as it is", path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
