// Events as they happen: read with fetch, because EventSource cannot send the token in a header.

import { authorised, eventsPath } from "./api.js";

const FIRST_WAIT = 500;
const LAST_WAIT = 8000;

export class Live {
  constructor({ onEvent, onState, onResync }) {
    this.onEvent = onEvent;
    this.onState = onState;
    this.onResync = onResync;
    this.last = "";
    this.epoch = "";
    this.stopped = true;
  }

  // Resolves when the first attempt is over: whoever reads then, misses nothing.
  start() {
    this.stop();
    this.stopped = false;
    return new Promise((resolve) => {
      this.begun = resolve;
      this.run();
    });
  }

  stop() {
    this.stopped = true;
    this.controller?.abort();
    this.wake?.();
  }

  retry() {
    this.wake?.();
  }

  async run() {
    const controller = new AbortController();
    this.controller = controller;
    let wait = FIRST_WAIT;
    while (!this.stopped && this.controller === controller) {
      try {
        const seen = await this.read(controller);
        if (seen) wait = FIRST_WAIT;
      } catch (error) {
        if (this.stopped || this.controller !== controller || error.status === 401) {
          this.begun();
          return;
        }
      }
      if (this.stopped || this.controller !== controller) return;
      this.onState(false);
      this.begun();
      await new Promise((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, wait);
      });
      wait = Math.min(wait * 2, LAST_WAIT);
    }
  }

  async read(controller) {
    const more = { Accept: "text/event-stream" };
    if (this.last) more["Last-Event-ID"] = this.last;
    if (this.epoch) more[this.epochHeader] = this.epoch;
    const response = await fetch(eventsPath(), {
      headers: authorised(more),
      signal: controller.signal,
      cache: "no-store",
      credentials: "omit",
    });
    if (!response.ok) throw Object.assign(new Error("no stream"), { status: response.status });
    this.noteEpoch(response.headers);
    this.onState(true);
    this.begun();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let kept = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return true;
      kept += value;
      const frames = kept.split("\n\n");
      kept = frames.pop();
      frames.forEach((frame) => this.take(frame));
    }
  }

  // The header's name belongs to the dialect, so it is found by its end.
  noteEpoch(headers) {
    for (const [name, value] of headers) {
      if (!name.endsWith("epoch")) continue;
      if (this.epoch && this.epoch !== value) {
        this.last = "";
        this.onResync();
      }
      this.epochHeader = name;
      this.epoch = value;
    }
  }

  take(frame) {
    const data = [];
    let type = "";
    for (const line of frame.split("\n")) {
      if (line.startsWith("id:")) this.last = line.slice(3).trim();
      else if (line.startsWith("event:")) type = line.slice(6).trim();
      else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
    }
    if (!data.length) return;
    const event = JSON.parse(data.join("\n"));
    if ((event.type ?? type) === "state_resync_required") this.onResync();
    else this.onEvent(event);
  }
}
