package container

import (
	"fmt"
	"maps"
	"slices"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// withAddresses gives a copy of a target in which the observers have the addresses of the services. All other names
// stand for what is known only when a count is taken, and stay.
func withAddresses(t *targets.Target, services map[string]string) (*targets.Target, error) {
	vars := targets.Vars{}
	for _, name := range targets.VarNames() {
		vars[name] = "{{" + name + "}}"
	}
	for name, address := range services {
		vars[targets.ServiceVar(name)] = address
	}
	out := *t
	out.Observers = slices.Clone(t.Observers)
	for i := range out.Observers {
		if err := expandObserver(&out.Observers[i], vars); err != nil {
			return nil, fmt.Errorf("observer %s: %w", out.Observers[i].Name, err)
		}
	}
	return &out, nil
}

// expandObserver puts copies in the place of what it changes.
func expandObserver(o *targets.Observer, vars targets.Vars) (err error) {
	if o.SQL != nil {
		sql := *o.SQL
		if sql.DSN, err = targets.Expand(sql.DSN, vars); err != nil {
			return fmt.Errorf("dsn: %w", err)
		}
		o.SQL = &sql
	}
	if o.Command == nil {
		return nil
	}
	command := targets.CommandCall{Argv: slices.Clone(o.Command.Argv), Env: maps.Clone(o.Command.Env)}
	for i, word := range command.Argv {
		if command.Argv[i], err = targets.Expand(word, vars); err != nil {
			return fmt.Errorf("argv: %w", err)
		}
	}
	for name, value := range command.Env {
		if command.Env[name], err = targets.Expand(value, vars); err != nil {
			return fmt.Errorf("env.%s: %w", name, err)
		}
	}
	o.Command = &command
	return nil
}
