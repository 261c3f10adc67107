package targets

// Run says how idemcheck starts the target itself, or makes it crash: by exactly one of Process, Container and Hooks,
// unless only the crash points of a running target are described.
type Run struct {
	Process     *Process     `yaml:"process"`
	Container   *Container   `yaml:"container"`
	Hooks       *Hooks       `yaml:"hooks"`
	CrashPoints *CrashPoints `yaml:"crash_points"`
}

// Starts reports whether idemcheck starts the target itself.
func (r *Run) Starts() bool { return r != nil && (r.Process != nil || r.Container != nil) }

// Process is a target run as a child process. {{port}} and {{dir}} are replaced in Command and Env.
type Process struct {
	Command     Strings           `yaml:"command"`
	Env         map[string]string `yaml:"env"`
	Dir         string            `yaml:"dir"`          // where it runs, from the folder of the target file
	Ready       string            `yaml:"ready"`        // GET /healthz; empty: its port accepts
	ReadyWithin Duration          `yaml:"ready_within"` // default 30s
}

// Container is a target run in containers of its own on a private network, with the services that it needs.
type Container struct {
	Image       string            `yaml:"image"` // exactly one of Image and Build
	Build       *Build            `yaml:"build"`
	Command     Strings           `yaml:"command"` // in place of the image's own
	Port        int               `yaml:"port"`    // on which it listens inside
	Env         map[string]string `yaml:"env"`
	Ready       string            `yaml:"ready"`
	ReadyWithin Duration          `yaml:"ready_within"` // default 60s
	Replicas    int               `yaml:"replicas"`     // instances of it; default 1
	Volumes     map[string]string `yaml:"volumes"`      // name of a volume that outlives restarts, and where it is mounted
	Services    Services          `yaml:"services"`     // started before it, in the order of the file
}

// Build is an image built by the Docker engine from a folder.
type Build struct {
	Context    string            `yaml:"context"`    // from the folder of the target file
	Dockerfile string            `yaml:"dockerfile"` // within the context; default Dockerfile
	Args       map[string]string `yaml:"args"`
}

// Service is a container that the target needs, such as its database. The target reaches it by its name. From this
// machine it is reached at {{services.NAME}}, which may stand in the observers.
type Service struct {
	Name        string            `yaml:"-"`
	Image       string            `yaml:"image"`
	Build       *Build            `yaml:"build"`
	Command     Strings           `yaml:"command"`
	Port        int               `yaml:"port"`
	Env         map[string]string `yaml:"env"`
	Ready       Strings           `yaml:"ready"`        // a command run inside, until it ends with 0; empty: its port accepts
	ReadyWithin Duration          `yaml:"ready_within"` // default 60s
	Volumes     map[string]string `yaml:"volumes"`
}

// Services keeps the order of the file.
type Services []Service

// Named finds a service by name; nil when there is none.
func (s Services) Named(name string) *Service {
	for i := range s {
		if s[i].Name == name {
			return &s[i]
		}
	}
	return nil
}

// Hooks are the user's own commands by which a target that somebody else started is made to crash and comes back. A
// single text is given to the shell; a list is run as it is.
type Hooks struct {
	Crash       Strings           `yaml:"crash"`
	Restart     Strings           `yaml:"restart"` // empty: it comes back by itself
	Env         map[string]string `yaml:"env"`
	Ready       string            `yaml:"ready"`
	ReadyWithin Duration          `yaml:"ready_within"` // default 2m
	Timeout     Duration          `yaml:"timeout"`      // of one command; default 1m
}

// CrashPoints say how the points between request and answer are found at which the target can be stopped, and how they
// are swept. Without Through and Named the target can only be killed at moments.
type CrashPoints struct {
	Through  *Through     `yaml:"through"`
	Named    *NamedPoints `yaml:"named"`
	Mode     string       `yaml:"mode"`     // quick (default): before the first step and after each; full: both sides of each
	Parallel int          `yaml:"parallel"` // instances of the target that may run at once on the same data; default 1
	Moments  int          `yaml:"moments"`  // at which it is killed where points are not to be had; default 4
}

// Through is a proxy of idemcheck's own between the target and its database. Env names the variable of the target's
// environment that holds the database's address, which is rewritten; or the target was told by its user to find its
// database at Listen, and Upstream says where that is.
type Through struct {
	Env      string `yaml:"env"`
	Listen   string `yaml:"listen"`   // host:port
	Upstream string `yaml:"upstream"` // host:port
	Protocol string `yaml:"protocol"` // postgres, mysql (also MariaDB), or tcp: anything that answers each question
}

// NamedPoints are crash points that the target itself offers over HTTP. A step has a label, and a point is before or
// after one of its occurrences: {{label}}, {{occurrence}} and {{side}}.
type NamedPoints struct {
	Passed  Passed  `yaml:"passed"`  // the labels of the steps taken since Release was last asked, in order
	Arm     Request `yaml:"arm"`     // the target is to stand still at a point
	Reached Reached `yaml:"reached"` // whether it stands there
	Release Request `yaml:"release"` // nothing is armed any more, whoever stands still goes on, and the record of steps is empty
}

// Passed is the call that lists steps.
type Passed struct {
	Request `yaml:",inline"`
	Labels  string `yaml:"labels"` // JSONPath
}

// Reached is the call that says whether the armed point was reached.
type Reached struct {
	Request `yaml:",inline"`
	When    string `yaml:"when"` // JSONPath of a value that is true then
}
