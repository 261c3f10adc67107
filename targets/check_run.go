package targets

import (
	"fmt"
	"net"
	"slices"
	"strings"
)

// checkRun holds the section run against what its fields must fit together to.
func checkRun(d *decoder, r *Run) {
	if r == nil {
		return
	}
	ways := 0
	for _, set := range []bool{r.Process != nil, r.Container != nil, r.Hooks != nil} {
		if set {
			ways++
		}
	}
	if ways > 1 {
		d.fail("run", "", "run: only one of process, container and hooks can be how the target is started")
	}
	if ways == 0 && r.CrashPoints == nil {
		d.missing("run", "", "run needs a process, a container or hooks")
	}
	if r.Process != nil && len(r.Process.Command) == 0 {
		d.missing("run.process", "", "run.process needs a command")
	}
	if r.Hooks != nil && len(r.Hooks.Crash) == 0 {
		d.missing("run.hooks", "for example `crash: kubectl delete pod -l app=orders --now`", "run.hooks needs the command that crashes the target")
	}
	checkContainer(d, r.Container)
	checkCrashPoints(d, r)
}

func checkContainer(d *decoder, c *Container) {
	if c == nil {
		return
	}
	checkImage(d, "run.container", c.Image, c.Build)
	checkPort(d, "run.container", c.Port)
	checkVolumes(d, "run.container.volumes", c.Volumes)
	if c.Replicas < 0 || c.Replicas > 16 {
		d.fail("run.container.replicas", "", "run.container.replicas: %d is not between 1 and 16", c.Replicas)
	}
	for _, s := range c.Services {
		at := "run.container.services." + s.Name
		checkImage(d, at, s.Image, s.Build)
		checkPort(d, at, s.Port)
		checkVolumes(d, at+".volumes", s.Volumes)
	}
}

func checkImage(d *decoder, at, image string, build *Build) {
	if (image == "") == (build == nil) {
		d.missing(at, "", "%s needs either an image or a build", at)
	}
	if build != nil && build.Context == "" {
		d.missing(at+".build", "", "%s.build needs a context: the folder to build from", at)
	}
}

func checkPort(d *decoder, at string, port int) {
	if port == 0 {
		d.missing(at, "", "%s needs the port on which it listens inside", at)
	} else if port < 1 || port > 65535 {
		d.fail(at+".port", "", "%s.port: %d is no port", at, port)
	}
}

func checkVolumes(d *decoder, at string, volumes map[string]string) {
	for name, path := range volumes {
		if !strings.HasPrefix(path, "/") {
			d.fail(at+"."+name, "", "%s.%s: %q is no absolute path", at, name, path)
		}
	}
}

func checkCrashPoints(d *decoder, r *Run) {
	c := r.CrashPoints
	if c == nil {
		return
	}
	const at = "run.crash_points"
	if c.Through != nil && c.Named != nil {
		d.fail(at, "", "%s: points are either steps through a proxy or named by the target, not both", at)
	}
	if c.Mode != "" && c.Mode != "quick" && c.Mode != "full" {
		d.fail(at+".mode", suggest(c.Mode, []string{"quick", "full"}), "%s.mode: %q is neither quick nor full", at, c.Mode)
	}
	if c.Parallel < 0 || c.Parallel > 32 {
		d.fail(at+".parallel", "", "%s.parallel: %d is not between 1 and 32", at, c.Parallel)
	}
	if c.Moments < 0 || c.Moments > 10_000 {
		d.fail(at+".moments", "", "%s.moments: %d is not between 1 and 10000", at, c.Moments)
	}
	checkThrough(d, r)
	checkNamed(d, c.Named)
}

func checkThrough(d *decoder, r *Run) {
	t := r.CrashPoints.Through
	if t == nil {
		return
	}
	const at = "run.crash_points.through"
	protocols := []string{"postgres", "mysql", "tcp"}
	if !slices.Contains(protocols, t.Protocol) {
		d.fail(at+".protocol", suggest(t.Protocol, protocols), "%s.protocol: %q is none of %s", at, t.Protocol, strings.Join(protocols, ", "))
	}
	switch {
	case t.Env == "" && (t.Listen == "" || t.Upstream == ""):
		d.missing(at, "", "%s needs env, the variable that holds the database's address; or listen and upstream", at)
	case t.Env != "" && (t.Listen != "" || t.Upstream != ""):
		d.fail(at, "", "%s: either env, or listen and upstream", at)
	case t.Env != "" && !r.sets(t.Env):
		d.fail(at+".env", "", "%s.env: the target's environment in this file has no %s", at, t.Env)
	}
	for name, address := range map[string]string{"listen": t.Listen, "upstream": t.Upstream} {
		if _, _, err := net.SplitHostPort(address); address != "" && err != nil {
			d.fail(at+"."+name, "", "%s.%s: %q is not host:port", at, name, address)
		}
	}
}

// sets reports whether the target is started with a variable in its environment.
func (r *Run) sets(name string) bool {
	switch {
	case r.Process != nil:
		return r.Process.Env[name] != ""
	case r.Container != nil:
		return r.Container.Env[name] != ""
	}
	return false
}

func checkNamed(d *decoder, n *NamedPoints) {
	if n == nil {
		return
	}
	const at = "run.crash_points.named"
	for _, part := range []struct{ name, value string }{
		{"passed.request", n.Passed.Line}, {"passed.labels", n.Passed.Labels}, {"arm.request", n.Arm.Line},
		{"reached.request", n.Reached.Line}, {"reached.when", n.Reached.When}, {"release.request", n.Release.Line},
	} {
		if part.value == "" {
			d.missing(at, "", "%s needs %s", at, part.name)
		}
	}
	checkPath(d, at+".passed.labels", n.Passed.Labels)
	checkPath(d, at+".reached.when", n.Reached.When)
}

// runRequests lists the request lines of the section.
func runRequests(r *Run) []placedLine {
	if r == nil {
		return nil
	}
	var out []placedLine
	if r.Process != nil {
		out = append(out, placedLine{"run.process.ready", r.Process.Ready})
	}
	if r.Container != nil {
		out = append(out, placedLine{"run.container.ready", r.Container.Ready})
	}
	if r.Hooks != nil {
		out = append(out, placedLine{"run.hooks.ready", r.Hooks.Ready})
	}
	if r.CrashPoints != nil && r.CrashPoints.Named != nil {
		n, at := r.CrashPoints.Named, "run.crash_points.named."
		out = append(out, placedLine{at + "passed.request", n.Passed.Line}, placedLine{at + "arm.request", n.Arm.Line},
			placedLine{at + "reached.request", n.Reached.Line}, placedLine{at + "release.request", n.Release.Line})
	}
	return out
}

// names reports whether a template name is the address of a service, or one that an operation declares.
func (t *Target) names(name string) bool {
	for _, op := range t.Operations {
		if _, declared := op.Values[name]; declared {
			return true
		}
	}
	service, ok := strings.CutPrefix(name, "services.")
	return ok && t.Run != nil && t.Run.Container != nil && t.Run.Container.Services.Named(service) != nil
}

// ServiceVar is the template name of a service's address.
func ServiceVar(service string) string { return fmt.Sprintf("services.%s", service) }
