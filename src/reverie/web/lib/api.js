// The daemon, asked: the token in a header, never in an address; errors as values with their codes.

const KEY = "reverie.token";
const state = { token: "", workspace: "", base: "/workspace", headers: {} };

export class ApiError extends Error {
  constructor(status, body) {
    super(body?.error ?? `HTTP ${status}`);
    this.status = status;
    this.code = body?.code ?? "";
    this.body = body ?? {};
  }
}

export class Gone extends Error {}

// The fragment of the first link holds the token; it is taken out of the address before anything else.
export function takeToken() {
  const found = /^#token=([^&]+)(?:&(.*))?$/.exec(location.hash);
  if (found) {
    keepToken(decoded(found[1]), false);
    history.replaceState(null, "", location.pathname + (found[2] ? `#${found[2]}` : ""));
  } else {
    state.token = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? "";
  }
  return state.token;
}

export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // of somebody's own making, put behind the # as it is
  }
}

export function keepToken(token, always) {
  dropToken();
  state.token = token;
  (always ? localStorage : sessionStorage).setItem(KEY, token);
}

export function dropToken() {
  state.token = "";
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

export function chooseWorkspace(id, primary) {
  state.workspace = id;
  state.base = primary ? "/workspace" : `/workspaces/${encodeURIComponent(id)}`;
}

export function path(below) {
  return state.base + below;
}

export function eventsPath() {
  return state.base === "/workspace" ? "/events" : `${state.base}/events`;
}

export function authorised(more = {}) {
  return { Authorization: `Bearer ${state.token}`, ...more };
}

export async function ask(method, address, { query, body, signal } = {}) {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== "" && value != null);
  const search = pairs.length ? `?${new URLSearchParams(pairs)}` : "";
  let response;
  try {
    response = await fetch(address + search, {
      method,
      signal,
      headers: authorised(body === undefined ? {} : { "Content-Type": "application/json" }),
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    dispatchEvent(new Event("reverie:gone"));
    throw new Gone(String(error));
  }
  dispatchEvent(new Event("reverie:here"));
  const text = await response.text();
  let parsed = null;
  try {
    parsed = text ? JSON.parse(text) : null;
  } catch {
    parsed = { error: text.slice(0, 200) };
  }
  if (response.status === 401) dispatchEvent(new Event("reverie:locked"));
  if (!response.ok) throw new ApiError(response.status, parsed);
  return parsed;
}

export const get = (below, query, signal) => ask("GET", path(below), { query, signal });
export const post = (below, body = {}) => ask("POST", path(below), { body });
export const remove = (below) => ask("DELETE", path(below));
