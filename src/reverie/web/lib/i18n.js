// All words of the page, in two tables with the same keys.

import { en } from "../text/en.js";
import { zh } from "../text/zh.js";

const TABLES = { en, zh };
const KEY = "reverie.language";

function usual() {
  const kept = localStorage.getItem(KEY);
  if (kept in TABLES) return kept;
  return (navigator.language ?? "en").toLowerCase().startsWith("zh") ? "zh" : "en";
}

let language = usual();

export function currentLanguage() {
  return language;
}

export function setLanguage(next) {
  language = next in TABLES ? next : "en";
  localStorage.setItem(KEY, language);
  markLanguage();
}

export function markLanguage() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

export function t(key, values = {}) {
  let text = TABLES[language][key] ?? TABLES.en[key] ?? key;
  if (typeof text === "object") text = values.count === 1 ? text.one : text.many;
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? number(value) : String(value);
  });
}

// A word of the daemon (a verb, a status, a kind) in the reader's language, else as it is.
export function word(prefix, value) {
  const key = `${prefix}.${value}`;
  return key in TABLES.en ? t(key) : String(value ?? "");
}

export function number(value) {
  return new Intl.NumberFormat(document.documentElement.lang).format(value);
}

export function moment(text) {
  if (!text) return "";
  return new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: "medium",
    timeStyle: "short",
  }).format(new Date(text));
}

export function day(text) {
  return new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: "full",
  }).format(new Date(text));
}

const STEPS = [
  ["year", 31536000],
  ["month", 2592000],
  ["week", 604800],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

export function age(text) {
  if (!text) return t("age.unknown");
  const seconds = (Date.now() - new Date(text).getTime()) / 1000;
  const format = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size) return format.format(-Math.round(seconds / size), unit);
  return t("age.now");
}
