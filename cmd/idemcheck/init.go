package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/intake"
)

// initFlags are the flags of `idemcheck init`.
type initFlags struct {
	source
	openAPI   string
	operation string
	url       string
	output    string
}

func initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a target file from a curl command, an OpenAPI document, or answers to questions",
		Long: `Writes a target file to begin with. What had to be guessed stands beside it as a comment; credentials become ${NAME}.
A file that exists is never overwritten. Without --curl, --request or --openapi it asks, on a terminal, or reads a curl
command from standard input.`,
		Example: `  idemcheck init --curl "curl https://api.vendor.example/v1/orders -H 'Authorization: Bearer …' --json '{…}'"
  idemcheck init --openapi openapi.yaml --operation createOrder --output orders.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.source.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.openAPI, "openapi", "", "an OpenAPI 3 document")
	fl.StringVar(&f.operation, "operation", "", "with --openapi: the operation that creates (its operationId, or 'POST /orders')")
	fl.StringVar(&f.url, "url", "", "with --openapi: where it is served (default: the document's first server)")
	fl.StringVarP(&f.output, "output", "o", "target.yaml", "the file to write")
	_ = cmd.MarkFlagFilename("openapi", "yaml", "yml", "json")
	return cmd
}

func (f *initFlags) run(cmd *cobra.Command) error {
	if err := unwritten(f.output); err != nil {
		return err
	}
	d, err := f.read(cmd)
	if err != nil {
		return err
	}
	places := d.Places(d.Wanted())
	if len(places) == 0 {
		return errors.New("there is no place for a unique text by which records are found: write {{marker}} into a text of the body")
	}
	d = d.Marked(places[0])
	d.Invalid = nil // nobody has seen that it is refused
	d.AssumeID()
	if places[0].Marker != "" {
		d.Guesses = append(d.Guesses, "the marker, by which records are found again, stands in "+intake.PlaceText(places[0].Marker))
	}
	text, err := d.YAML()
	if err != nil {
		return err
	}
	// It must be readable by whoever sets the variables that it names.
	if _, err := targets.Parse(f.output, text, func(string) (string, bool) { return "set", true }); err != nil {
		return fmt.Errorf("write the target file: what was made of the input is not valid: %w", err)
	}
	if err := writeNew(f.output, text, 0o600); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	for _, g := range d.Guesses {
		fmt.Fprintf(out, "guessed: %s\n", g)
	}
	fmt.Fprintf(out, "wrote %s; next: idemcheck doctor --target %s\n", f.output, f.output)
	return nil
}

// read makes a draft of whatever was given.
func (f *initFlags) read(cmd *cobra.Command) (*intake.Draft, error) {
	switch {
	case f.openAPI != "" && (f.curl != "" || f.request != ""):
		return nil, errors.New("--openapi, --curl and --request exclude each other")
	case f.openAPI != "":
		return f.fromOpenAPI()
	case f.operation != "" || f.url != "":
		return nil, errors.New("--operation and --url belong to --openapi")
	case f.curl == "" && f.request == "" && isTerminal(cmd.InOrStdin()):
		d, err := questions(cmd.InOrStdin(), cmd.OutOrStdout())
		if err != nil {
			return nil, err
		}
		return d, nil
	}
	return f.draft(cmd)
}

func (f *initFlags) fromOpenAPI() (*intake.Draft, error) {
	file, err := os.Open(f.openAPI)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 64<<20))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	d, err := intake.OpenAPI(data, intake.OpenAPIOptions{Operation: f.operation, URL: f.url, KeyHeader: f.keyHeader})
	if err != nil {
		return nil, err
	}
	id, key := d.ID, d.Key
	if err := f.complete(d); err != nil {
		return nil, err
	}
	if d.ID == "" {
		d.ID = id
	}
	if f.keyHeader == "" {
		d.Key = key
	}
	return d, nil
}

// questions makes a draft of the answers to a few questions.
func questions(in io.Reader, out io.Writer) (*intake.Draft, error) {
	ask := newTalk(in, out)
	d := intake.New("answers to questions")
	method, address, ok := strings.Cut(ask.line("The request that creates something (POST https://…)"), " ")
	if !ok {
		return nil, errors.New("a request is written POST https://…")
	}
	if err := d.SetRequest(method, address); err != nil {
		return nil, err
	}
	for {
		line := ask.line("A header that it needs (Authorization: Bearer …), or nothing")
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if err := d.SetHeader(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return nil, err
		}
	}
	if err := d.SetBody(ask.line("Its body, on one line (JSON, or a=1&b=2)")); err != nil {
		return nil, err
	}
	if name := ask.line("The header that carries the key, or nothing for Idempotency-Key"); name != "" {
		d.Key = targets.Key{In: targets.InHeader, Name: name}
	}
	if call := ask.line("The list call that shows the records (GET https://…?reference={{marker}}), or nothing"); call != "" {
		if err := d.SetList(call, ask.line("Where the records stand in its answer ($.data[*])")); err != nil {
			return nil, err
		}
	}
	d.ID = ask.line("Where the record's id stands in the answer to the create, or nothing for $.id")
	return d, nil
}
