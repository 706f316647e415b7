"use strict";
// What the pages do beyond their HTML: keys, the next question without a reload, and the time that each one takes.

const byId = (id) => document.getElementById(id);
const content = byId("content");
const said = byId("said");
const CYCLE = ["", "yes", "no", "unsure"];
const FLAGS = ["", "also right", "implausible"];
const TOLD = 6000; // milliseconds that a line stays
let busy = false;
let silence = 0;

// the seconds of the question that is shown; the clock stands while the page is hidden
const clock = { spent: 0, since: performance.now() };
const seconds = () => (clock.spent + (document.hidden ? 0 : performance.now() - clock.since)) / 1000;
const restart = () => { clock.spent = 0; clock.since = performance.now(); };
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

async function request(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { accept: "application/json" } });
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch {
    return { error: text };
  }
}

function put(page, moves = true) {
  content.innerHTML = page.html; // escaped by the server, which also sends the whole page
  content.className = page.page;
  byId("progress").innerHTML = page.progress;
  document.title = page.title;
  if (moves) { history.pushState(null, "", page.address); }
  scrollTo(0, 0);
  content.focus({ preventScroll: true });
  restart();
  if (page.coming) { new Image().src = page.coming; }
  tell(page.told || "");
}

async function go(address, options, moves = true) {
  if (busy) { return; }
  busy = true;
  content.classList.add("busy");
  try {
    const page = await request(address, options);
    if (page.asking) {
      busy = false;
      if (await ask(page.asking)) {
        options.body.set("insist", "yes");
        await go(address, options, moves);
      }
    } else if (page.error) {
      tell(page.error, true);
    } else {
      put(page, moves);
    }
  } catch {
    tell("The server does not answer, and nothing was saved. Start kbe review again, then open its new address.", true);
  } finally {
    busy = false;
    content.classList.remove("busy");
  }
}

function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  if (body.has("seconds")) { body.set("seconds", seconds().toFixed(1)); }
  go(form.getAttribute("action"), { method: "POST", body });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") { return; }
  event.preventDefault();
  send(form, event.submitter);
});

content.addEventListener("click", (event) => {
  const link = event.target.closest("a[rel=next], a[rel=prev]");
  if (link && link.closest(".moves") && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    go(link.href);
  }
  const flag = event.target.closest(".flag");
  if (flag) { turnFlag(flag); }
  if (event.target.closest("#revise")) { edit(true); }
  if (event.target.closest("#no-edit")) { edit(false); }
});

content.addEventListener("change", (event) => {
  if (event.target.closest("#filters") && event.target.matches("select")) { event.target.form.requestSubmit(); }
});

addEventListener("popstate", () => {
  if (location.pathname === "/") { location.reload(); return; }
  go(location.href, {}, false);
});

function turnFlag(button) {
  const field = button.form.elements[button.dataset.flag];
  field.value = FLAGS[(FLAGS.indexOf(field.value) + 1) % FLAGS.length];
  showFlag(button, field);
}

function showFlag(button, field) {
  button.textContent = field.value || "flag";
  button.toggleAttribute("data-set", Boolean(field.value));
  button.setAttribute("aria-label", button.getAttribute("aria-label").replace(/: [^:]*$/, `: ${field.value || "none"}`));
}

function nextFlag() {
  const flags = [...document.querySelectorAll(".flag")];
  if (!flags.length) { tell("This question has no options."); return; }
  flags[(flags.indexOf(document.activeElement) + 1) % flags.length].focus();
}

function turnCriterion(number) {
  const fieldset = document.querySelectorAll(".criteria fieldset")[number - 1];
  if (!fieldset) { return; }
  const inputs = [...fieldset.querySelectorAll("input")];
  const chosen = inputs.find((input) => input.checked);
  const next = CYCLE[(CYCLE.indexOf(chosen ? chosen.value : "") + 1) % CYCLE.length];
  for (const input of inputs) { input.checked = input.value === next; }
  tell(`${fieldset.querySelector("legend").innerText.replace(/^\d+\s*/, "")}: ${next || "nothing"}`);
}

function sayYes() {
  for (const fieldset of document.querySelectorAll(".criteria fieldset")) {
    if (!fieldset.querySelector(":checked")) { fieldset.querySelector("[value=yes]").checked = true; }
  }
  tell("yes to each criterion that was empty");
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

function press(verdict) {
  const form = byId("review");
  if (form) { form.requestSubmit(form.querySelector(`[name=verdict][value=${verdict}]`)); }
}

function follow(selector) {
  const link = document.querySelector(selector);
  if (link) { link.click(); }
}

function pickOption(letter) {
  const picks = [...document.querySelectorAll("input[name=pick][type=radio]")];
  const pick = picks.find((input) => input.parentElement.querySelector("kbd").textContent.toLowerCase() === letter);
  if (pick) { pick.checked = true; pick.focus(); }
  return Boolean(pick);
}

const KEYS = {
  a: () => press("approve"),
  x: () => press("reject"),
  r: () => edit(true),
  y: sayYes,
  w: () => { const reason = document.querySelector("[name=reason]"); if (reason) { reason.focus(); } },
  f: nextFlag,
  u: () => { const undo = byId("undo-form"); if (undo) { undo.requestSubmit(); } },
  n: () => follow(".moves [rel=next], .turn [rel=next]"),
  p: () => follow(".moves [rel=prev], .turn [rel=prev]"),
  g: () => { location.href = document.querySelector(".brand").href; },
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
  if (event.key === "Escape") { leaveField(event); return; }
  if (isWriting) { return; }
  const isPicking = document.querySelector("fieldset.picks");
  if (isPicking && pickOption(event.key.toLowerCase())) { event.preventDefault(); return; }
  if (event.key === "Enter" && event.target === document.body && byId("begin")) { byId("begin").click(); return; }
  if (/^[1-9]$/.test(event.key)) { turnCriterion(Number(event.key)); event.preventDefault(); return; }
  const act = Object.hasOwn(KEYS, event.key) && KEYS[event.key];
  if (!act) { return; }
  event.preventDefault();
  act();
});

byId("help-button").addEventListener("click", KEYS["?"]);
document.documentElement.dataset.ready = "yes"; // keys work from now on
