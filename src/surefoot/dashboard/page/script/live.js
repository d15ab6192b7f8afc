/** Follows a run, or the list of runs, and tells who listens: what came, and whether the line holds. */
import { canFollow, follow } from "./source.js";

const AGAIN_MS = 2000;
const EVENTS = ["rows", "findings", "events", "status", "runs"];

export class Live {
  #stream = null;
  #listeners = new Map(EVENTS.map((event) => [event, new Set()]));
  #onState;
  #cursor = null;
  #isClosed = false;

  /** `state` is "live", "reconnecting", "ended" or "still" (nothing to follow). */
  state = "still";

  /** Of the run `name`, of several, or of the list with null; from `cursor` on (joined by "!"), or else from now. */
  constructor(name, onState = () => {}, cursor = null) {
    this.name = name;
    this.#onState = onState;
    this.#cursor = cursor;
    if (!canFollow) return;
    document.addEventListener("visibilitychange", this.#seen);
    this.#seen();
  }

  /** A page that nobody sees leaves its connection to others, of which a browser has few, and goes on where it was. */
  #seen = () => {
    if (document.visibilityState === "hidden") this.#drop();
    else if (this.#stream === null) this.#open();
  };

  on(event, listener) {
    this.#listeners.get(event).add(listener);
    return () => this.#listeners.get(event).delete(listener);
  }

  /** The run is over: nothing more will come. */
  end() {
    this.close();
    this.#tell("ended");
  }

  close() {
    this.#isClosed = true;
    document.removeEventListener("visibilitychange", this.#seen);
    this.#drop();
  }

  #drop() {
    this.#stream?.close();
    this.#stream = null;
  }

  #open() {
    const stream = (this.#stream = follow(this.name, this.#cursor));
    this.#tell("reconnecting");
    stream.addEventListener("open", () => this.#tell("live"));
    stream.addEventListener("error", () => this.#failed());
    for (const event of EVENTS) {
      stream.addEventListener(event, (message) => {
        this.#cursor = message.lastEventId || this.#cursor;
        const data = JSON.parse(message.data);
        for (const listener of this.#listeners.get(event)) listener(data);
      });
    }
  }

  /** A browser reconnects by itself after a broken line, and gives up on an answer that is no stream. */
  #failed() {
    if (this.#stream === null) return;
    this.#tell("reconnecting");
    if (this.#stream.readyState !== EventSource.CLOSED) return;
    this.#drop();
    setTimeout(() => this.#isClosed || this.#seen(), AGAIN_MS);
  }

  #tell(state) {
    this.state = state;
    this.#onState(state);
  }
}
