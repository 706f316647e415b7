// A form in a file: every item is in it, and what is said stays in this browser until it is downloaded.

const { kind, name } = document.body.dataset;
const pictures = JSON.parse(byId("pictures").textContent);
const items = [...document.querySelectorAll("template[data-item]:not([data-blind])")];
const place = `kbe ${name}`;
const fresh = () => ({ rater: "", item: -1, said: {}, past: [] });
const OWN = ["id", "seconds"]; // fields that are told otherwise
let state = fresh();
let before = {}; // what was said of the item when it was opened

function load() {
  try {
    state = { ...state, ...JSON.parse(localStorage.getItem(place) || "{}") };
  } catch {
    keep();
  }
}

function keep() {
  try {
    localStorage.setItem(place, JSON.stringify(state));
  } catch {
    tell("This browser cannot store your answers. Download them before you close the page.", true);
  }
}

const idOf = (item) => item.dataset.item;
const saidOf = (id) => state.said[id] || {};
const decides = Boolean(items[0].content.querySelector("[name=verdict][value=approve]"));
const isDone = (item) => decides
  ? Boolean(saidOf(idOf(item)).verdict)
  : item.dataset.asked.split(" ").every((column) => saidOf(idOf(item))[column]);

function fieldsOf(form, button) {
  const fields = {};
  for (const [field, value] of new FormData(form, button)) {
    if (OWN.includes(field)) { continue; }
    fields[field] = Object.hasOwn(fields, field) ? [fields[field], value].flat() : value;
  }
  return fields;
}

// a verdict stands when a reason is written later, but no revision whose fields were closed
function note(form, button) {
  const { id } = form.elements;
  const { verdict, pick } = saidOf(id.value);
  const fields = fieldsOf(form, button);
  const stands = !fields.verdict && verdict && (verdict !== "revise" || "text" in fields) ? { verdict } : {};
  const own = pick === undefined ? {} : { pick };
  state.said[id.value] = { ...own, ...fields, ...stands, seconds: Number(seconds().toFixed(1)), time: new Date().toISOString() };
  keep();
}

function fill(form, fields) {
  for (const [field, value] of Object.entries(fields)) {
    const values = [value].flat();
    if (FLAGS.includes(field)) {
      for (const input of form.querySelectorAll("li.wrong input")) { if (values.includes(input.value)) { showFlag(input, field); } }
      continue;
    }
    [...form.querySelectorAll("[name]")].filter((input) => input.name === field && input.type !== "submit").forEach((input, number) => {
      if (["radio", "checkbox"].includes(input.type)) { input.checked = values.includes(input.value); }
      else if (input.type !== "hidden") { input.value = values[number] || ""; }
    });
  }
  if ("text" in fields) { byId("edit").hidden = byId("edit").disabled = false; }
  if (fields.pick) { byId("pick").hidden = false; byId("pick").lastElementChild.textContent = fields.pick; }
}

// the seconds so far of an item that is left open
function leave() {
  const fields = state.said[clock.item];
  if (fields && !fields.verdict) { fields.seconds = Number(seconds().toFixed(1)); }
}

function show(number) {
  leave();
  state.item = Math.min(Math.max(number, -1), items.length);
  const item = items[state.item];
  if (item) { showItem(item); }
  else { content.replaceChildren(byId(state.item < 0 ? "start" : "end").content.cloneNode(true)); content.className = ""; }
  if (byId("clear")) { byId("clear").hidden = !Object.keys(state.said).length; }
  arrive(item ? saidOf(idOf(item)).seconds : 0);
  count();
  keep();
}

function showItem(item) {
  const id = idOf(item);
  const hides = saidOf(id).pick === undefined && item.previousElementSibling;
  const shown = hides && hides.matches("[data-blind]") && idOf(hides) === id ? hides : item;
  content.replaceChildren(shown.content.cloneNode(true));
  content.className = "item-page";
  content.querySelector(".where").textContent = `${state.item + 1} of ${items.length}`;
  for (const picture of content.querySelectorAll("img[data-picture]")) { picture.src = pictures[picture.dataset.picture]; }
  content.querySelector(".moves [value=undo]").disabled = !state.past.length;
  if (shown === item) { fill(byId("review"), saidOf(id)); }
  before = saidOf(id);
}

