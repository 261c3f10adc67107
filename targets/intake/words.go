package intake

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxCommand bounds a pasted command, in bytes.
const maxCommand = 1 << 20

var (
	prompt    = regexp.MustCompile(`^\s*[$%>#]\s+`)
	cmdCaret  = regexp.MustCompile(`\^["\r\n]`)
	backticks = regexp.MustCompile("`[ \t]*\r?\n")
	curlName  = regexp.MustCompile(`(^|[/\\])curl(\.exe)?$`)
)

// shellWords takes one pasted command apart as bash does: quotes of all kinds, line continuations, variables. Nothing is
// run: a pipe, a list of commands, a redirection from a file and a command substitution are errors. It gives the
// variables that were used, with their values.
func shellWords(command string, env func(string) (string, bool)) (words []string, used map[string]string, err error) {
	if len(command) > maxCommand {
		return nil, nil, fmt.Errorf("read the command: it has %d bytes, and at most %d are read", len(command), maxCommand)
	}
	if err := foreignShell(command); err != nil {
		return nil, nil, err
	}
	command = strings.ReplaceAll(prompt.ReplaceAllString(command, ""), "\r\n", "\n")
	call, err := onlyCall(command)
	if err != nil {
		return nil, nil, fmt.Errorf("read the command: %w", err)
	}
	used, err = variables(call, env)
	if err != nil {
		return nil, nil, fmt.Errorf("read the command: %w", err)
	}
	config := &expand.Config{Env: expand.FuncEnviron(func(name string) string { return used[name] })}
	words, err = expand.Fields(config, call.Args...)
	if err != nil {
		return nil, nil, fmt.Errorf("read the command: it needs a shell: %w", err)
	}
	return words, used, nil
}

// variables gives the value of each variable that a command names. One that is not set is an error, unless the command
// itself says what then: a shell would send an empty credential without a word.
func variables(call *syntax.CallExpr, env func(string) (string, bool)) (used map[string]string, err error) {
	used = map[string]string{}
	syntax.Walk(call, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		if !ok || p.Param == nil {
			return true
		}
		value := ""
		if env != nil {
			value, _ = env(p.Param.Value)
		}
		switch {
		case value != "":
			used[p.Param.Value] = value
		case p.Exp == nil && err == nil:
			err = fmt.Errorf("it uses the environment variable %s, which is not set", p.Param.Value)
		}
		return true
	})
	return used, err
}

// foreignShell refuses the writings of other shells, which would be misread without a word.
func foreignShell(command string) error {
	switch {
	case cmdCaret.MatchString(command):
		return errors.New(`read the command: it is written for the command prompt of Windows (with ^); copy it "as cURL (bash)"`)
	case backticks.MatchString(command), strings.Contains(command, "Invoke-WebRequest"), strings.Contains(command, "Invoke-RestMethod"):
		return errors.New(`read the command: it is written for PowerShell; copy it "as cURL (bash)"`)
	}
	return nil
}

// onlyCall finds the one command that a text consists of.
func onlyCall(command string) (call *syntax.CallExpr, err error) {
	defer func() {
		if p := recover(); p != nil { // a library that breaks down over a paste is the paste's fault
			err = fmt.Errorf("it cannot be parsed: %v", p)
		}
	}()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, err
	}
	if len(file.Stmts) == 0 {
		return nil, errors.New("it is empty")
	}
	if len(file.Stmts) > 1 {
		return nil, errors.New("it is more than one command; a line that goes on needs a \\ at its end")
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	switch {
	case !ok:
		return nil, errors.New("it is more than one command; give the curl command alone, without | or &&")
	case len(call.Assigns) > 0:
		return nil, errors.New("give the curl command without assignments in front of it")
	case stmt.Background:
		return nil, errors.New("it ends with &; an address with & must stand in quotes")
	}
	for _, r := range stmt.Redirs {
		if r.Op != syntax.RdrOut && r.Op != syntax.AppOut && r.Op != syntax.DplOut {
			return nil, errors.New("it reads from a redirection; give the body with -d")
		}
	}
	return call, nil
}
