package container

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// thing is something that the engine keeps, with its labels.
type thing struct {
	id     string
	labels map[string]string
}

// kind is a kind of things, in the order in which they can be removed.
type kind struct {
	name   string
	list   func(context.Context, *engine, client.Filters) ([]thing, error)
	remove func(context.Context, *engine, string) error
}

// kinds lists what idemcheck makes.
func kinds() []kind {
	return []kind{
		{"container", listContainers, func(ctx context.Context, e *engine, id string) error {
			_, err := e.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			return err
		}},
		{"network", listNetworks, func(ctx context.Context, e *engine, id string) error {
			_, err := e.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
			return err
		}},
		{"volume", listVolumes, func(ctx context.Context, e *engine, id string) error {
			_, err := e.VolumeRemove(ctx, id, client.VolumeRemoveOptions{})
			return err
		}},
		{"image", listImages, func(ctx context.Context, e *engine, id string) error {
			_, err := e.ImageRemove(ctx, id, client.ImageRemoveOptions{PruneChildren: true})
			return err
		}},
	}
}

// RemoveStale removes the containers, networks, volumes and built images that an idemcheck on this machine, which does
// not live any more, has left behind. What has no label of idemcheck's is never touched.
func RemoveStale(ctx context.Context) error {
	e, err := connect(ctx)
	if err != nil {
		return err
	}
	return e.removeStale(ctx)
}

func (e *engine) removeStale(ctx context.Context) error {
	me := self()
	return e.removeThose(ctx, make(client.Filters).Add("label", ownerLabel), func(t thing) bool {
		o, err := parseOwner(t.labels[ownerLabel])
		return err == nil && o.gone(me)
	})
}

// removeRun removes everything that belongs to one open target.
func (e *engine) removeRun(ctx context.Context, id string) error {
	return e.removeThose(ctx, make(client.Filters).Add("label", runLabel+"="+id), func(thing) bool { return true })
}

// removeThose removes what the filter finds and the condition holds for. It goes on after an error.
func (e *engine) removeThose(ctx context.Context, filter client.Filters, which func(thing) bool) error {
	var errs []error
	for _, k := range kinds() {
		found, err := k.list(ctx, e, filter)
		if err != nil {
			errs = append(errs, fmt.Errorf("list %ss: %w", k.name, err))
			continue
		}
		for _, t := range found {
			if !which(t) {
				continue
			}
			if err := k.remove(ctx, e, t.id); err != nil && !underWay(err) {
				errs = append(errs, fmt.Errorf("remove %s %s: %w", k.name, t.id, err))
			}
		}
	}
	return errors.Join(errs...)
}

// removing matches how the engine says that something is being removed.
var removing = regexp.MustCompile(`removal of .* is already in progress`)

// underWay reports whether something is gone already, or somebody else removes it just now.
func underWay(err error) bool { return errdefs.IsNotFound(err) || removing.MatchString(err.Error()) }

func listContainers(ctx context.Context, e *engine, f client.Filters) ([]thing, error) {
	found, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: f})
	var out []thing
	for _, c := range found.Items {
		out = append(out, thing{c.ID, c.Labels})
	}
	return out, err
}

func listNetworks(ctx context.Context, e *engine, f client.Filters) ([]thing, error) {
	found, err := e.NetworkList(ctx, client.NetworkListOptions{Filters: f})
	var out []thing
	for _, n := range found.Items {
		out = append(out, thing{n.ID, n.Labels})
	}
	return out, err
}

func listVolumes(ctx context.Context, e *engine, f client.Filters) ([]thing, error) {
	found, err := e.VolumeList(ctx, client.VolumeListOptions{Filters: f})
	var out []thing
	for _, v := range found.Items {
		out = append(out, thing{v.Name, v.Labels})
	}
	return out, err
}

// listImages gives each tag of an image: an image goes with its last one.
func listImages(ctx context.Context, e *engine, f client.Filters) ([]thing, error) {
	found, err := e.ImageList(ctx, client.ImageListOptions{Filters: f})
	var out []thing
	for _, i := range found.Items {
		if len(i.RepoTags) == 0 {
			out = append(out, thing{i.ID, i.Labels})
		}
		for _, tag := range i.RepoTags {
			out = append(out, thing{tag, i.Labels})
		}
	}
	return out, err
}
