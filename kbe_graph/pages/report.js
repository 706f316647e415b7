"use strict";
// The browser of questions. Whatever comes from data is put in as text, never as HTML.
const PAGE = 10;
const NAMES = ["words", "benchmark", "row", "relation", "model", "verdict"];
const VERDICTS = { right: "right", wrong: "wrong", "": "not judged" };
const $ = (id) => document.getElementById(id);
const read = (id) => JSON.parse($(id).textContent);
const parts = new Map(), pictures = new Map();
let meta, index, matches = [], page = 0, chosen = "";

async function unpack(id) {
  const bytes = Uint8Array.from(atob(read(id)), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

function sampleOf(number) {
  const part = Math.floor(number / meta.part);
  if (!parts.has(part)) parts.set(part, unpack(`part-${part}`));
  return parts.get(part).then((samples) => samples[number % meta.part]);
}

function make(name, text, attributes = {}, children = []) {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) if (value !== false) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function fill(id, values) {
  $(id).append(...values.map((value) => make("option", value, { value })));
}

function searched(question) {
  return question.searched ??= `${question.text} ${question.answer} ${question.id}`.toLowerCase();
}

function isWanted(question, wanted, words) {
  return (!wanted.benchmark || benchmarkOf(question) === wanted.benchmark)
    && (!wanted.row || question.row === wanted.row)
    && (!wanted.relation || question.relation === wanted.relation)
    && words.every((word) => searched(question).includes(word))
    && (!wanted.verdict || hasVerdict(question.verdicts, wanted.verdict, meta.models.indexOf(wanted.model)));
}

function benchmarkOf(question) {
  return question.id.split("/", 1)[0];
}

function hasVerdict(verdicts, verdict, model) {
  if (verdict === "a") return verdicts !== "" && [...verdicts].every((sign) => sign === "w");
  return model < 0 ? verdicts.includes(verdict) : verdicts[model] === verdict;
}

function filter() {
  const wanted = Object.fromEntries(NAMES.map((name) => [name, $(name).value]));
  const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
  matches = index.filter((question) => isWanted(question, wanted, words));
  const by = meta.judge ? `; judge: ${meta.judge}` : "";
  $("count").textContent = `${matches.length} of ${index.length} questions${by}`;
}

function list() {
  const pages = Math.max(1, Math.ceil(matches.length / PAGE));
  page = Math.min(Math.max(page, 0), pages - 1);
  $("list").replaceChildren(...matches.slice(page * PAGE, (page + 1) * PAGE).map(entry));
  $("page").textContent = `page ${page + 1} of ${pages}`;
  $("before").disabled = page === 0;
  $("after").disabled = page === pages - 1;
}

function entry(question) {
  const signs = [...question.verdicts].filter((sign) => sign !== "-");
  const right = signs.length ? `, ${signs.filter((sign) => sign === "r").length} of ${signs.length} right` : "";
  const about = make("small", `${question.row}${right}`);
  const button = make("button", question.text, { type: "button", "aria-current": question.id === chosen && "true" }, [about]);
  button.dataset.item = question.id;
  button.addEventListener("click", () => choose(question.id));
  return make("li", "", {}, [button]);
}

// The address keeps what is chosen: it can be copied, and the browser's way back goes through it.
function choose(id) {
  chosen = id;
  location.hash = address(id);
}

function address(id) {
  const values = new URLSearchParams();
  for (const name of NAMES) if ($(name).value) values.set(name, $(name).value);
  if (id) values.set("item", id);
  return values.toString();
}

function refilter() {
  page = 0;
  filter();
  history.replaceState(null, "", `#${address(chosen)}`);
  list();
}

// Other addresses are those of the page's parts.
function follow() {
  const values = new URLSearchParams(location.hash.slice(1));
  if (!values.size || ["item", ...NAMES].some((name) => values.has(name))) restore(values);
}

async function restore(values) {
  for (const name of NAMES) $(name).value = values.get(name) ?? "";
  const wanted = values.get("item");
  filter();
  chosen = wanted ?? matches[0]?.id ?? "";
  const place = matches.findIndex((question) => question.id === chosen);
  page = place < 0 ? 0 : Math.floor(place / PAGE);
  list();
  await show();
  if (wanted) $("item").scrollIntoView({ block: "nearest" });
}

async function show() {
  const id = chosen;
  const question = index.find((other) => other.id === id);
  if (!question) {
    $("item").replaceChildren(make("p", id ? `No question ${id} in this report.` : "No matching question.", { class: "note" }));
    return;
  }
  const sample = await sampleOf(question.sample);
  if (id !== chosen) return;
  $("item").replaceChildren(make("h3", sample.id), ...sample.images.map((name, place) => picture(sample, name, place)), ...sample.questions.map(chainLink));
}

// Pictures stand many in a part of the page, which is read when the first of them is looked at.
function pictureData(number) {
  const part = Math.floor(number / meta.part);
  const element = $(`pictures-${part}`);
  const whole = element?.nextElementSibling || document.readyState !== "loading";
  if (!pictures.has(part) && element && whole) pictures.set(part, JSON.parse(element.textContent));
  return pictures.get(part)?.[number % meta.part];
}

function picture(sample, name, place) {
  const image = make("img", "", { alt: `Picture of ${sample.id}` });
  const missing = make("p", meta.has_pictures ? `Picture ${name} not found.` : "This report has no pictures.", { class: "note" });
  const number = sample.pictures[place];
  const data = number === undefined ? null : pictureData(number);
  if (data) {
    image.src = `data:image/jpeg;base64,${data}`;
    return image;
  }
  if (number !== undefined && document.readyState === "loading")
    document.addEventListener("DOMContentLoaded", () => missing.replaceWith(picture(sample, name, place)), { once: true });
  return missing;
}

function chainLink(question, place) {
  const isFirst = place === 0;
  const also = question.aliases.length ? ` (also: ${question.aliases.join(", ")})` : "";
  const link = make("a", "link", { href: `#item=${encodeURIComponent(question.id)}`, "aria-label": `Link to this question, ${question.row}` });
  const children = [
    make("p", `${question.row} · `, { class: "row" }, [link]),
    make("p", question.text, { class: "text" }),
    make("p", question.answer + also, { class: "answer" }),
    path(question),
    ...(isFirst ? [legend()] : []),
    ...question.said.map((line) => make("p", line, { class: "row" })),
  ];
  if (question.answers.length) children.push(answers(question.answers, question.row));
  return make("div", "", { class: "card question", "aria-current": question.id === chosen && "true" }, children);
}

function path(question) {
  const drawn = [];
  let last = null;
  question.key.forEach(([subject, relation, object, graph, source], place) => {
    const isNew = place >= question.key.length - question.hop;
    if (subject !== last) {
      if (last !== null) drawn.push(make("li", "", { class: "gap" }));
      drawn.push(make("li", subject, { class: "node" }));
    }
    const told = source === "unsourced" ? `${relation} (${source})` : relation;
    drawn.push(make("li", told, { class: "edge", title: source ? `from ${source}` : false }));
    drawn.push(make("li", object, { class: `node ${graph}${isNew ? " new" : ""}` }));
    last = object;
  });
  return make("ol", "", { class: "path", "aria-label": "Key path" }, drawn);
}

function legend() {
  const nodes = [["visual", "node"], ["textual", "node textual"], ["new, added by a hop", "node textual new"]];
  return make("ul", "", { class: "path", "aria-label": "Key path legend" }, nodes.map(([text, look]) => make("li", text, { class: look })));
}

// A row for each answer, a column for each judge; what is the same for all stands in no column.
function answers(rows, place) {
  const judges = [...new Set(rows.map((row) => row[5]).filter(Boolean))];
  const isPlain = rows.every(([, variant, run]) => variant === "image" && run === 1);
  const groups = new Map();
  for (const row of rows) {
    const key = JSON.stringify(row.slice(0, 4));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const heads = ["model", ...(isPlain ? [] : ["variant"]), "answer", ...(judges.length ? judges.map((judge) => `by ${judge}`) : ["verdict"])];
  const body = [...groups.values()].map((group) => answer(group, judges.length ? judges : [""], isPlain));
  const table = make("table", "", {}, [
    make("thead", "", {}, [make("tr", "", {}, heads.map((name) => make("th", name, { scope: "col" })))]), make("tbody", "", {}, body),
  ]);
  return make("div", "", { class: "scroll answers", tabindex: "0", role: "region", "aria-label": `Model answers, ${place}` }, [table]);
}

function answer(group, judges, isPlain) {
  const [model, variant, run, text] = group[0];
  const verdicts = judges.map((judge) => group.find((row) => row[5] === judge)?.[4] ?? "");
  const differ = verdicts.includes("right") && verdicts.includes("wrong");
  return make("tr", "", { class: differ && "differ" }, [
    make("td", model, { class: "model" }),
    ...(isPlain ? [] : [make("td", run > 1 ? `${variant}, ${run}` : variant)]),
    make("td", text, {}, differ ? [make("span", "judges disagree", { class: "chip doubt" })] : []),
    ...verdicts.map((verdict) => make("td", VERDICTS[verdict], { class: verdict || "note" })),
  ]);
}

function step(by) {
  const place = matches.findIndex((question) => question.id === chosen) + by;
  if (matches[place]) choose(matches[place].id);
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const does = { j: () => step(1), k: () => step(-1), "/": () => $("words").focus() }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

async function open() {
  if (!$("filters")) return;
  meta = read("meta");
  const rows = await unpack("index");
  index = rows.map(([sample, id, row, relation, text, answer, verdicts]) => ({ sample, id, row, relation, text, answer, verdicts }));
  const benchmarks = [...new Set(index.map(benchmarkOf))].sort();
  fill("benchmark", benchmarks);
  $("benchmark").parentElement.hidden = benchmarks.length < 2;
  fill("row", [...new Set(index.map((question) => question.row))].sort(byRow));
  fill("relation", [...new Set(index.map((question) => question.relation).filter(Boolean))].sort());
  fill("model", meta.models);
  $("filters").addEventListener("input", refilter);
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("reset", () => setTimeout(refilter));
  $("before").addEventListener("click", () => { page -= 1; list(); });
  $("after").addEventListener("click", () => { page += 1; list(); });
  document.addEventListener("keydown", press);
  addEventListener("hashchange", follow);
  await restore(new URLSearchParams(location.hash.slice(1)));
  document.documentElement.dataset.ready = "yes";
}

function byRow(one, other) {
  const rank = (row) => ["raw", "re-selected"].indexOf(row) + 1 || 3;
  return rank(one) - rank(other) || one.length - other.length || one.localeCompare(other);
}

open();
