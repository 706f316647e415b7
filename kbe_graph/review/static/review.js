"use strict";
// The pages of kbe review: keys, flags, criteria, the time that an item takes, and what is sent to the server.

const byId = (id) => document.getElementById(id);
const content = byId("content");
const said = byId("said");
const FLAGS = ["", "also right", "implausible"];
const TOLD = 6000; // milliseconds that a line stays
let silence = 0;

// the seconds of the item that is shown; the clock stands while the page is hidden
const clock = { spent: 0, since: performance.now() };
const seconds = () => Math.max(clock.spent + (document.hidden ? 0 : performance.now() - clock.since), 100) / 1000; // 0 stands for unknown
document.addEventListener("visibilitychange", () => {
  if (document.hidden) { clock.spent += performance.now() - clock.since; } else { clock.since = performance.now(); }
});

function tell(words, isBad = false) {
  clearTimeout(silence);
  said.textContent = words;
  said.classList.toggle("bad", isBad);
  if (!isBad) { silence = setTimeout(() => { said.textContent = ""; }, TOLD); }
}

function ask(words) {
  const dialog = byId("asking");
  byId("asking-words").textContent = words;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

// what is said stays on the page until the server has saved it
let busy = false;
async function send(address, body) {
  if (busy) { return; }
  busy = true;
  content.classList.add("busy");
  try {
    const answer = await fetch(address, { method: "POST", body });
    const text = await answer.text();
    const { to, asking, error } = text.startsWith("{") ? JSON.parse(text) : { error: text };
    if (to) { location.assign(to); return; }
    if (asking) {
      busy = false;
      if (await ask(asking)) {
        body.set("insist", "yes");
        await send(address, body);
        return;
      }
    } else { tell(error, true); }
  } catch {
    tell("The server does not respond, so nothing was saved. Restart kbe review and open its new address.", true);
  }
  busy = false;
  content.classList.remove("busy");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") { return; }
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  if (body.has("seconds")) { body.set("seconds", seconds().toFixed(1)); }
  send(form.getAttribute("action"), body);
});

content.addEventListener("change", (event) => {
  if (event.target.closest("#filters")) { event.target.form.requestSubmit(); }
});

content.addEventListener("click", (event) => {
  const flag = event.target.closest(".flag");
  if (flag) { turnFlag(flag); }
  if (event.target.closest("#revise")) { edit(true); }
  if (event.target.closest("#no-edit")) { edit(false); }
});

// all that is said of an item by keys is told like what is said with a mouse
const changed = (element) => element.dispatchEvent(new Event("input", { bubbles: true }));

function turnFlag(button) {
  const field = button.previousElementSibling;
  showFlag(field, FLAGS[(FLAGS.indexOf(field.name) + 1) % FLAGS.length]);
  changed(field);
}

function showFlag(field, flag) {
  const button = field.nextElementSibling;
  field.name = flag;
  field.disabled = !flag;
  const words = flag || "flag";
  button.textContent = words[0].toUpperCase() + words.slice(1);
  button.toggleAttribute("data-set", Boolean(flag));
  button.setAttribute("aria-label", `flag of ${field.value}: ${flag || "none"}`);
}

function nextFlag() {
  const flags = [...document.querySelectorAll(".flag")];
  if (!flags.length) { tell("This question has no options."); return; }
  flags[(flags.indexOf(document.activeElement) + 1) % flags.length].focus();
}

const criteria = () => [...document.querySelectorAll(".criteria fieldset")];
const isEmpty = (fieldset) => !fieldset.querySelector(":checked");

function countAnswers() {
  const all = criteria();
  if (all.length) { byId("answered").textContent = `${all.filter((each) => !isEmpty(each)).length} of ${all.length} answered`; }
}
content.addEventListener("input", countAnswers);

function turnCriterion(number) {
  const fieldset = criteria()[number - 1];
  if (!fieldset) { return; }
  const inputs = [...fieldset.querySelectorAll("input")];
  const next = inputs[inputs.findIndex((input) => input.checked) + 1];
  for (const input of inputs) { input.checked = input === next; }
  tell(`${fieldset.querySelector(".words").textContent}: ${next ? next.value : "empty"}`);
  changed(fieldset);
}

function sayYes() {
  for (const fieldset of criteria().filter(isEmpty)) { fieldset.querySelector("[value=yes]").checked = true; }
  tell("all empty criteria set to yes");
  changed(content.querySelector(".criteria"));
}

function sayWord(letter) {
  const words = document.querySelector(".criteria") ? document.querySelector(".criteria").dataset.words.split(" ") : [];
  const word = words.find((each) => each[0] === letter);
  const fieldset = criteria().find(isEmpty);
  if (word && fieldset) {
    fieldset.querySelector(`[value="${word}"]`).checked = true;
    changed(fieldset);
    if (!criteria().some(isEmpty)) { byId("review").requestSubmit(); }
  }
  return Boolean(word);
}

function edit(isOpen) {
  const fields = byId("edit");
  if (!fields) { return; }
  fields.hidden = fields.disabled = !isOpen;
  if (isOpen) {
    const text = fields.querySelector("[name=text]");
    text.focus({ preventScroll: true });
    fields.scrollIntoView({ block: "nearest" });
    tell("");
    text.setSelectionRange(text.value.length, text.value.length);
  } else {
    content.focus({ preventScroll: true });
  }
}

function enlarge() {
  const photos = document.querySelector(".photos");
  if (photos) { photos.classList.toggle("enlarged"); }
}

function press(verdict) {
  const form = byId("review");
  if (form) { form.requestSubmit(form.querySelector(`[name=verdict][value=${verdict}]`)); }
}

function follow(selector) {
  const link = document.querySelector(selector);
  if (link) { link.click(); }
}

const KEYS = {
  a: () => press("approve"),
  x: () => press("reject"),
  r: () => edit(true),
  y: sayYes,
  w: () => { const reason = document.querySelector(".reason textarea"); if (reason) { reason.focus(); } },
  f: nextFlag,
  u: () => { const undo = byId("undo-form"); if (undo) { undo.requestSubmit(); } },
  n: () => follow(".moves [rel=next], .turn [rel=next]"),
  p: () => follow(".moves [rel=prev], .turn [rel=prev]"),
  z: enlarge,
  g: () => follow(".brand"),
  "?": () => byId("help").showModal(),
};

function leaveField(event) {
  const isEditing = event.target.closest("#edit");
  if (isEditing) { edit(false); } else { event.target.blur(); content.focus({ preventScroll: true }); }
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("dialog")) { return; }
  const isWriting = event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const fields = byId("edit");
    if (fields && !fields.hidden) { event.preventDefault(); press("revise"); }
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) { return; }
  if (event.key === "Escape") {
    if (document.querySelector(".enlarged")) { enlarge(); } else { leaveField(event); }
    return;
  }
  if (isWriting) { return; }
  if (event.key === "Enter" && [document.body, content].includes(event.target) && byId("begin")) { byId("begin").click(); return; }
  if (sayWord(event.key)) { event.preventDefault(); return; }
  if (/^[1-9]$/.test(event.key)) { turnCriterion(Number(event.key)); event.preventDefault(); return; }
  const act = Object.hasOwn(KEYS, event.key) && KEYS[event.key];
  if (!act) { return; }
  event.preventDefault();
  act();
});

byId("help-button").addEventListener("click", KEYS["?"]);
addEventListener("pageshow", countAnswers);
if (said.textContent) { tell(said.textContent); }
document.documentElement.dataset.ready = "yes"; // keys work from now on
