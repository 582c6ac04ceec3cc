// The stream of a game says only that something has changed; what it is, is asked with the own key.
// `gone` hears whether the server can be reached.
export async function listen(id, key, signal, changed, gone = () => {}) {
  while (!signal.aborted) {
    try {
      const answer = await fetch(`/api/games/${id}/events`, { headers: { "X-Seat-Key": key }, signal });
      if (!answer.ok) return;
      gone(false);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        rest += value;
        const events = rest.split("\n\n");
        rest = events.pop();
        if (events.some((event) => /^event: (hello|moved)/m.test(event))) await changed();
      }
    } catch {
      if (signal.aborted) return;
      gone(true);
    }
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
}
