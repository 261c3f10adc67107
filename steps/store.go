package steps

import "context"

// withoutStoreArgs are the arguments of the verb without_store.
type withoutStoreArgs struct {
	First  string `arg:"first" doc:"a name for the first attempt"`
	Second string `arg:"second" doc:"a name for the second"`
}

// withoutStore sends twice while the store cannot be reached. That it took effect is shown by the connections that were
// cut or refused meanwhile. Whether the API fails open or closed is noted, not judged: the records are.
func (w *world) withoutStore(ctx context.Context, a withoutStoreArgs) error {
	if err := w.approve(ctx, approveArgs{}); err != nil {
		return err
	}
	w.Endpoint.RefuseStore(true)
	_, err := w.sendOne(ctx, sendArgs{As: a.First})
	if err == nil {
		_, err = w.sendOne(ctx, sendArgs{As: a.Second, Key: "same"})
	}
	refused := w.Endpoint.RefuseStore(false)
	w.fault("the database could not be reached for two requests", nil)
	if err != nil {
		return err
	}
	if refused == 0 {
		return unclear("the target did not ask for its database while that could not be reached, so that nothing was tried")
	}
	first, err := w.find(a.First)
	if err != nil {
		return err
	}
	if first.Succeeded() {
		w.note(true, "the API fails open: without its store it answered %s", statusText(first.Status))
	} else {
		w.note(false, "the API fails closed: without its store it gave %s", saw(first.Exchange))
	}
	return nil
}

// recoverArgs are the arguments of the verb recover.
type recoverArgs struct {
	As string `arg:"as" doc:"a name for the attempt"`
}

// recovered sends again until the target is itself again.
func (w *world) recovered(ctx context.Context, a recoverArgs) error {
	_, err := w.untilSettled(ctx, w.Now().Add(w.settlePatience()), func() (*sent, error) {
		return w.sendOne(ctx, sendArgs{As: a.As, Key: "same"})
	})
	return err
}