function count() {
  const done = items.filter(isDone);
  const times = done.map((item) => Math.min(saidOf(idOf(item)).seconds, 1800)).sort((one, other) => one - other);
  const minutes = times.length < 3 ? 0 : (items.length - done.length) * times[Math.floor(times.length / 2)] / 60;
  document.querySelector("#progress progress").value = done.length;
  document.querySelector("#progress strong").textContent = done.length;
  byId("download").disabled = !answersOf().length;
  byId("left").textContent = minutes ? `, ${minutes < 1 ? "under a minute" : `about ${Math.round(minutes)} min`} left` : "";
}

function toOpen() {
  const order = items.map((_, number) => (state.item + 1 + number) % items.length);
  const open = order.find((number) => !isDone(items[number]));
  show(open === undefined ? items.length : open);
}

function go(address) {
  show({ "#next": state.item + 1, "#previous": state.item - 1 }[new URL(address).hash]);
}

function send(form, button) {
  if (form.id === "undo-form") { undo(); return; }
  const id = form.elements.id.value;
  if (form.getAttribute("action") === "pick") {
    const pick = button && button.name === "none" ? "" : new FormData(form).get("pick") || "";
    state.said[id] = { ...saidOf(id), pick: pick.trim() };
    show(state.item);
    return;
  }
  if (form.querySelector("[name=wrong]:checked") && button && button.value !== "reject") {
    tell("A question based on a wrong fact can only be rejected. Reject it, or unmark the fact.", true);
    return;
  }
  state.past.push([id, before]);
  note(form, button);
  tell("");
  toOpen();
}

function undo() {
  const last = state.past.pop();
  if (!last) { tell("There is no decision to undo.", true); return; }
  const [id, fields] = last;
  clock.item = "";
  state.said[id] = fields;
  show(items.findIndex((item) => idOf(item) === id));
  tell("Decision undone.");
}

// what is downloaded: the questions that have a verdict, or a word
const answersOf = () => items
  .map((item) => ({ id: idOf(item), ...saidOf(idOf(item)) }))
  .filter((answer) => decides ? answer.verdict : answer.time);

function download() {
  if (!answersOf().length) { tell("You have not answered anything yet.", true); return; }
  if (!state.rater) {
    tell("Enter your name or initials first.", true);
    byId("rater").focus();
    return;
  }
  const left = items.filter((item) => !isDone(item)).length;
  if (left && !confirm(`${left} of ${items.length} items are still open. Download anyway?`)) { return; }
  leave();
  const answers = answersOf();
  const link = document.createElement("a");
  const text = JSON.stringify({ [kind]: name, rater: state.rater, answers }, null, 1);
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${name}-${state.rater.replace(/[^\p{L}\p{N}-]+/gu, "_")}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  tell(left ? `Downloaded. Still open: ${left}.` : "Downloaded. Thank you.");
}

content.addEventListener("input", (event) => {
  const form = event.target.closest("form[action=decide]");
  if (form) { note(form); count(); }
});
document.addEventListener("click", (event) => {
  if (event.target.closest("#begin")) { toOpen(); }
  if (event.target.closest("#download, [data-download]")) { download(); }
  if (event.target.closest(".brand")) { event.preventDefault(); show(-1); }
  if (event.target.closest("#clear") && confirm("Discard all your answers?")) {
    state = { ...fresh(), rater: state.rater };
    clock.item = "";
    show(-1);
  }
});
byId("rater").addEventListener("input", (event) => { state.rater = event.target.value.trim(); keep(); });
byId("rater").addEventListener("keydown", (event) => { if (event.key === "Enter" && byId("begin")) { toOpen(); } });
addEventListener("pagehide", () => { leave(); keep(); });
Object.assign(KEYS, { g: toOpen, d: download });

load();
byId("rater").value = state.rater;
show(state.item);
if (!state.rater) { byId("rater").focus(); }
