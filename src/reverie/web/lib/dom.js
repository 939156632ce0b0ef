// Elements are made from values; a text is always a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.setAttribute("class", value);
    else if (name === "value" || name === "checked" || name === "selected" || name === "disabled")
      node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...flat(children));
  return node;
}

function flat(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "");
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A view that is drawn again keeps the focus where it was, if the same control is there again.
export function replace(node, ...children) {
  const active = document.activeElement;
  const trail = active !== node && node.contains(active) ? steps(node, active) : null;
  node.replaceChildren(...flat(children));
  if (trail) {
    const again = trail.reduce((at, step) => at?.children[step], node);
    if (again?.tagName === active.tagName && again.textContent === active.textContent)
      again.focus({ preventScroll: true });
  }
  return node;
}

function steps(node, inner) {
  const trail = [];
  for (let at = inner; at !== node; at = at.parentElement)
    trail.unshift([...at.parentElement.children].indexOf(at));
  return trail;
}

// What is too long for its box scrolls, so the keyboard must get there; what is not is no stop for it.
const boxes = new ResizeObserver((seen) => {
  for (const { target } of seen) {
    if (!target.isConnected) boxes.unobserve(target);
    else if (target.scrollHeight > target.clientHeight) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

export function scrolling(node) {
  boxes.observe(node);
  return node;
}

export function debounce(work, wait) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), wait);
  };
}

// Icons of one stroke, drawn on 24 by 24.
const PATHS = {
  overview: "M4 19V9m6 10V5m6 14v-7m4 7H3",
  memories: "M6 4h11a2 2 0 0 1 2 2v14l-4-2-4 2-4-2-3 2V6a2 2 0 0 1 2-2zm3 5h7m-7 4h5",
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zm5.2 12.2L21 21",
  context: "M5 4v16m0-11h6v4H5m6-2h3m0-2h6v4h-6zM5 18h6",
  layers: "M12 3l9 5-9 5-9-5zm-9 9l9 5 9-5M3 16l9 5 9-5",
  activity: "M3 12h4l3-8 4 16 3-8h4",
  settings: "M4 7h9m4 0h3M4 17h3m4 0h9M15 5v4M9 15v4",
  plus: "M12 5v14M5 12h14",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zm0-5v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4",
  auto: "M12 4a8 8 0 1 1 0 16zm0 0a8 8 0 1 0 0 16",
  pin: "M9 4h6l-1 6 4 4H6l4-4zm3 10v6",
  back: "M15 5l-7 7 7 7",
  undo: "M9 14L4 9l5-5M4 9h9a6 6 0 0 1 0 12h-3",
  dream: "M17 16.5A7.5 7.5 0 0 1 8.5 5 8 8 0 1 0 17 16.5zM16 4h4l-4 5h4",
  forget: "M5 7h14M10 7V4h4v3m-7 0l1 13h8l1-13",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12l5 5 9-11",
  help: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2m0 3v.5",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  language: "M4 6h9M8.5 4v2c0 4-2 7-4.5 8m2-5c1 3 3 5 5 5m2 6l4-9 4 9m-6.700-3h5.400",
};

export function icon(name) {
  return s(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    s("path", { d: PATHS[name] }),
  );
}
